"""Fork: the effect of the injections of one action, found by continuing from there with and without them."""

from collections.abc import Callable, Mapping

from stressweb.core.errors import UserError
from stressweb.core.injections import Allowed, Fired, Injection
from stressweb.log.causes import Cause, Effect
from stressweb.log.recording import EpisodeRecord
from stressweb.runner.causes.outcome import Ending, ending
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.replay import Replay, replayed
from stressweb.runner.causes.shrink import traced
from stressweb.runner.causes.stage import Stage

REPEATS = 5
"""How often an agent goes on with the injections, and how often without, if its episodes may differ."""
_GESTURE_PARTS = 3
"""Maximum number of parts in the name of an injection into a gesture; the name of a change of a page has more."""


def check_step(record: EpisodeRecord, step: int) -> None:
    """Raise UserError if an episode has no such action, or if nothing disturbed it."""
    last = len(record.steps) - 1
    if not 1 <= step <= last:
        raise UserError(f"step {step} is outside of episode {record.cell.key}, which has the steps 1 to {last}")
    # Step 0 is left out: it is the load of the first page, and has no action from which to go on.
    disturbed = sorted({entry.step for entry in record.ledger if entry.phase == "delivered" and entry.step})
    if step not in disturbed:
        steps = ", ".join(map(str, disturbed)) or "no step"
        raise UserError(f"nothing was disturbed at step {step} of episode {record.cell.key}; it was at {steps}")


def fork(episode: RecordedEpisode, step: int, stage: Stage, repeats: int, say: Callable[[str], None]) -> Effect:
    """Return the effect of the injections of an action: the rest of the episode with them, and without.

    Both arms replay the recorded actions up to this one; all other injections fire in both. Raises UserError if no
    injection fired at this action, or if the replay slips.
    """
    record = episode.record
    check_step(record, step)
    say("replaying the recorded actions")
    fired = traced(episode, stage).fired_at(step)
    if not fired:
        raise UserError(f"no injection of step {step} can be held back")
    # Held back for good: a later injection of the same name stays off in this arm, too.
    held = {injection.injection: _since(record, injection) for injection in fired}
    arms: dict[str, list[Ending]] = {"with": [], "without": []}
    for arm, without in (("with", None), ("without", held)):
        for repeat in range(repeats):
            say(f"going on from step {step} {arm} the injection, {repeat + 1} of {repeats}")
            arms[arm].append(_continued(episode, step, stage, without, repeat))
    causes = tuple(Cause.of(injection) for injection in fired)
    passed_with, passed_without = (tuple(arm_ending.outcome == "passed" for arm_ending in arm) for arm in arms.values())
    failures = tuple(dict.fromkeys(arm_ending.failure for arm_ending in arms["without"] if arm_ending.failure))
    return Effect(
        step=step,
        causes=causes,
        passed_with=passed_with,
        passed_without=passed_without,
        failures_without=failures,
    )


def _continued(
    episode: RecordedEpisode, step: int, stage: Stage, without: Mapping[Injection, int] | None, repeat: int
) -> Ending:
    allowed = Allowed(without=without)
    record = replayed(stage, episode, allowed, lambda: Replay(episode.record, step, episode.new_agent(), repeat))
    return ending(record, episode.record)


def _since(record: EpisodeRecord, fired: Fired) -> int:
    """Return from which action on an injection must be held back, so that it does not fire at this one."""
    of_a_control = len(fired.injection) <= _GESTURE_PARTS and not fired.injection[1].startswith("page ")
    # A page decides about its controls when it loads.
    loads = [entry.step for entry in record.ledger if entry.phase == "planned" and entry.step < fired.step]
    return max(loads, default=0) if of_a_control else fired.step
