"""How much disturbance an agent that is not deterministic survives: an adaptive estimate over tasks.

Its episodes differ, so no single task has a breaking point. A logistic curve over severity is fitted as the episodes
come in, by Bayes on a grid, and each episode is played where it is most informative: at the severity nearest to the
threshold (Watson and Pelli 1983, QUEST).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HALF_WIDTH = 0.5
"""Half the width, in severities, of the 95 % interval of the threshold at which the estimate is good enough."""
MOST_EPISODES = 100
_SEVERITIES = (1, 2, 3, 4, 5)
_THRESHOLDS = np.linspace(-1, 7, 81)
"""Thresholds that are considered, also beyond the tables, for agents that always fail or never do."""
_SPREADS = np.array((0.25, 0.5, 1.0, 2.0, 4.0))
"""How many severities it takes from passing to failing."""


class Left(NamedTuple):
    """The share of episodes that pass at a severity, of the tasks that an agent passes undisturbed."""

    severity: int
    share: float
    low: float
    high: float
    """Bounds of the 95 % interval."""


class Estimate(NamedTuple):
    """Survival over severity."""

    left: tuple[Left, ...]
    episodes: int
    """Disturbed episodes that were played."""
    half_width: float
    """Of the interval of the threshold, in severities."""


class Posterior:
    """What is known of threshold and spread, as a weight for each pair."""

    def __init__(self) -> None:
        """Know nothing: every pair weighs the same."""
        self._weights = np.full((len(_THRESHOLDS), len(_SPREADS)), 1 / (len(_THRESHOLDS) * len(_SPREADS)))

    def update(self, severity: int, *, passed: bool) -> None:
        """Take in an episode."""
        chance = _passing(severity)
        # Bayes: each pair weighs as much more as it gave a chance to what has happened.
        self._weights = self._weights * (chance if passed else 1 - chance)
        # The mean and the interval take the weights for probabilities.
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


def estimate(play: Callable[[int, int], bool], most: int = MOST_EPISODES, half_width: float = HALF_WIDTH) -> Estimate:
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
    found: NDArray[np.float64] = 1 / (1 + np.exp((severity - _THRESHOLDS[:, None]) / _SPREADS[None, :]))
    return found


def _interval(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    # Values do not come in order, and only in order is the running sum of their weights a distribution.
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    low, high = (int(np.searchsorted(below, at)) for at in (0.025, 0.975))
    ordered: Sequence[float] = values[order].tolist()
    return ordered[low], ordered[min(high, len(ordered) - 1)]
