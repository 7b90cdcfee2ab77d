"""Dose-response: success of an agent by the severity of a mode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

# SciPy imports `stats` and `optimize` when they are first used, which takes half a second.
import scipy
from scipy.special import ndtr

from stressweb.analysis.curves.estimands import Intervals, new_sites, of_means
from stressweb.analysis.curves.joint import Arm, Joint, joint
from stressweb.analysis.curves.lost import reason
from stressweb.analysis.curves.tolerance import Tolerance, tolerance
from stressweb.analysis.curves.trend import Trend, trend
from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import task_means
from stressweb.analysis.statistics import (
    FEWEST,
    LEVEL,
    SEED,
    Families,
    Floats,
    Interval,
    covariance,
    retention,
    retention_interval,
    totals,
    widening,
)

# A power of two, because only such numbers of Sobol points are spread evenly.
_DRAWS = 1 << 12
"""Number of normal draws for the width of a band. Sobol points are evenly spread, so few suffice."""


@dataclass(frozen=True)
class DosePoint:
    """One severity. Success, difference and retention are those of the condition's row in the table."""

    severity: int
    condition: str
    tasks: int
    """Tasks with a pair of episodes under this condition and clean."""
    families: int
    """Families of these tasks, the units of intervals."""
    episodes: int
    """Episodes without error."""
    success: float
    clean: float
    """Success under clean, over the paired episodes."""
    difference: float
    """`success` minus `clean`."""
    pointwise: Intervals
    """Intervals of the difference; each covers the truth in 95 % of runs."""
    band: Intervals
    """Intervals of the difference; those of all severities together cover all truths in 95 % of runs."""
    retention: float | None
    """`success` / `clean`; None without success under clean."""
    retention_interval: Interval | None
    """Pointwise interval of the retention for these sites (Fieller)."""


@dataclass(frozen=True)
class DoseResponse:
    """One agent under the severities of one mode."""

    agent: str
    mode: str
    clean: float | None
    """Success of the agent under clean, over all its tasks."""
    points: list[DosePoint]
    """The points by ascending severity."""
    tasks: int
    """Tasks with a pair of episodes under every severity; the following figures are computed from them."""
    families: int
    """Families of these tasks, the units of intervals and tests."""
    mean_difference: float | None
    """Mean over the severities of success minus success under clean."""
    mean_difference_intervals: Intervals
    tolerance: Tolerance | None
    """None below 2 severities, or if no task succeeds under clean."""
    trend: Trend | None
    """None below 3 severities, or if no task has all of them."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Severities that were run but are not on the curve because of errors: conditions with the reason."""


def dose_response(
    agent: str, mode: str, clean: Sequence[Graded], by_severity: Mapping[int, Sequence[Graded]], arms: Mapping[str, Arm]
) -> DoseResponse | None:
    """Return the curve of a mode from the episodes under each severity; None without a pair with clean.

    `arms` has the pairs of each condition with clean, by label.
    """
    severities = [severity for severity in sorted(by_severity) if arms[by_severity[severity][0].condition].pairs]
    if not severities:
        return None
    labels = [by_severity[severity][0].condition for severity in severities]
    # Severities share their tasks unless episodes are missing.
    common = joint([arms[label] for label in labels])
    bands = band(common)
    points = [
        # With its own tasks instead of the common ones, so that its figures equal those of the condition's row.
        _point(severity, by_severity[severity], joint([arms[label]]), band_of)
        for severity, label, band_of in zip(severities, labels, bands, strict=True)
    ]
    mean_differences = common.differences.mean(axis=1)
    return DoseResponse(
        agent=agent,
        mode=mode,
        clean=_mean(
            [episode.success for episode in task_means(episode for episode in clean if episode.counts).values()]
        ),
        points=points,
        tasks=common.tasks,
        families=common.units,
        mean_difference=_mean(mean_differences.tolist()),
        mean_difference_intervals=of_means(mean_differences, common.where, common.families),
        tolerance=tolerance(common, severities),
        trend=trend({severity: by_severity[severity] for severity in severities}),
        left_out={
            own[0].condition: reason(own, arms[own[0].condition])
            for severity, own in sorted(by_severity.items())
            if severity not in severities
        },
    )


