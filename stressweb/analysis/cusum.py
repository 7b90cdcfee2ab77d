"""A chart over nights: it adds up declines that are too small to show in a single night.

Page's one-sided cumulative sum (1954, Biometrika 41, 100-115) of normal scores of the night's test. `REFERENCE` is what
a night must fall short by before anything is added, `THRESHOLD` the sum above which the chart raises suspicion.
"""

from math import sqrt

from scipy.stats import norm

from stressweb.analysis.statistics import ALPHA

REFERENCE = 1.25
"""In standard deviations of a night's score. All nights are compared with the same baseline, whose own luck is in every
night: a smaller reference would add it up."""
THRESHOLD = 1.5
"""In the same unit. `scripts/nightly_simulator.py` measures how many false alarms come of it."""
LASTING = REFERENCE / 2
"""In the same unit: a night that falls short by more than this speaks for a regression that lasts, any other one
against it. Halfway between an agent that is as before and the smallest decline that the chart finds for sure."""
RECOVERED = 2.25
"""The sum above which a regression counts as gone. At most 5 % of the lasting declines of 20 points are closed within
`NIGHTS` nights, as `scripts/nightly_simulator.py` measures."""
BEST = 1.0
"""The highest score that counts for the end of a regression: a night that is luckier says no more, so that no night
alone brings the sum above `RECOVERED`."""
NIGHTS = 90
"""Nights in which one false alarm is accepted, over both lines of an agent together."""


type Both = tuple[float, float]
"""A figure of each line of an agent: of robustness, then of clean."""


def score(change: float | None, p_value: float | None) -> float:
    """Return the normal score of a night's two-sided test: negative for a decline; 0 without data or difference."""
    if change is None or p_value is None or change == 0 or p_value >= 1:
        return 0.0
    # Half of a two-sided p-value lies in either tail: the score is how far out a normal value of that tail would be.
    size = float(norm.isf(p_value / 2))
    return size if change > 0 else -size


def added(totals: Both, night: Both) -> Both:
    """Return the new totals after a night of these scores."""
    return max(0.0, totals[0] - night[0] - REFERENCE), max(0.0, totals[1] - night[1] - REFERENCE)


def suspected(totals: Both, night: Both) -> bool:
    """Whether a night must be rerun before anything is said: a total is too high, or the night's test finds a decline.

    `totals` are those after the night, and `night` its scores.
    """
    # The last term is for a p-value of just 0.05, whose score may differ in its last bit from the level's.
    return max(totals) > THRESHOLD or min(night) <= -float(norm.isf(ALPHA / 2)) + 1e-9


def confirmed(totals: Both, rerun: Both) -> bool:
    """Whether a suspicion is an alarm: a total is above the threshold, and the rerun fell short of the baseline, too.

    `totals` are those after the rerun, and `rerun` its scores.
    """
    # On the same line: a rerun that falls short in robustness does not confirm a high sum of clean.
    return any(total > THRESHOLD and again < 0 for total, again in zip(totals, rerun, strict=True))


def carried_over(totals: Both, *, alarm: bool) -> Both:
    """Return the totals with which the next night begins: an alarm starts anew, a rerun that was fine caps them."""
    # Without the cap, a sum far above the threshold would make the next nights run twice although this rerun was fine.
    return (0.0, 0.0) if alarm else (min(totals[0], THRESHOLD), min(totals[1], THRESHOLD))


def recovery(total: float, score: float, size: float = 1.0) -> float:
    """Return the new sum that speaks against a lasting regression, after a run of this score.

    `size` is the number of units of the run's test divided by that of the alarm: a run of a few tasks, which could not
    show the decline either, says little about its end.
    """
    # The score by which a lasting decline falls short grows with the square root of the units. What a run says for one
    # mean of its score and against another is in proportion to it.
    weight = min(1.0, sqrt(size))
    return max(0.0, total + weight * (min(score, BEST) + weight * LASTING))
