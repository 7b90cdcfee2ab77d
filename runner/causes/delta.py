"""Delta debugging: the smallest set of injections that still breaks an episode (Zeller and Hildebrandt 2002, ddmin)."""

from collections.abc import Callable, Iterable, Sequence
from math import ceil

from stressweb.core.injections import Injection

type Breaks = Callable[[frozenset[Injection]], bool]
"""Whether an episode with only these injections fails in the same way."""
type Group = tuple[Injection, ...]


def smallest(injections: Iterable[Injection], breaks: Breaks) -> frozenset[Injection]:
    """Return a set of injections that breaks the episode; without any one of them it does not.

    All of `injections` together are known to break. They are tried in groups first, by the first word of their names,
    then by the first two, and so on: what a whole mode does not cause, none of its injections does. The set is minimal
    whether or not more injections always break more; if they do not, another set may be smaller.
    """
    # All injections in one group: that is known to break, so no episode is needed.
    groups: list[Group] = [tuple(dict.fromkeys(injections))]
    depth = max((len(injection) for injection in groups[0]), default=0)
    for size in range(1, depth + 1):
        finer = _grouped([injection for group in groups for injection in group], size)
        # If no group splits at this level, the same groups were tried before.
        if len(finer) > len(groups):
            groups = ddmin(finer, lambda some: breaks(frozenset(injection for group in some for injection in group)))
    return frozenset(injection for group in groups for injection in group)


def ddmin[T](parts: Sequence[T], breaks: Callable[[Sequence[T]], bool]) -> list[T]:
    """Return some of `parts` that break together, but not without any one of them; all together are known to break.

    At most n^2 + 3n tests of n parts, and about 2 log2(n) if a single part breaks.
    """
    left, chunks = list(parts), 2
    while len(left) > 1:
        size = ceil(len(left) / chunks)
        pieces = [left[start : start + size] for start in range(0, len(left), size)]
        failing = next((piece for piece in pieces if breaks(piece)), None)
        if failing is not None:
            left, chunks = failing, 2
            continue
        # With two pieces, the rest of each is the other one, which was tried already.
        rests = (
            [[*left[: index * size], *left[(index + 1) * size :]] for index in range(len(pieces))]
            if len(pieces) > 2
            else []
        )
        failing = next((rest for rest in rests if breaks(rest)), None)
        if failing is not None:
            # One chunk less keeps the size of the pieces: the other pieces were already tried.
            left, chunks = failing, max(len(pieces) - 1, 2)
        elif size == 1:
            break
        else:
            chunks = min(2 * chunks, len(left))
    return left


def _grouped(injections: Iterable[Injection], size: int) -> list[Group]:
    groups: dict[Injection, list[Injection]] = {}
    for injection in injections:
        groups.setdefault(injection[:size], []).append(injection)
    return [tuple(group) for group in groups.values()]