def _point(severity: int, episodes: Sequence[Graded], own: Joint, band_of: Intervals) -> DosePoint:
    success, clean = float(own.stressed.mean()), float(own.clean.mean())
    return DosePoint(
        severity=severity,
        condition=episodes[0].condition,
        tasks=own.tasks,
        families=own.units,
        episodes=sum(episode.counts for episode in episodes),
        success=success,
        clean=clean,
        difference=success - clean,
        pointwise=of_means(own.differences[:, 0], own.where, own.families),
        band=band_of,
        retention=retention(success, clean),
        retention_interval=retention_interval(
            own.stressed[:, 0].tolist(), own.clean[:, 0].tolist(), families=own.families
        ),
    )


def band(joint_arms: Joint) -> list[Intervals]:
    """Return intervals of the differences at all severities that jointly cover the truths with 95 % probability.

    These sites: single-step max-t (Hothorn, Bretz and Westfall 2008, Biom. J. 50, 346-363) with Bonett and Price's
    means and standard errors over families of tasks, as in `mean_interval`: the number of standard errors is a quantile
    of the largest of normal values with the correlations of the severities. New sites: intervals over sites at level
    1 - 0.05 / severities (Bonferroni), because a correlation cannot be estimated from few sites.
    """
    columns = joint_arms.differences.T
    task_intervals = (
        _max_t(joint_arms.differences, joint_arms.families) if joint_arms.units >= FEWEST else [None] * len(columns)
    )
    # Bonferroni: each may miss in its share of 5 % of runs.
    each = 1 - (1 - LEVEL) / max(1, len(columns))
    return [
        Intervals(inner_interval, new_sites(column, joint_arms.where, inner_interval, (-1.0, 1.0), each))
        for column, inner_interval in zip(columns, task_intervals, strict=True)
    ]


def _max_t(differences: Floats, families: Families) -> list[Interval]:
    sums, sizes = totals(differences, families)
    size, ends = sizes.mean(), np.ones(differences.shape[1])
    # Bonett and Price add two families, one at -1 and one at +1 under every severity.
    sums, sizes = np.vstack([sums, -size * ends, size * ends]), np.append(sizes, [size, size])
    covariances = covariance(sums, sizes)
    # Above 0 even if all tasks agree, because of the two added families.
    errors = np.sqrt(np.diag(covariances))
    # Not by Cholesky, which fails for perfectly correlated severities.
    values, vectors = np.linalg.eigh(covariances / np.outer(errors, errors))
    # Severities with the same outcomes are perfectly correlated, and rounding may make an eigenvalue negative.
    widest = widest_bound(np.sqrt(np.maximum(values, 0.0)) * vectors)
    # `widening` needs the level that this number of standard errors has for a single severity.
    half_widths = widest * errors * widening(sizes, 2 * float(ndtr(widest)) - 1)
    centre, estimate = sums.sum(axis=0) / sizes.sum(), differences.mean(axis=0)
    # The added families shift the centre, but the interval must include the estimate.
    low = np.minimum(estimate, np.maximum(-1.0, centre - half_widths))
    high = np.maximum(estimate, np.minimum(1.0, centre + half_widths))
    return [Interval(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]


def widest_bound(factor: Floats) -> float:
    """Return the 95 % quantile of the largest absolute value of normals with covariance factor @ factor.T."""
    drawn = _normals(len(factor)) @ factor.T
    return float(np.quantile(np.abs(drawn).max(axis=1), LEVEL))


@cache
def _normals(columns: int) -> Floats:
    engine = scipy.stats.qmc.MultivariateNormalQMC(np.zeros(columns), rng=np.random.default_rng(SEED))
    return np.asarray(engine.random(_DRAWS), dtype=np.float64)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None
