"""Intervals for two populations: other tasks of these sites, and other sites.

"These sites" is the interval over tasks of `stressweb.analysis.statistics`, whose units are families of tasks. "New
sites" treats the sites as a sample. The tasks of a site vary together, so the site is the unit: the cluster-robust
variance of a mean with Student's t on sites - 1 degrees of freedom (Cameron and Miller 2015, J. Hum. Resour. 50,
317-372, equation 12 and section VI).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from stressweb.analysis.statistics import LEVEL, Families, Floats, Interval, mean_interval, rate_interval

FEWEST_SITES = 5
"""Smallest number of sites for an interval over new sites."""

type Places = npt.NDArray[np.intp]
"""The index of each task's site."""


@dataclass(frozen=True)
class Intervals:
    """The 95 % intervals of a figure for both populations."""

    these_sites: Interval | None
    """For other tasks of the same sites; None below 5 families of tasks."""
    new_sites: Interval | None
    """For other sites of the same kind; None below 5 sites. Never narrower than `these_sites`."""


NONE = Intervals(None, None)


class Clustered(NamedTuple):
    """Means over tasks of one or several columns, and their variation with the sites."""

    means: Floats
    covariance: Floats
    """Cluster-robust covariance of the means."""
    sites: int

    def deviations(self, level: float = LEVEL) -> float:
        """Return the half width of a two-sided interval in standard errors."""
        return _student(level, self.sites - 1)


@cache
def _student(level: float, free: int) -> float:
    return float(stdtrit(free, (1 + level) / 2))


def places(sites: Sequence[str]) -> Places:
    """Return the site of each task as an index."""
    return np.unique(np.asarray(sites, dtype=object), return_inverse=True)[1]


def clustered(values: Floats, where: Places) -> Clustered | None:
    """Return the means of `values`, a row for each task, with their covariance over sites; None below 5 sites."""
    # `initial` is needed without a common task, because NumPy has no maximum of nothing.
    sites = int(where.max(initial=-1)) + 1
    if sites < FEWEST_SITES:
        return None
    means = values.mean(axis=0)
    sums = np.zeros((sites, values.shape[1]))
    # Summed by site first, because the tasks of a site may deviate together.
    np.add.at(sums, where, values - means)
    # sites / (sites - 1) corrects for few clusters, as in a sample variance.
    return Clustered(means, sums.T @ sums * (sites / (sites - 1)) / values.shape[0] ** 2, sites)


def new_sites(
    values: Floats, where: Places, task_interval: Interval | None, limits: tuple[float, float], level: float = LEVEL
) -> Interval | None:
    """Return the interval over new sites of the mean of one value per task.

    None below 5 sites or without `task_interval`, the interval over tasks. The result includes it, so that it has a
    width even if all sites agree. `limits` are the ends of the scale.
    """
    over_sites = clustered(values[:, None], where)
    if over_sites is None or task_interval is None:
        return None
    mean, half_width = (
        float(over_sites.means[0]),
        over_sites.deviations(level) * float(np.sqrt(over_sites.covariance[0, 0])),
    )
    return Interval(
        min(task_interval.low, max(limits[0], mean - half_width)),
        max(task_interval.high, min(limits[1], mean + half_width)),
    )


def of_means(values: Floats, where: Places, families: Families = None, reach: float = 1.0) -> Intervals:
    """Return the intervals of the mean of differences, one per task, each from -reach to reach."""
    task_interval = mean_interval(values.tolist(), reach, families=families)
    return Intervals(task_interval, new_sites(values, where, task_interval, (-reach, reach)))


def of_rates(values: Floats, where: Places, families: Families = None) -> Intervals:
    """Return the intervals of the mean of rates, one per task, each from 0 to 1."""
    task_interval = rate_interval(values.tolist(), families=families)
    return Intervals(task_interval, new_sites(values, where, task_interval, (0.0, 1.0)))
