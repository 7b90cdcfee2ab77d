"""An adaptive estimate of how much disturbance a nondeterministic agent survives, over tasks.

Its episodes vary, so no single task has a breaking point. After each episode, a logistic curve over severity is fitted
by Bayesian inference on a grid, and the next episode is played where it is most informative: at the severity nearest to
the threshold (QUEST; Watson and Pelli 1983).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HALF_WIDTH = 0.5
"""Half width of the threshold's 95 % interval at which the estimate ends, in severities."""
MAX_EPISODES = 100
_SEVERITIES = (1, 2, 3, 4, 5)
_THRESHOLDS = np.linspace(-1, 7, 81)
"""Candidate thresholds, also beyond the severities, for agents that always or never fail."""
_SPREADS = np.array((0.25, 0.5, 1.0, 2.0, 4.0))
"""Candidate widths of the transition from passing to failing, in severities."""


class Left(NamedTuple):
    """The share of episodes that pass at a severity, for tasks that the agent passes undisturbed."""

    severity: int
    share: float
    low: float
    high: float
    """Bounds of the 95 % interval."""


class Estimate(NamedTuple):
    """Share of episodes that pass, by severity."""

    left: tuple[Left, ...]
    episodes: int
    """Number of disturbed episodes played."""
    half_width: float
    """Half width of the threshold's 95 % interval, in severities."""


class Posterior:
    """The posterior distribution of threshold and spread: a weight for each pair."""

    def __init__(self) -> None:
        """Start with equal weights."""
        self._weights = np.full((len(_THRESHOLDS), len(_SPREADS)), 1 / (len(_THRESHOLDS) * len(_SPREADS)))

    def update(self, severity: int, *, passed: bool) -> None:
        """Update with the outcome of an episode."""
        chance = _passing(severity)
        # Multiply each weight by the likelihood of the outcome, and normalise.
        self._weights = self._weights * (chance if passed else 1 - chance)
        self._weights /= self._weights.sum()

    @property
    def nearest(self) -> int:
        """The severity nearest to the mean threshold."""
        mean = float(_THRESHOLDS @ self._weights.sum(axis=1))
        return min(_SEVERITIES, key=lambda severity: abs(severity - mean))

    @property
    def half_width(self) -> float:
        """Half width of the threshold's 95 % interval."""
        low, high = _interval(_THRESHOLDS, self._weights.sum(axis=1))
        return (high - low) / 2

    def left(self, severity: int) -> Left:
        """Return the share of episodes that pass at a severity."""
        chance = _passing(severity)
        return Left(severity, float((chance * self._weights).sum()), *_interval(chance.ravel(), self._weights.ravel()))


def estimate(play: Callable[[int, int], bool], most: int = MAX_EPISODES, half_width: float = HALF_WIDTH) -> Estimate:
    """Return the estimated shares by severity.

    `play` takes a severity and an episode number, and returns whether the episode passed. Ends when the threshold's
    half width is at most `half_width`, or after `most` episodes.
    """
    known = Posterior()
    episodes = 0
    while episodes < most and known.half_width > half_width:
        severity = known.nearest
        known.update(severity, passed=play(severity, episodes))
        episodes += 1
    return Estimate(tuple(known.left(severity) for severity in _SEVERITIES), episodes, known.half_width)


def _passing(severity: int) -> NDArray[np.float64]:
    """Return the probability of passing at a severity, for every threshold and spread."""
    # 0.5 at the threshold, nearly 1 far below it, nearly 0 far above.
    chances: NDArray[np.float64] = 1 / (1 + np.exp((severity - _THRESHOLDS[:, None]) / _SPREADS[None, :]))
    return chances


def _interval(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    # Sorted, so that the cumulative sum of the weights is a distribution function.
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    low, high = (int(np.searchsorted(below, quantile)) for quantile in (0.025, 0.975))
    ordered: Sequence[float] = values[order].tolist()
    return ordered[low], ordered[min(high, len(ordered) - 1)]
