"""Selects the episodes of a large run that a report shows in detail."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from math import ceil

from stressweb.analysis.graded import Graded
from stressweb.report.story import verdict

LARGE = 2_000
"""Largest number of episodes for which a report shows all in detail."""
MOST = 500
"""Number of detailed episodes for larger runs."""
_OF_FAILURES = 0.8
"""Target share of failures among them."""

type Numbered = tuple[int, Graded]


def chosen(numbered: Sequence[Numbered], large: int = LARGE, most: int = MOST) -> list[Numbered]:
    """Return the episodes to show in detail, in their order: all, unless there are more than `large`.

    Of more, `most` are chosen in turns: for each agent and condition one of every verdict, then another one of each,
    and so on. Failures, disputes and errors come before successes, because readers look for them.
    """
    if len(numbered) <= large:
        return list(numbered)
    failures = _in_turns(entry for entry in numbered if verdict(entry[1]) != "passed")
    successes = _in_turns(entry for entry in numbered if verdict(entry[1]) == "passed")
    picked = [*islice(failures, ceil(most * _OF_FAILURES))]
    picked += islice(successes, most - len(picked))
    # If nearly everything failed, further failures fill the remaining places.
    picked += islice(failures, most - len(picked))
    return sorted(picked, key=lambda entry: entry[0])


def _in_turns(numbered: Iterable[Numbered]) -> Iterator[Numbered]:
    groups = defaultdict[tuple[str, str, str, str], list[Numbered]](list)
    for entry in numbered:
        graded = entry[1]
        groups[graded.agent, graded.condition, verdict(graded), graded.claim].append(entry)
    return (entry for turn in zip_longest(*groups.values()) for entry in turn if entry is not None)
