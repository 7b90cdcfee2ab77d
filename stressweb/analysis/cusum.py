"""A control chart over nights: it adds up declines that are too small for a single night's test.

Page's one-sided cumulative sum (1954, Biometrika 41, 100-115) of the normal scores of the nights' tests. `REFERENCE` is
the shortfall of a night that is ignored, `THRESHOLD` the sum above which a night is suspected.
"""

from math import sqrt

from scipy.special import ndtri

from stressweb.analysis.statistics import ALPHA

REFERENCE = 1.25
"""The ignored shortfall, in standard deviations of a night's score. All nights are compared with the same baseline,
whose random error affects every night; a smaller reference would add it up."""
THRESHOLD = 1.5
"""The sum that is suspected, in the same unit. `scripts/nightly_simulator.py` measures the rate of false alarms."""
LASTING = REFERENCE / 2
"""In the same unit: a night with a larger shortfall is evidence for a lasting regression, any other night against it.
It is halfway between an unchanged agent and the smallest decline that the chart reliably finds."""
RECOVERED = 2.25
"""The sum above which a regression counts as gone. At most 5 % of lasting declines of 20 points are closed within
`NIGHTS` nights, as measured by `scripts/nightly_simulator.py`."""
BEST = 1.0
"""The highest score that counts for the end of a regression, so that a single lucky night cannot raise the sum above
`RECOVERED`."""
NIGHTS = 90
"""Nights per accepted false alarm, for both lines of an agent together."""


type Both = tuple[float, float]
"""A figure for each line of an agent: robustness, then clean."""


def score(change: float | None, p_value: float | None) -> float:
    """Return the normal score of a night's two-sided test: negative for a decline; 0 without data or difference."""
    if change is None or p_value is None or change == 0 or p_value >= 1:
        return 0.0
    # The score is the normal quantile of one tail, which has half of the two-sided p-value.
    size = -float(ndtri(p_value / 2))
    return size if change > 0 else -size


def added(totals: Both, night: Both) -> Both:
    """Return the new totals after a night with these scores."""
    return max(0.0, totals[0] - night[0] - REFERENCE), max(0.0, totals[1] - night[1] - REFERENCE)


def suspected(totals: Both, night: Both) -> bool:
    """Whether a night must be rerun: a total is too high, or the night's test finds a decline.

    `totals` are those after the night; `night` are its scores.
    """
    # The last term is for rounding errors at a p-value of exactly 0.05.
    return max(totals) > THRESHOLD or min(night) <= float(ndtri(ALPHA / 2)) + 1e-9


def confirmed(totals: Both, rerun: Both) -> bool:
    """Whether a suspicion is an alarm: a total is above the threshold, and the rerun is worse than the baseline, too.

    `totals` are those after the rerun; `rerun` are its scores.
    """
    # Line by line: a shortfall in robustness does not confirm a high total of clean.
    return any(total > THRESHOLD and rerun_score < 0 for total, rerun_score in zip(totals, rerun, strict=True))


def carried_over(totals: Both, *, alarm: bool) -> Both:
    """Return the totals for the next night: an alarm resets them, a rerun without shortfall caps them."""
    # Without the cap, a total far above the threshold would trigger reruns on the next nights, too.
    return (0.0, 0.0) if alarm else (min(totals[0], THRESHOLD), min(totals[1], THRESHOLD))


def recovery(total: float, score: float, size: float = 1.0) -> float:
    """Return the new sum of evidence against a lasting regression, after a run with this score.

    `size` is the number of units of the run's test divided by that of the alarm's: a run of a few tasks could not show
    the decline, so it is little evidence for its end.
    """
    # The expected score of a lasting decline is proportional to the square root of the units, and so is the evidence.
    weight = min(1.0, sqrt(size))
    return max(0.0, total + weight * (min(score, BEST) + weight * LASTING))
