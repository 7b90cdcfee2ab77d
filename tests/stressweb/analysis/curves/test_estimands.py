"""Intervals over tasks and over sites, checked with SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stressweb.analysis.curves.estimands import FEWEST_SITES, clustered, new_sites, of_means, of_rates, places
from stressweb.analysis.statistics import Interval, difference_interval, rate_interval


def test_with_one_task_a_site_the_cluster_variance_is_students() -> None:
    """Clusters of one task are a plain sample, with Student's interval of its mean."""
    values = np.array([0.1, -0.4, 0.3, 0.0, -0.2, -0.5])
    estimate = clustered(values[:, None], np.arange(6))
    assert estimate is not None
    half_width = estimate.deviations() * np.sqrt(estimate.covariance[0, 0])
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (estimate.means[0] - half_width, estimate.means[0] + half_width) == pytest.approx(
        (expected.low, expected.high)
    )


def test_equal_sites_give_students_interval_of_their_means() -> None:
    """With equally many tasks a site, the mean over tasks and its interval are those of the sites' means."""
    values = np.random.default_rng(3).uniform(-0.6, 0.2, 40)
    where = np.arange(40) % 8
    means = [values[where == site].mean() for site in range(8)]
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    # A narrower interval over tasks has no effect.
    task_interval = Interval(float(values.mean()), float(values.mean()))
    assert new_sites(values, where, task_interval, (-1.0, 1.0)) == pytest.approx((expected.low, expected.high))


def test_below_five_sites_there_is_no_interval_for_new_sites() -> None:
    values = np.linspace(-1, 1, 40)
    assert of_means(values, np.arange(40) % (FEWEST_SITES - 1)).new_sites is None
    assert of_means(values, np.arange(40) % FEWEST_SITES).new_sites is not None
    assert of_means(values[:4], np.arange(4)).these_sites is None


def test_sites_are_numbered_by_name() -> None:
    assert places(["b", "a", "b"]).tolist() == [1, 0, 1]
    assert places([]).tolist() == []


@given(
    st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), min_size=5, max_size=40).filter(
        lambda rows: len({site for site, _ in rows}) >= 5
    )
)
def test_the_interval_of_new_sites_holds_that_of_these(rows: list[tuple[int, float]]) -> None:
    where = places([str(site) for site, _ in rows])
    values = np.array([rate for _, rate in rows])
    for estimate, task_interval in (
        (of_means(values, where), difference_interval(values.tolist())),
        (of_rates(values, where), rate_interval(values.tolist())),
    ):
        assert estimate.these_sites == task_interval
        assert estimate.these_sites is not None
        assert estimate.new_sites is not None
        assert (
            estimate.new_sites.low <= estimate.these_sites.low <= estimate.these_sites.high <= estimate.new_sites.high
        )


def test_sites_that_differ_widen_it() -> None:
    """If all tasks of a site agree, the sites are the sample, not the tasks."""
    where = np.arange(60) % 6
    estimate = of_means((where % 2).astype(float), where)
    assert estimate.these_sites is not None
    assert estimate.new_sites is not None
    assert estimate.new_sites.high - estimate.new_sites.low > 2 * (estimate.these_sites.high - estimate.these_sites.low)
