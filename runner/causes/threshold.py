"""How much disturbance a nondeterministic agent survives: an adaptive estimate over tasks.

Its episodes differ, so no single task has a breaking point. A logistic curve over severity is fitted as the episodes
come in, by Bayes on a grid, and each episode is played where it is most informative: at the severity nearest to the
threshold (Watson and Pelli 1983, QUEST).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HALF_WIDTH = 0.5
"""The estimate ends when half the width of the threshold's 95 % interval is at most this, in severities."""
MAX_EPISODES = 100
_SEVERITIES = (1, 2, 3, 4, 5)
_THRESHOLDS = np.linspace(-1, 7, 81)
"""Candidate thresholds, also beyond the tables, for agents that always or never fail."""
_SPREADS = np.array((0.25, 0.5, 1.0, 2.0, 4.0))
"""Candidate widths of the transition from passing to failing, in severities."""


class Left(NamedTuple):
    """The share of episodes that pass at a severity, of the tasks that an agent passes undisturbed."""

    severity: int
    share: float
    low: float
    high: float
    """Bounds of the 95 % interval."""


class Estimate(NamedTuple):
    """Share of episodes that pass, by severity."""

    left: tuple[Left, ...]
    episodes: int
    """Disturbed episodes that were played."""
    half_width: float
    """Half the width of the threshold's interval, in severities."""


class Posterior:
    """Posterior of threshold and spread: a weight for each pair."""

    def __init__(self) -> None:
        """Start with equal weights."""
        self._weights = np.full((len(_THRESHOLDS), len(_SPREADS)), 1 / (len(_THRESHOLDS) * len(_SPREADS)))

    def update(self, severity: int, *, passed: bool) -> None:
        """Update with the outcome of an episode."""
        chance = _passing(severity)
        # Bayes: multiply the weight of each pair by its likelihood of this outcome.
        self._weights = self._weights * (chance if passed else 1 - chance)
        # The mean and the interval need weights that sum to 1.
        self._weights /= self._weights.sum()

    @property
    def nearest(self) -> int:
        """The severity nearest to the mean threshold."""
        mean = float(_THRESHOLDS @ self._weights.sum(axis=1))
        return min(_SEVERITIES, key=lambda severity: abs(severity - mean))

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval of the threshold."""
        low, high = _interval(_THRESHOLDS, self._weights.sum(axis=1))
        return (high - low) / 2

    def left(self, severity: int) -> Left:
        """Return the share that passes at a severity."""
        chance = _passing(severity)
        return Left(severity, float((chance * self._weights).sum()), *_interval(chance.ravel(), self._weights.ravel()))


def estimate(play: Callable[[int, int], bool], most: int = MAX_EPISODES, half_width: float = HALF_WIDTH) -> Estimate:
    """Return survival over severity; `play` gets a severity and the number of the episode, and says whether it passed.

    Ends when the threshold is known well enough, or after `most` episodes.
    """
    known = Posterior()
    episodes = 0
    while episodes < most and known.half_width > half_width:
        severity = known.nearest
        known.update(severity, passed=play(severity, episodes))
        episodes += 1
    return Estimate(tuple(known.left(severity) for severity in _SEVERITIES), episodes, known.half_width)


def _passing(severity: int) -> NDArray[np.float64]:
    """Return the chance to pass at a severity, for every threshold and spread."""
    # One half at the threshold itself, nearly 1 far below it and nearly 0 far above.
    chances: NDArray[np.float64] = 1 / (1 + np.exp((severity - _THRESHOLDS[:, None]) / _SPREADS[None, :]))
    return chances


def _interval(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    # The running sum of the weights is a distribution only over sorted values.
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    low, high = (int(np.searchsorted(below, quantile)) for quantile in (0.025, 0.975))
    ordered: Sequence[float] = values[order].tolist()
    return ordered[low], ordered[min(high, len(ordered) - 1)]
