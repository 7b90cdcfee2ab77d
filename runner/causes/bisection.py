"""Finds the breaking point of a deterministic agent by bisecting the draws that its episodes meet."""

from collections.abc import Callable
from math import ceil, inf, log2
from typing import NamedTuple


class Trial(NamedTuple):
    """An episode at a rate: whether it passed, and the draws that it met. Draws below the rate were disturbed."""

    passed: bool
    draws: frozenset[float]


class BreakingPoint(NamedTuple):
    """The rate above which an agent fails."""

    passes_to: float
    """The highest rate at which the agent is known to pass; infinite if at every rate, -1 if at none."""
    fails_from: float
    """The lowest rate above which the agent is known to fail; equal to `passes_to` if the point is exact."""
    monotone: bool
    """False if the agent passes at a higher rate than one at which it fails."""
    runs: int
    draws: int
    """Number of draws below the highest rate that its episodes met."""

    @property
    def exact(self) -> bool:
        """Whether there is no untried rate between passing and failing."""
        return self.passes_to >= self.fails_from


class _Attempt(NamedTuple):
    previous_draw: float
    next_draw: float
    passed: bool


def breaking_point(play: Callable[[float], Trial], top: float) -> BreakingPoint:
    """Return the rate, up to `top`, above which an agent fails, in at most 2 + ceil(log2(K + 1)) runs for K draws met.

    An episode only changes with the rate at draws that it meets, so it is the same at every rate between two
    neighbouring draws. If a run remains, it tests the middle of the widest untried range, to check that more
    disturbance never helps.
    """
    return _Bisection(play, top).run()


class _Bisection:
    def __init__(self, play: Callable[[float], Trial], top: float) -> None:
        self._play, self._top = play, top
        self._attempts: list[_Attempt] = []
        self._draws: set[float] = set()

    def run(self) -> BreakingPoint:
        if not self._try(0.0).passed:
            return self._point(-1.0, 0.0)
        if self._try(self._top).passed:
            self._probe()
            return self._point(inf, inf)
        # The first run was undisturbed and passed, the second was at the top and failed.
        passes, fails = self._attempts[0].next_draw, self._attempts[1].previous_draw
        while passes < fails and len(self._attempts) < self._max_runs:
            # Never empty, because `fails` is a draw. A rate equal to a draw disturbs only smaller draws.
            draws_between = sorted(draw for draw in self._draws if passes < draw <= fails)
            attempt = self._try(draws_between[len(draws_between) // 2])
            passes, fails = (
                (max(passes, attempt.next_draw), fails)
                if attempt.passed
                else (passes, min(fails, attempt.previous_draw))
            )
        if passes >= fails:
            self._probe()
        return self._point(passes, max(fails, passes))

    @property
    def _max_runs(self) -> int:
        return 2 + ceil(log2(len(self._draws) + 1))

    def _try(self, rate: float) -> _Attempt:
        trial = self._play(rate)
        # Draws at or above the top are never disturbed.
        self._draws.update(draw for draw in trial.draws if draw < self._top)
        previous_draw = max((draw for draw in trial.draws if draw < rate), default=-1.0)
        next_draw = min((draw for draw in trial.draws if draw >= rate), default=inf)
        self._attempts.append(_Attempt(previous_draw, next_draw, trial.passed))
        return self._attempts[-1]

    def _probe(self) -> None:
        """Try the middle of the untried rates, if a run remains."""
        untried = sorted(
            draw
            for draw in self._draws
            if not any(attempt.previous_draw < draw <= attempt.next_draw for attempt in self._attempts)
        )
        if untried and len(self._attempts) < self._max_runs:
            self._try(untried[len(untried) // 2])

    def _point(self, passes: float, fails: float) -> BreakingPoint:
        failed = [attempt.previous_draw for attempt in self._attempts if not attempt.passed]
        passed = [attempt.next_draw for attempt in self._attempts if attempt.passed]
        # A pass holds for all rates up to the next draw, a failure for all rates above the previous one.
        monotone = not failed or not passed or min(failed) >= max(passed)
        return BreakingPoint(passes, fails, monotone, len(self._attempts), len(self._draws))
