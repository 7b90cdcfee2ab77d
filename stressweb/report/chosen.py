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
_NOT_PASSED_SHARE = 0.8
"""Target share of failures among them."""

type Numbered = tuple[int, Graded]


def chosen(numbered: Sequence[Numbered], show_all_up_to: int = LARGE, detailed_count: int = MOST) -> list[Numbered]:
    """Return the episodes to show in detail, in their order: all, unless there are more than `show_all_up_to`.

    Of more, `detailed_count` are chosen in turns: for each agent and condition one of every verdict, then another one
    of each, and so on. Failures, disputes and errors come before successes, because readers look for them.
    """
    if len(numbered) <= show_all_up_to:
        return list(numbered)
    not_passed = _round_robin(entry for entry in numbered if verdict(entry[1]) != "passed")
    passed = _round_robin(entry for entry in numbered if verdict(entry[1]) == "passed")
    picked = [*islice(not_passed, ceil(detailed_count * _NOT_PASSED_SHARE))]
    picked += islice(passed, detailed_count - len(picked))
    # If nearly everything failed, further failures fill the remaining places.
    picked += islice(not_passed, detailed_count - len(picked))
    return sorted(picked, key=lambda entry: entry[0])


def _round_robin(numbered: Iterable[Numbered]) -> Iterator[Numbered]:
    groups = defaultdict[tuple[str, str, str, str], list[Numbered]](list)
    for entry in numbered:
        graded = entry[1]
        groups[graded.agent, graded.condition, verdict(graded), graded.claim].append(entry)
    return (entry for turn in zip_longest(*groups.values()) for entry in turn if entry is not None)
