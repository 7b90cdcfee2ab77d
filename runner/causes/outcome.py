"""Compares episodes in the search for a cause, by the first checkpoint that they missed, or their harm."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Literal, NamedTuple

from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.checks import Grade

Outcome = Literal["same", "passed", "slipped"]
"""same: fails like the recorded episode. slipped: fails in another way."""
MAX_REPEATS = 6
"""Maximum number of episodes of a nondeterministic agent per trial."""
LEAD = 2
"""Number of episodes by which an outcome must lead before it counts."""
_UNMET, _DATABASE = "not in the database: ", "the final database"


def failure(grade: Grade | None) -> str:
    """Return the first missed checkpoint of an episode, else its harm; empty if it passed."""
    if grade is None or grade.success:
        return ""
    missed = (name for name, passed in grade.passed.items() if not passed)
    harms = (f"harm: {name}" for name, done in grade.harms.items() if done)
    unmet = (f"{_UNMET}{row}" for row in grade.unmet)
    return next(chain(missed, harms, unmet), _DATABASE)


class Ending(NamedTuple):
    """The end of a played episode."""

    outcome: Outcome
    failure: str
    """Text about the failure, such as `at 'sent the form'`; empty if it passed."""


def ending(record: EpisodeRecord, recorded: EpisodeRecord) -> Ending:
    """Return the end of a played episode, compared with the recorded one."""
    missed = failure(record.grade)
    if not missed:
        return Ending("passed", "")
    # An agent that only crashes now, for example without its model, does not fail like the recorded episode.
    if record.status == "crashed" != recorded.status:
        return Ending("slipped", f"{described(missed)}: the agent crashed, {record.message}")
    return Ending("same" if missed == failure(recorded.grade) else "slipped", described(missed))


def described(missed: str) -> str:
    """Return text about a failure: `at 'sent the form'`, `with harm: lost a row`."""
    if missed.startswith("harm: "):
        return f"with {missed}"
    return f"at {missed}" if missed == _DATABASE else missed if missed.startswith(_UNMET) else f"at '{missed}'"


def settled(play: Callable[[int], Outcome], *, deterministic: bool) -> Outcome:
    """Return the outcome of an episode, played as often as needed; `play` gets the number of the repetition.

    A deterministic agent plays once. Other agents play until an outcome leads by `LEAD`, at most `MAX_REPEATS` times;
    without a lead, the outcome is "slipped".
    """
    if deterministic:
        return play(0)
    seen = Counter[Outcome]()
    for repeat in range(MAX_REPEATS):
        seen[play(repeat)] += 1
        (first, most), *rest = seen.most_common()
        if most - (rest[0][1] if rest else 0) >= LEAD:
            return first
    return "slipped"


def failing(play: Callable[[int], Ending], *, deterministic: bool) -> str:
    """Return text about how an episode fails, in whatever way; empty if it passes.

    A nondeterministic agent plays as often as in `settled`; it passes only if its passes lead by `LEAD`. The text then
    includes the number of failed episodes.
    """
    seen: list[str] = []
    for repeat in range(1 if deterministic else MAX_REPEATS):
        seen.append(play(repeat).failure)
        passed = seen.count("")
        if not deterministic and abs(len(seen) - 2 * passed) >= LEAD:
            break
    failed = [missed for missed in seen if missed]
    if not failed or len(seen) - len(failed) >= len(failed) + LEAD:
        return ""
    ((most, _),) = Counter(failed).most_common(1)
    return most if len(seen) == 1 else f"{most}, in {len(failed)} of {len(seen)} episodes"
