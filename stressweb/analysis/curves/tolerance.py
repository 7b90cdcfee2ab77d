"""The tolerance of an agent: the severity at which its retention falls below 80 %."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

# SciPy imports `stats` and `optimize` when they are first used, which takes half a second.
import scipy

from stressweb.analysis.curves.estimands import clustered
from stressweb.analysis.curves.joint import Joint
from stressweb.analysis.statistics import FEWEST, LEVEL, Families, Floats, deviations, totals

FLOOR = 0.8
"""Share of its clean success that an agent must retain."""
_PARTS = 100
"""Grid points per severity in the search for the ends of an interval."""
_TIE = 1e-9


@dataclass(frozen=True)
class Severity:
    """A point on the scale of severities, or somewhere beyond the severities that were run."""

    value: float
    side: Literal["at", "above", "below"] = "at"
    """Whether it is exactly `value`, or somewhere above or below."""

    def __str__(self) -> str:
        """Return it as text: `2.4`, `> 5`, `< 1`."""
        if self.side == "at":
            return f"{self.value:.1f}"
        return f"{'>' if self.side == 'above' else '<'} {self.value:g}"

    @property
    def rank(self) -> tuple[int, float]:
        """The sort key of severities."""
        return ("below", "at", "above").index(self.side), self.value


@dataclass(frozen=True)
class SeverityInterval:
    """A 95 % interval of a severity; an end beyond the severities that were run is open."""

    low: Severity
    high: Severity

    @property
    def excludes_a_severity(self) -> bool:
        """Whether it excludes any severity that was run; with both ends open it excludes none."""
        return not (self.low.side == "below" and self.high.side == "above")


@dataclass(frozen=True)
class Tolerance:
    """The severity at which an agent's monotone retention falls below `FLOOR`."""

    severity: Severity
    """Interpolated between the severities that were run."""
    curve: list[float]
    """Monotone retention at each severity: it never rises, and never exceeds 1."""
    these_sites: SeverityInterval | None
    """For other tasks of the same sites; None below 5 families of tasks."""
    new_sites: SeverityInterval | None
    """For other sites of the same kind; None below 5 sites."""


def isotonic(retentions: Sequence[float]) -> list[float]:
    """Return the nearest curve, by least squares, that never rises and never exceeds 1 (Barlow et al. 1972)."""
    monotone = scipy.optimize.isotonic_regression(np.asarray(retentions, dtype=np.float64), increasing=False).x
    return [min(1.0, float(value)) for value in monotone]


def crossing(severities: Sequence[int], curve: Sequence[float]) -> Severity:
    """Return the interpolated severity at which a curve that never rises falls below `FLOOR`."""
    # The tolerance is for rounding errors: a retention of exactly 80 % is not below.
    first = next((number for number, value in enumerate(curve) if value < FLOOR - _TIE), None)
    if first is None:
        return Severity(float(severities[-1]), "above")
    if first == 0:
        return Severity(float(severities[0]), "below")
    # Clipped, because a retention that counts as 80 % may be slightly less.
    (left, right), (high, low) = severities[first - 1 : first + 1], curve[first - 1 : first + 1]
    return Severity(left + (right - left) * min(1.0, max(0.0, (high - FLOOR) / (high - low))))


def tolerance(arms: Joint, severities: Sequence[int]) -> Tolerance | None:
    """Return the tolerance with its intervals; None if no task succeeds under clean, or below 2 severities.

    An interval is the inversion of a test, like Fieller's: it contains every severity at which a test of "retention is
    80 %" does not reject. The test rejects if 0 is outside of the interval of the mean of (success - 0.8 clean success)
    over families of tasks, with the added families of `retention_interval`. The interval has its level if true
    retention never rises, because then only the test at the true severity matters. A percentile bootstrap of the
    isotonic curve does not have it: see "curve coverage" in docs/results.md.
    """
    clean = arms.clean.mean(axis=0) if arms.tasks else np.zeros(1)
    if len(severities) < 2 or not clean.all():
        return None
    curve = isotonic((arms.stressed.mean(axis=0) / clean).tolist())
    severity = crossing(severities, curve)
    these_sites = new_sites = None
    if arms.units >= FEWEST:
        # Below 0 if less than 80 % is retained. Unlike a quotient, it is defined for tasks that fail under clean.
        margins = arms.stressed - FLOOR * arms.clean
        these_sites = _including(severity, _over_tasks(margins, severities, arms.families))
        over_sites = clustered(margins, arms.where)
        if over_sites:
            margins_over_sites = _Margins(over_sites.means, over_sites.covariance, over_sites.deviations())
            outer = _zero_crossing(margins_over_sites, severities)
            new_sites = _including(outer.high, _including(outer.low, these_sites))
    return Tolerance(severity, curve, these_sites, new_sites)


class _Margins(NamedTuple):
    """Margins over the floor at each severity: mean, covariance, and half width of intervals in standard errors."""

    means: Floats
    covariance: Floats
    deviations: float


def _over_tasks(margins: Floats, severities: Sequence[int], families: Families) -> SeverityInterval:
    sums, sizes = totals(margins, families)
    # As in `retention_interval`, adds a family that loses all and one that gains all, of mean size. The margins of
    # their tasks are 0 - 0.8 * 1 and 1 - 0.8 * 0.
    ends = np.repeat([[-FLOOR], [1.0]], margins.shape[1], axis=1)
    rows = np.vstack([sums, sizes.mean() * ends])
    covariance = np.atleast_2d(np.cov(rows, rowvar=False)) / rows.shape[0]
    return _zero_crossing(_Margins(rows.mean(axis=0), covariance, deviations(LEVEL)), severities)


def _zero_crossing(margins: _Margins, severities: Sequence[int]) -> SeverityInterval:
    """Return the interval from the first severity with a margin of possibly at most 0 to the last with at least 0."""
    first, last = severities[0], severities[-1]
    grid = np.linspace(first, last, (last - first) * _PARTS + 1)
    # Success between two severities is interpolated, so its mean and variance follow from theirs.
    mixture = np.array([np.interp(grid, severities, unit_vector) for unit_vector in np.eye(len(severities))]).T
    means = mixture @ margins.means
    variance = np.einsum("xs,st,xt->x", mixture, margins.covariance, mixture)
    # If all sites agree, the variance is 0, which rounding may make negative.
    half_widths = margins.deviations * np.sqrt(np.maximum(0.0, variance))
    lost, gained = np.flatnonzero(means - half_widths <= _TIE), np.flatnonzero(means + half_widths >= -_TIE)
    # An end at the edge of the grid may be beyond the severities that were run, so it is open.
    below, above = Severity(float(first), "below"), Severity(float(last), "above")
    low = above if lost.size == 0 else below if lost[0] == 0 else Severity(float(grid[lost[0]]))
    high = below if gained.size == 0 else above if gained[-1] == grid.size - 1 else Severity(float(grid[gained[-1]]))
    return SeverityInterval(low, high)


def _including(severity: Severity, interval: SeverityInterval) -> SeverityInterval:
    """Extend an interval to include a severity."""
    return SeverityInterval(
        min(interval.low, severity, key=lambda end: end.rank), max(interval.high, severity, key=lambda end: end.rank)
    )
