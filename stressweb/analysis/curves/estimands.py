"""The population of an interval: other tasks of these sites, or other sites.

"These sites" is the interval over tasks of `stressweb.analysis.statistics`, whose units are families of tasks. "New
sites" treats the sites as a sample: the tasks of a site vary together, so the site is the unit (the cluster-robust
variance of a mean with Student's t on sites - 1 degrees of freedom; Cameron and Miller 2015, J. Hum. Resour. 50,
317-372, equation 12 and section VI).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import t

from stressweb.analysis.statistics import LEVEL, Families, Floats, Interval, mean_interval, rate_interval

FEWEST_SITES = 5
"""Fewest sites for which an interval over new sites is given."""

type Places = npt.NDArray[np.intp]
"""For each task, the number of its site."""


@dataclass(frozen=True)
class Intervals:
    """The 95 % intervals of one figure, one for each population."""

    these_sites: Interval | None
    """Variation with other tasks of the same sites; None below 5 families of tasks."""
    new_sites: Interval | None
    """Variation with other sites of the same kind; None below 5 sites. Never narrower than the other."""


NONE = Intervals(None, None)


class Clustered(NamedTuple):
    """Means over tasks of one or several columns, and their variation with the sites."""

    means: Floats
    covariance: Floats
    """Cluster-robust covariance of the means."""
    sites: int

    def deviations(self, level: float = LEVEL) -> float:
        """Return how many standard errors a two-sided interval reaches to either side."""
        return _student(level, self.sites - 1)


@cache
def _student(level: float, free: int) -> float:
    return float(t.ppf((1 + level) / 2, free))


def places(sites: Sequence[str]) -> Places:
    """Return the sites of tasks as numbers."""
    return np.unique(np.asarray(sites, dtype=object), return_inverse=True)[1]


def clustered(values: Floats, where: Places) -> Clustered | None:
    """Return the means of `values`, a row for each task, with their covariance over sites; None below 5 sites."""
    # The initial value is for runs without a common task, for which NumPy has no maximum.
    sites = int(where.max(initial=-1)) + 1
    if sites < FEWEST_SITES:
        return None
    means = values.mean(axis=0)
    sums = np.zeros((sites, values.shape[1]))
    # Summed by site first: tasks of a site may deviate together, which the variance over tasks would miss.
    np.add.at(sums, where, values - means)
    # sites / (sites - 1) corrects for few clusters, like the factor of a sample variance.
    return Clustered(means, sums.T @ sums * (sites / (sites - 1)) / values.shape[0] ** 2, sites)


def new_sites(
    values: Floats, where: Places, inner: Interval | None, limits: tuple[float, float], level: float = LEVEL
) -> Interval | None:
    """Return the interval of the mean of one value per task over new sites, or None.

    The result always includes `inner`, the interval over tasks: agreeing sites must not give an interval without width.
    `limits` are the ends of the scale.
    """
    over_sites = clustered(values[:, None], where)
    if over_sites is None or inner is None:
        return None
    mean, half = float(over_sites.means[0]), over_sites.deviations(level) * float(np.sqrt(over_sites.covariance[0, 0]))
    return Interval(min(inner.low, max(limits[0], mean - half)), max(inner.high, min(limits[1], mean + half)))


def of_means(values: Floats, where: Places, families: Families = None, reach: float = 1.0) -> Intervals:
    """Return the intervals of the mean of differences, one per task, from -reach to reach."""
    inner = mean_interval(values.tolist(), reach, families=families)
    return Intervals(inner, new_sites(values, where, inner, (-reach, reach)))


def of_rates(values: Floats, where: Places, families: Families = None) -> Intervals:
    """Return the intervals of the mean of rates, one per task, from 0 to 1."""
    inner = rate_interval(values.tolist(), families=families)
    return Intervals(inner, new_sites(values, where, inner, (0.0, 1.0)))
