"""What errors hide: the same episodes with every error gone the worst way, and with every error gone the best way.

No figure that errors leave unknown lies outside of the two (bounds in the manner of Horowitz and Manski 2000, JASA 95,
77-84), however much the errors depend on the outcome.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import Family, Pair, Task, families, paired_tasks
from stressweb.analysis.statistics import Interval, enclosing

type OfEpisodes[R] = Callable[[Sequence[Graded]], R]
type OfPairs[R] = Callable[[Sequence[Pair], Sequence[Family]], R]


class Arms(NamedTuple):
    """The episodes of a condition and of clean, none of them an error."""

    stressed: Sequence[Graded]
    pairs: dict[Task, Pair]

    @property
    def families(self) -> list[Family]:
        """The family of the task of each pair."""
        return families(self.stressed, self.pairs)


class Hidden(NamedTuple):
    """Both extremes of a condition; the same twice if there are no errors.

    There are no intervals and no bounds of what has no estimate, because errors have left nothing of it.
    """

    worst: Arms
    """Every error under the condition is a failure that the agent claims as done, every clean one a success."""
    best: Arms
    """The reverse: under the condition a success that is claimed, under clean a failure."""
    measured: bool
    """Whether any episode of the condition is no error."""
    paired: bool
    """Whether any pair has no error."""
    errors: bool
    """Whether any episode of the condition is an error."""

    @classmethod
    def of(cls, clean: Sequence[Graded], stressed: Sequence[Graded]) -> Self:
        """Return the extremes of a condition, beside its clean episodes; none for clean itself."""

        def arms(*, gained: bool) -> Arms:
            under = supposed(stressed, success=gained)
            return Arms(under, paired_tasks(supposed(clean, success=not gained), under))

        worst = arms(gained=False)
        own = sum(not episode.counts for episode in stressed)
        errors = own or any(not episode.counts for episode in clean)
        return cls(
            worst=worst,
            best=arms(gained=True) if errors else worst,
            measured=own < len(stressed),
            paired=bool(paired_tasks(clean, stressed)) if errors else bool(worst.pairs),
            errors=own > 0,
        )

    def interval(self, of: OfEpisodes[Interval | None]) -> Interval | None:
        """Return the interval of a figure of the condition, whatever the errors hide."""
        # Nothing was measured, so nothing is known.
        if not self.measured:
            return of([])
        worst = of(self.worst.stressed)
        return worst if self.best is self.worst else enclosing(worst, of(self.best.stressed))

    def bounds(self, of: OfEpisodes[float | None]) -> Interval | None:
        """Return the smallest and the largest value of a figure of the condition; None without errors of its own."""
        if not (self.measured and self.errors):
            return None
        return _between(of(self.worst.stressed), of(self.best.stressed))

    def paired_interval(self, of: OfPairs[Interval | None]) -> Interval | None:
        """Return the interval of a figure of pairs with clean, whatever the errors of either arm hide."""
        if not self.paired:
            return None
        worst = of(list(self.worst.pairs.values()), self.worst.families)
        if self.best is self.worst:
            return worst
        return enclosing(worst, of(list(self.best.pairs.values()), self.best.families))

    def paired_bounds(self, of: Callable[[Sequence[Pair]], float | None]) -> Interval | None:
        """Return the smallest and the largest value of a figure of pairs with clean; None without errors."""
        if self.best is self.worst or not self.paired:
            return None
        return _between(of(list(self.worst.pairs.values())), of(list(self.best.pairs.values())))


def supposed(episodes: Sequence[Graded], *, success: bool) -> list[Graded]:
    """Return episodes with every error as a claimed success, or as a failure that is claimed all the same."""
    same = {"status": "done", "claim": "done", "success": success, "checkpoints_passed": int(success)}
    # An error has no grade, so it does not know how many checkpoints its task has.
    outcome = {**same, "checkpoints_total": 1}
    return [episode.model_copy(update=outcome) if not episode.counts else episode for episode in episodes]


def _between(first: float | None, second: float | None) -> Interval | None:
    return None if first is None or second is None else Interval(min(first, second), max(first, second))
