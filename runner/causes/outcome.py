"""How episodes are compared when looking for a cause: by the first checkpoint that they missed, or the harm."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Literal

from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.checks import Grade

Outcome = Literal["same", "passed", "slipped"]
"""same: it fails as the recorded episode does. slipped: it fails in another way."""
MOST_REPEATS = 6
"""Episodes that an agent which is not deterministic is given to answer one question."""
LEAD = 2
"""By how many episodes one outcome must lead before it counts."""


def failure(grade: Grade | None) -> str:
    """Return the first checkpoint that an episode missed, else the harm that it did; empty if it passed."""
    if grade is None or grade.success:
        return ""
    missed = (name for name, passed in grade.passed.items() if not passed)
    harms = (f"harm: {name}" for name, done in grade.harms.items() if done)
    unmet = (f"not in the database: {one}" for one in grade.unmet)
    return next(chain(missed, harms, unmet), "the final database")


def compared(record: EpisodeRecord, reference: str) -> Outcome:
    """Return how an episode ended, compared with the failure of the recorded one."""
    found = failure(record.grade)
    return "passed" if not found else "same" if found == reference else "slipped"


def settled(play: Callable[[int], Outcome], *, deterministic: bool) -> Outcome:
    """Return the outcome of an episode that is played as often as is needed; `play` gets the number of the repeat.

    For a deterministic agent one episode is enough. Others are played until one outcome leads by two, at most six
    times; without a lead the outcome is "slipped".
    """
    if deterministic:
        return play(0)
    seen = Counter[Outcome]()
    for repeat in range(MOST_REPEATS):
        seen[play(repeat)] += 1
        (first, most), *rest = seen.most_common()
        if most - (rest[0][1] if rest else 0) >= LEAD:
            return first
    return "slipped"
