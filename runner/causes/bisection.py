"""The breaking point of a deterministic agent, by bisecting the draws that its episodes meet."""

from collections.abc import Callable
from math import ceil, inf, log2
from typing import NamedTuple


class Way(NamedTuple):
    """An episode at one rate: whether it passed, and the draws that it met. Draws below the rate were disturbed."""

    passed: bool
    draws: frozenset[float]


class BreakingPoint(NamedTuple):
    """From which rate on an agent fails."""

    passes_to: float
    """The highest rate up to which it is known to pass; infinite if it passes at every rate, -1 if at none."""
    fails_from: float
    """It is known to fail at every rate above this one; equal to `passes_to` if the point is exact."""
    monotone: bool
    """False if it passes at a higher rate than one at which it fails."""
    runs: int
    draws: int
    """How many draws below the highest rate its ways met."""

    @property
    def exact(self) -> bool:
        """Whether no rate is left between passing and failing."""
        return self.passes_to >= self.fails_from


class _Known(NamedTuple):
    above: float
    to: float
    passed: bool


def breaking_point(play: Callable[[float], Way], top: float) -> BreakingPoint:
    """Return from which rate on, up to `top`, an agent fails, in at most 2 + ceil(log2(K + 1)) runs for K draws met.

    A rate changes an episode only at a draw that the episode meets, so an episode is the same at every rate between the
    two nearest of its draws. If a run is left, it goes where most draws are untried, to check that more disturbance
    never helps.
    """
    return _Bisection(play, top).run()


class _Bisection:
    def __init__(self, play: Callable[[float], Way], top: float) -> None:
        self._play, self._top = play, top
        self._known: list[_Known] = []
        self._draws: set[float] = set()

    def run(self) -> BreakingPoint:
        if not self._try(0.0).passed:
            return self._point(-1.0, 0.0)
        if self._try(self._top).passed:
            self._probe()
            return self._point(inf, inf)
        # The first run was undisturbed and passed, the second was at the top and failed.
        passes, fails = self._known[0].to, self._known[1].above
        while passes < fails and len(self._known) < self._most:
            # There is always one, because `fails` is a draw itself. Draws below the rate are disturbed: at a rate that
            # equals a draw, all smaller ones are, and this one is not.
            between = sorted(one for one in self._draws if passes < one <= fails)
            found = self._try(between[len(between) // 2])
            passes, fails = (max(passes, found.to), fails) if found.passed else (passes, min(fails, found.above))
        if passes >= fails:
            self._probe()
        return self._point(passes, max(fails, passes))

    @property
    def _most(self) -> int:
        return 2 + ceil(log2(len(self._draws) + 1))

    def _try(self, rate: float) -> _Known:
        way = self._play(rate)
        # A draw at the top or above it is disturbed at no rate that may be tried.
        self._draws.update(one for one in way.draws if one < self._top)
        above = max((one for one in way.draws if one < rate), default=-1.0)
        to = min((one for one in way.draws if one >= rate), default=inf)
        self._known.append(_Known(above, to, way.passed))
        return self._known[-1]

    def _probe(self) -> None:
        """Try the rate in the middle of the widest stretch that was never tried, if a run is left for it."""
        untried = sorted(one for one in self._draws if not any(known.above < one <= known.to for known in self._known))
        if untried and len(self._known) < self._most:
            self._try(untried[len(untried) // 2])

    def _point(self, passes: float, fails: float) -> BreakingPoint:
        failed = [one.above for one in self._known if not one.passed]
        passed = [one.to for one in self._known if one.passed]
        # A pass holds for all rates up to the next draw, and a failure for all rates above the last one.
        monotone = not failed or not passed or min(failed) >= max(passed)
        return BreakingPoint(passes, fails, monotone, len(self._known), len(self._draws))
