"""The severity that an agent tolerates: where its retention falls below 80 %."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from stressweb.analysis.curves.estimands import clustered
from stressweb.analysis.curves.joint import Joint
from stressweb.analysis.statistics import FEWEST, LEVEL, Families, Floats, deviations, totals

FLOOR = 0.8
"""Share of its clean success that an agent must keep."""
_PARTS = 100
"""Steps of a severity in which ends of an interval are looked for."""
_TIE = 1e-9


@dataclass(frozen=True)
class Severity:
    """A point on the scale of severities, or beyond the severities that were run."""

    value: float
    side: Literal["at", "above", "below"] = "at"
    """Whether it is the value, or lies somewhere above or below it."""

    def __str__(self) -> str:
        """Write it as a person would: `2.4`, `> 5`, `< 1`."""
        if self.side == "at":
            return f"{self.value:.1f}"
        return f"{'>' if self.side == 'above' else '<'} {self.value:g}"

    @property
    def rank(self) -> tuple[int, float]:
        """What severities are compared by."""
        return ("below", "at", "above").index(self.side), self.value


@dataclass(frozen=True)
class SeverityInterval:
    """A 95 % interval of a severity; an end beyond the severities that were run is open."""

    low: Severity
    high: Severity

    @property
    def determined(self) -> bool:
        """Whether it leaves out any severity that was run: with both ends open, the data allow all of them."""
        return not (self.low.side == "below" and self.high.side == "above")


@dataclass(frozen=True)
class Tolerance:
    """Where the retention of an agent, made monotone, falls below `FLOOR`."""

    severity: Severity
    """Interpolated between the severities that were run; 0 is clean, whose retention is 1."""
    curve: list[float]
    """Retention at each severity, made monotone: it never rises, and never exceeds 1."""
    these_sites: SeverityInterval | None
    """For other tasks of the same sites; None below 5 families of tasks."""
    new_sites: SeverityInterval | None
    """For other sites of the same kind; None below 5 sites."""


def isotonic(retentions: Sequence[float]) -> list[float]:
    """Return the nearest curve, by least squares, that never rises and never exceeds 1 (Barlow et al. 1972)."""
    monotone = isotonic_regression(np.asarray(retentions, dtype=np.float64), increasing=False).x
    return [min(1.0, float(value)) for value in monotone]


def crossing(severities: Sequence[int], curve: Sequence[float]) -> Severity:
    """Return where a curve that never rises falls below `FLOOR`, interpolated from severity to severity."""
    # A retention of exactly 80 % has not fallen below it, whatever the last bits of a quotient are.
    under = next((number for number, value in enumerate(curve) if value < FLOOR - _TIE), None)
    if under is None:
        return Severity(float(severities[-1]), "above")
    if under == 0:
        return Severity(float(severities[0]), "below")
    # Clipped because of `_TIE`: a retention that counts as 80 % may be a last bit below it, and the quotient below 0.
    (left, right), (high, low) = severities[under - 1 : under + 1], curve[under - 1 : under + 1]
    return Severity(left + (right - left) * min(1.0, max(0.0, (high - FLOOR) / (high - low))))


def tolerance(arms: Joint, severities: Sequence[int]) -> Tolerance | None:
    """Return the tolerance with its intervals; None if no task succeeds under clean, or below 2 severities.

    An interval holds every severity at which a test of "retention is 80 % here" does not reject: the interval of the
    mean of (success - 0.8 clean success) over families of tasks holds 0 there, with those that `retention_interval`
    adds (inversion, as Fieller's). It holds its level if true retention never rises, because one test decides, that at
    the true severity. A percentile bootstrap of the isotonic curve does not: see "curve coverage" in docs/results.md.
    """
    bottom = arms.clean.mean(axis=0) if arms.tasks else np.zeros(1)
    if len(severities) < 2 or not bottom.all():
        return None
    curve = isotonic((arms.stressed.mean(axis=0) / bottom).tolist())
    severity = crossing(severities, curve)
    these = new = None
    if arms.units >= FEWEST:
        # Below 0 where less than 80 % is left. Unlike a quotient, it has a value for tasks that clean fails, too.
        margins = arms.stressed - FLOOR * arms.clean
        these = _holding(severity, _over_tasks(margins, severities, arms.families))
        over_sites = clustered(margins, arms.where)
        if over_sites:
            around = _Around(over_sites.means, over_sites.covariance, over_sites.deviations())
            outer = _inverted(around, severities)
            new = _holding(outer.high, _holding(outer.low, these))
    return Tolerance(severity, curve, these, new)


class _Around(NamedTuple):
    """Margins over the floor at each severity: centre, covariance, and how many standard errors to go."""

    centre: Floats
    covariance: Floats
    deviations: float


def _over_tasks(margins: Floats, severities: Sequence[int], families: Families) -> SeverityInterval:
    sums, sizes = totals(margins, families)
    # One family that loses all and one that gains all, of mean size, as in `retention_interval`.
    # The margins of their tasks are 0 - 0.8 * 1 and 1 - 0.8 * 0.
    ends = np.repeat([[-FLOOR], [1.0]], margins.shape[1], axis=1)
    rows = np.vstack([sums, sizes.mean() * ends])
    covariance = np.atleast_2d(np.cov(rows, rowvar=False)) / rows.shape[0]
    return _inverted(_Around(rows.mean(axis=0), covariance, deviations(LEVEL)), severities)


def _inverted(around: _Around, severities: Sequence[int]) -> SeverityInterval:
    """Return from the first severity where the margin may be at most 0 to the last where it may be at least 0."""
    first, last = severities[0], severities[-1]
    grid = np.linspace(first, last, (last - first) * _PARTS + 1)
    # Between two severities success is a mixture of both, so its mean and variance follow from theirs.
    mixture = np.array([np.interp(grid, severities, unit_vector) for unit_vector in np.eye(len(severities))]).T
    centre = mixture @ around.centre
    variance = np.einsum("xs,st,xt->x", mixture, around.covariance, mixture)
    # Of sites that agree it is 0, which rounding may make negative.
    half = around.deviations * np.sqrt(np.maximum(0.0, variance))
    lost, gained = np.flatnonzero(centre - half <= _TIE), np.flatnonzero(centre + half >= -_TIE)
    # An end at the edge of the grid may lie beyond the severities that were run, so that it is left open.
    below, above = Severity(float(first), "below"), Severity(float(last), "above")
    low = above if lost.size == 0 else below if lost[0] == 0 else Severity(float(grid[lost[0]]))
    high = below if gained.size == 0 else above if gained[-1] == grid.size - 1 else Severity(float(grid[gained[-1]]))
    return SeverityInterval(low, high)


def _holding(severity: Severity, interval: SeverityInterval) -> SeverityInterval:
    """Extend an interval to hold a severity."""
    return SeverityInterval(
        min(interval.low, severity, key=lambda end: end.rank), max(interval.high, severity, key=lambda end: end.rank)
    )
