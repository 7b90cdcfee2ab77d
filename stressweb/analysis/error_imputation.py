"""Bounds for figures with errors: every error counted the worst way, and every error counted the best way.

The figure without errors is within these bounds, however much errors depend on the outcome (like the bounds of Horowitz
and Manski 2000, JASA 95, 77-84).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import Family, Pair, Task, families, paired_tasks
from stressweb.analysis.statistics import Interval, enclosing

type OfEpisodes[R] = Callable[[Sequence[Graded]], R]
type OfPairs[R] = Callable[[Sequence[Pair], Sequence[Family]], R]


class Arms(NamedTuple):
    """The episodes of a condition and of clean, with errors replaced."""

    stressed: Sequence[Graded]
    pairs: dict[Task, Pair]

    @property
    def families(self) -> list[Family]:
        """The family of the task of each pair."""
        return families(self.stressed, self.pairs)


class ErrorImputation(NamedTuple):
    """Both extremes of a condition; equal without errors.

    If all episodes are errors, there is no estimate and so no interval and no bounds.
    """

    worst: Arms
    """Every error under the condition counts as a failure claimed as done, every clean error as a success."""
    best: Arms
    """Every error under the condition counts as a success claimed as done, every clean error as a failure."""
    any_measured: bool
    """Whether any episode of the condition is not an error."""
    any_pair_measured: bool
    """Whether any pair has no error."""
    any_error: bool
    """Whether any episode of the condition is an error."""

    @classmethod
    def of(cls, clean: Sequence[Graded], stressed: Sequence[Graded]) -> Self:
        """Return the extremes of a condition; `clean` are its clean episodes, none for clean itself."""

        def arms(*, errors_succeed: bool) -> Arms:
            stressed_arm = with_errors_replaced(stressed, success=errors_succeed)
            return Arms(
                stressed_arm, paired_tasks(with_errors_replaced(clean, success=not errors_succeed), stressed_arm)
            )

        worst = arms(errors_succeed=False)
        error_count = sum(not episode.counts for episode in stressed)
        any_error = error_count or any(not episode.counts for episode in clean)
        return cls(
            worst=worst,
            best=arms(errors_succeed=True) if any_error else worst,
            any_measured=error_count < len(stressed),
            any_pair_measured=bool(paired_tasks(clean, stressed)) if any_error else bool(worst.pairs),
            any_error=error_count > 0,
        )

    def widest_interval(self, figure: OfEpisodes[Interval | None]) -> Interval | None:
        """Return the interval of a figure of the condition, covering all possible outcomes of errors."""
        # Nothing was measured, so nothing is known.
        if not self.any_measured:
            return figure([])
        worst = figure(self.worst.stressed)
        return worst if self.best is self.worst else enclosing(worst, figure(self.best.stressed))

    def worst_and_best(self, figure: OfEpisodes[float | None]) -> Interval | None:
        """Return the smallest and largest value of a figure of the condition; None without errors in the condition."""
        if not (self.any_measured and self.any_error):
            return None
        return _ordered_interval(figure(self.worst.stressed), figure(self.best.stressed))

    def widest_paired_interval(self, figure: OfPairs[Interval | None]) -> Interval | None:
        """Return the interval of a figure of pairs with clean, covering all possible outcomes of errors in either
        arm."""
        if not self.any_pair_measured:
            return None
        worst = figure(list(self.worst.pairs.values()), self.worst.families)
        if self.best is self.worst:
            return worst
        return enclosing(worst, figure(list(self.best.pairs.values()), self.best.families))

    def worst_and_best_of_pairs(self, figure: Callable[[Sequence[Pair]], float | None]) -> Interval | None:
        """Return the smallest and largest value of a figure of pairs with clean; None without errors."""
        if self.best is self.worst or not self.any_pair_measured:
            return None
        return _ordered_interval(figure(list(self.worst.pairs.values())), figure(list(self.best.pairs.values())))


def with_errors_replaced(episodes: Sequence[Graded], *, success: bool) -> list[Graded]:
    """Return episodes with every error replaced by a success or failure, claimed as done."""
    same = {"status": "done", "claim": "done", "success": success, "checkpoints_passed": int(success)}
    # An error has no grade, so the number of its task's checkpoints is unknown.
    outcome = {**same, "checkpoints_total": 1}
    return [episode.model_copy(update=outcome) if not episode.counts else episode for episode in episodes]


def _ordered_interval(first: float | None, second: float | None) -> Interval | None:
    return None if first is None or second is None else Interval(min(first, second), max(first, second))
