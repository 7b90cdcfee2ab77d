"""Fork: the effect of the injections of one action, found by continuing from there with and without them."""

from collections.abc import Callable, Mapping

from runner.causes.found import Found
from runner.causes.outcome import Ending, ending
from runner.causes.replay import Replay, replayed
from runner.causes.shrink import traced
from runner.causes.stage import Stage
from stressweb.core.errors import UserError
from stressweb.core.injections import Allowed, Fired, Injection
from stressweb.log.causes import Cause, Effect
from stressweb.log.recording import EpisodeRecord

REPEATS = 5
"""How often an agent goes on with the injections, and how often without, if its episodes may differ."""
_GESTURE = 3
"""Most parts that the name of an injection into a gesture has; the name of a change of a page has more."""


def check_step(record: EpisodeRecord, step: int) -> None:
    """Raise UserError if an episode has no such action, or if nothing disturbed it."""
    last = len(record.steps) - 1
    if not 1 <= step <= last:
        raise UserError(f"step {step} is outside of episode {record.cell.key}, which has the steps 1 to {last}")
    # Step 0 is left out: it is the load of the first page, and there is no action from which to go on.
    disturbed = sorted({one.step for one in record.ledger if one.phase == "delivered" and one.step})
    if step not in disturbed:
        there = ", ".join(map(str, disturbed)) or "no step"
        raise UserError(f"nothing was disturbed at step {step} of episode {record.cell.key}; it was at {there}")


def fork(found: Found, step: int, stage: Stage, repeats: int, say: Callable[[str], None]) -> Effect:
    """Return what the injections of an action did: the rest of the episode with them, and without.

    Both arms replay the recorded actions up to this one; all other injections fire in both. Raises UserError if there
    was none at this action, or if the replay slips.
    """
    record = found.record
    check_step(record, step)
    say("replaying the recorded actions")
    fired = traced(found, stage).fired_at(step)
    if not fired:
        raise UserError(f"no injection of step {step} can be held back")
    # Held back for good: an injection of this name that would come again later stays off in this arm, too.
    held = {one.injection: _since(record, one) for one in fired}
    arms: dict[str, list[Ending]] = {"with": [], "without": []}
    for arm, without in (("with", None), ("without", held)):
        for repeat in range(repeats):
            say(f"going on from step {step} {arm} the injection, {repeat + 1} of {repeats}")
            arms[arm].append(_goes_on(found, step, stage, without, repeat))
    causes = tuple(Cause.of(one) for one in fired)
    passed_with, passed_without = (tuple(one.outcome == "passed" for one in arm) for arm in arms.values())
    failures = tuple(dict.fromkeys(one.failure for one in arms["without"] if one.failure))
    return Effect(
        step=step,
        causes=causes,
        passed_with=passed_with,
        passed_without=passed_without,
        failures_without=failures,
    )


def _goes_on(found: Found, step: int, stage: Stage, without: Mapping[Injection, int] | None, repeat: int) -> Ending:
    allowed = Allowed(without=without)
    record = replayed(stage, found, allowed, lambda: Replay(found.record, step, found.make(), repeat))
    return ending(record, found.record)


def _since(record: EpisodeRecord, fired: Fired) -> int:
    """Return from which action on an injection must be held back, so that it does not fire at its own."""
    of_a_control = len(fired.injection) <= _GESTURE and not fired.injection[1].startswith("page ")
    # The page of a control knows from its load on what will be disturbed.
    loads = [one.step for one in record.ledger if one.phase == "planned" and one.step < fired.step]
    return max(loads, default=0) if of_a_control else fired.step
