"""Which episodes of a large run a report holds in detail."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from math import ceil

from stressweb.analysis.graded import Graded
from stressweb.report.story import verdict

LARGE = 2_000
"""Episodes up to which a report holds every one in detail."""
MOST = 500
"""Episodes that it holds in detail of a run that is larger."""
_OF_FAILURES = 0.8
"""Share of them that did not pass, if there are so many."""

type Numbered = tuple[int, Graded]


def chosen(numbered: Sequence[Numbered], large: int = LARGE, most: int = MOST) -> list[Numbered]:
    """Return the episodes of a report that are held in detail, in their order: all, unless there are more than `large`.

    Of more, `most` are chosen: of each agent under each condition first one of every verdict, then another one of each,
    and so on. Failures, disputes and errors come before successes, since they are what a reader looks for.
    """
    if len(numbered) <= large:
        return list(numbered)
    failures = _in_turns(entry for entry in numbered if verdict(entry[1]) != "passed")
    successes = _in_turns(entry for entry in numbered if verdict(entry[1]) == "passed")
    picked = [*islice(failures, ceil(most * _OF_FAILURES))]
    picked += islice(successes, most - len(picked))
    # Of a run in which nearly everything failed there are no successes to fill up with.
    picked += islice(failures, most - len(picked))
    return sorted(picked, key=lambda entry: entry[0])


def _in_turns(numbered: Iterable[Numbered]) -> Iterator[Numbered]:
    groups = defaultdict[tuple[str, str, str, str], list[Numbered]](list)
    for entry in numbered:
        graded = entry[1]
        groups[graded.agent, graded.condition, verdict(graded), graded.claim].append(entry)
    return (entry for turn in zip_longest(*groups.values()) for entry in turn if entry is not None)
