"""Delta debugging: the smallest set of injections that still breaks an episode (Zeller and Hildebrandt 2002, ddmin)."""

from collections.abc import Callable, Iterable, Sequence
from math import ceil

from stressweb.core.injections import Injection

type Breaks = Callable[[frozenset[Injection]], bool]
"""Whether an episode with only these injections fails in the same way."""
type Group = tuple[Injection, ...]


def smallest(injections: Iterable[Injection], breaks: Breaks) -> frozenset[Injection]:
    """Return a minimal set of injections that breaks the episode: without any one of them, the rest does not.

    All of `injections` together are known to break it. They are tried in groups first, by the first part of their
    names, then by the first two, and so on, since whole modes can often be excluded. If breaking is not monotone,
    another set may be smaller.
    """
    # All injections in one group are known to break the episode.
    groups: list[Group] = [tuple(dict.fromkeys(injections))]
    depth = max((len(injection) for injection in groups[0]), default=0)
    for size in range(1, depth + 1):
        finer = _grouped([injection for group in groups for injection in group], size)
        # If no group splits at this level, these groups were already tried.
        if len(finer) > len(groups):
            groups = ddmin(finer, lambda some: breaks(frozenset(injection for group in some for injection in group)))
    return frozenset(injection for group in groups for injection in group)


def ddmin[T](parts: Sequence[T], breaks: Callable[[Sequence[T]], bool]) -> list[T]:
    """Return a minimal subset of `parts` that breaks; all together are known to break.

    Takes at most n^2 + 3n tests for n parts, and about 2 log2(n) if a single part breaks.
    """
    subset, chunks = list(parts), 2
    while len(subset) > 1:
        size = ceil(len(subset) / chunks)
        pieces = [subset[start : start + size] for start in range(0, len(subset), size)]
        failing = next((piece for piece in pieces if breaks(piece)), None)
        if failing is not None:
            subset, chunks = failing, 2
            continue
        # With two pieces, the complement of each is the other one, which was tried.
        complements = (
            [[*subset[: index * size], *subset[(index + 1) * size :]] for index in range(len(pieces))]
            if len(pieces) > 2
            else []
        )
        failing = next((complement for complement in complements if breaks(complement)), None)
        if failing is not None:
            # One chunk less, to keep the size of the pieces.
            subset, chunks = failing, max(len(pieces) - 1, 2)
        elif size == 1:
            break
        else:
            chunks = min(2 * chunks, len(subset))
    return subset


def _grouped(injections: Iterable[Injection], size: int) -> list[Group]:
    groups: dict[Injection, list[Injection]] = {}
    for injection in injections:
        groups.setdefault(injection[:size], []).append(injection)
    return [tuple(group) for group in groups.values()]
