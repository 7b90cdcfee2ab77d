"""Fork: measures the effect of an action's injections by continuing the episode with and without them."""

from collections.abc import Callable, Mapping

from stressweb.core.errors import UserError
from stressweb.core.injections import AllowedInjections, Fired, Injection
from stressweb.log.causes import Cause, Effect
from stressweb.log.recording import EpisodeRecord
from stressweb.runner.causes.outcome import Ending, ending
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.replay import Replay, replayed
from stressweb.runner.causes.shrink import traced
from stressweb.runner.causes.stage import CauseStage

REPEATS = 5
"""Default number of repetitions with the injections, and without, for a nondeterministic agent."""
_GESTURE_PARTS = 3
"""Maximum number of parts in the name of an injection into a gesture; page changes have more."""


def check_step(record: EpisodeRecord, step: int) -> None:
    """Raise UserError if an episode has no such action, or if the action was not disturbed."""
    last = len(record.steps) - 1
    if not 1 <= step <= last:
        raise UserError(f"episode {record.cell.key} has no step {step}; its steps are 1 to {last}")
    # Without step 0, which is the load of the first page and has no action.
    disturbed = sorted({entry.step for entry in record.ledger if entry.phase == "delivered" and entry.step})
    if step not in disturbed:
        steps = ", ".join(map(str, disturbed)) or "no step"
        raise UserError(f"step {step} of episode {record.cell.key} was not disturbed; disturbed: {steps}")


def fork(episode: RecordedEpisode, step: int, stage: CauseStage, repeats: int, say: Callable[[str], None]) -> Effect:
    """Return the effect of an action's injections on the rest of the episode.

    Both arms replay the recorded actions up to this one; all other injections fire in both. Raises UserError if no
    injection fired at this action, or if the replay differs from the recording.
    """
    record = episode.record
    check_step(record, step)
    say("replaying the recorded actions")
    fired = traced(episode, stage).fired_at(step)
    if not fired:
        raise UserError(f"no injection of step {step} can be held back")
    # From then on, later injections of the same name are held back, too.
    held_back = {injection.injection: _held_from_step(record, injection) for injection in fired}
    arms: dict[str, list[Ending]] = {"with": [], "without": []}
    for arm, without in (("with", None), ("without", held_back)):
        for repeat in range(repeats):
            say(f"continuing from step {step} {arm} the injection, {repeat + 1} of {repeats}")
            arms[arm].append(_continue(episode, step, stage, without, repeat))
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


def _continue(
    episode: RecordedEpisode, step: int, stage: CauseStage, without: Mapping[Injection, int] | None, repeat: int
) -> Ending:
    allowed_injections = AllowedInjections(without=without)
    record = replayed(
        stage, episode, allowed_injections, lambda: Replay(episode.record, step, episode.new_agent(), repeat)
    )
    return ending(record, episode.record)


def _held_from_step(record: EpisodeRecord, fired: Fired) -> int:
    """Return the step from which an injection must be held back so that it does not fire at its action."""
    of_a_control = len(fired.injection) <= _GESTURE_PARTS and not fired.injection[1].startswith("page ")
    # Injections into controls are planned when the page loads.
    loads = [entry.step for entry in record.ledger if entry.phase == "planned" and entry.step < fired.step]
    return max(loads, default=0) if of_a_control else fired.step
