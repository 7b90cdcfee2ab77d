"""A control chart over nights: it adds up declines that are too small to show in a single night.

Page's one-sided cumulative sum (1954, Biometrika 41, 100-115) of normal scores of the night's test. `REFERENCE` is the
shortfall of a night that is ignored, `THRESHOLD` the sum above which the chart raises suspicion.
"""

from math import sqrt

from scipy.stats import norm

from stressweb.analysis.statistics import ALPHA

REFERENCE = 1.25
"""In standard deviations of a night's score. All nights are compared with the same baseline, whose own luck affects
every night: a smaller reference would add it up."""
THRESHOLD = 1.5
"""In the same unit. `scripts/nightly_simulator.py` measures the resulting rate of false alarms."""
LASTING = REFERENCE / 2
"""In the same unit: a night with a larger shortfall is evidence for a lasting regression, any other one against it.
Halfway between an unchanged agent and the smallest decline that the chart surely finds."""
RECOVERED = 2.25
"""The sum above which a regression counts as gone. At most 5 % of the lasting declines of 20 points are closed within
`NIGHTS` nights, as `scripts/nightly_simulator.py` measures."""
BEST = 1.0
"""The highest score that counts for the end of a regression, so that no single lucky night brings the sum above
`RECOVERED`."""
NIGHTS = 90
"""Nights per accepted false alarm, for both lines of an agent together."""


type Both = tuple[float, float]
"""A figure for each line of an agent: robustness, then clean."""


def score(change: float | None, p_value: float | None) -> float:
    """Return the normal score of a night's two-sided test: negative for a decline; 0 without data or difference."""
    if change is None or p_value is None or change == 0 or p_value >= 1:
        return 0.0
    # Half of a two-sided p-value is in either tail: the score is the normal quantile of that tail.
    size = float(norm.isf(p_value / 2))
    return size if change > 0 else -size


def added(totals: Both, night: Both) -> Both:
    """Return the new totals after a night with these scores."""
    return max(0.0, totals[0] - night[0] - REFERENCE), max(0.0, totals[1] - night[1] - REFERENCE)


def suspected(totals: Both, night: Both) -> bool:
    """Whether a night must be rerun: a total is too high, or the night's test finds a decline.

    `totals` are those after the night, and `night` its scores.
    """
    # The last term is for a p-value of exactly 0.05, whose score may differ in its last bit.
    return max(totals) > THRESHOLD or min(night) <= -float(norm.isf(ALPHA / 2)) + 1e-9


def confirmed(totals: Both, rerun: Both) -> bool:
    """Whether a suspicion is an alarm: a total is above the threshold, and the rerun fell short of the baseline too.

    `totals` are those after the rerun, and `rerun` its scores.
    """
    # On the same line: a shortfall of the rerun in robustness does not confirm a high sum of clean.
    return any(total > THRESHOLD and again < 0 for total, again in zip(totals, rerun, strict=True))


def carried_over(totals: Both, *, alarm: bool) -> Both:
    """Return the totals for the next night: an alarm resets them, a rerun without shortfall caps them."""
    # Without the cap, a sum far above the threshold would trigger reruns on the next nights despite this rerun.
    return (0.0, 0.0) if alarm else (min(totals[0], THRESHOLD), min(totals[1], THRESHOLD))


def recovery(total: float, score: float, size: float = 1.0) -> float:
    """Return the new sum of evidence against a lasting regression, after a run with this score.

    `size` is the number of units of the run's test divided by that of the alarm: a run of a few tasks, which could not
    show the decline either, is little evidence for its end.
    """
    # A lasting decline's score grows with the square root of the units. A run's evidence for one mean of its score and
    # against another is proportional to it.
    weight = min(1.0, sqrt(size))
    return max(0.0, total + weight * (min(score, BEST) + weight * LASTING))
