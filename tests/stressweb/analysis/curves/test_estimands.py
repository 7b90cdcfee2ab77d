"""Intervals over tasks and over sites, beside what others compute."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stressweb.analysis.curves.estimands import FEWEST_SITES, clustered, new_sites, of_means, of_rates, places
from stressweb.analysis.statistics import Interval, difference_interval, rate_interval


def test_with_one_task_a_site_the_cluster_variance_is_students() -> None:
    """Clusters of one are a plain sample: the t interval of its mean, which SciPy computes."""
    values = np.array([0.1, -0.4, 0.3, 0.0, -0.2, -0.5])
    found = clustered(values[:, None], np.arange(6))
    assert found is not None
    half = found.deviations() * np.sqrt(found.covariance[0, 0])
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (found.means[0] - half, found.means[0] + half) == pytest.approx((expected.low, expected.high))


def test_equal_sites_give_students_interval_of_their_means() -> None:
    """Of sites with equally many tasks, the mean over tasks is that of the sites' means, and so is its interval."""
    values = np.random.default_rng(3).uniform(-0.6, 0.2, 40)
    where = np.arange(40) % 8
    means = [values[where == site].mean() for site in range(8)]
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    # An interval over tasks that is inside takes no part.
    inner = Interval(float(values.mean()), float(values.mean()))
    assert new_sites(values, where, inner, (-1.0, 1.0)) == pytest.approx((expected.low, expected.high))


def test_below_five_sites_nothing_is_said_about_new_ones() -> None:
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
    values = np.array([value for _, value in rows])
    for found, inner in (
        (of_means(values, where), difference_interval(values.tolist())),
        (of_rates(values, where), rate_interval(values.tolist())),
    ):
        assert found.these_sites == inner
        assert found.these_sites is not None
        assert found.new_sites is not None
        assert found.new_sites.low <= found.these_sites.low <= found.these_sites.high <= found.new_sites.high


def test_sites_that_differ_widen_it() -> None:
    """All tasks of a site alike: the sites are the sample, not the tasks."""
    where = np.arange(60) % 6
    found = of_means((where % 2).astype(float), where)
    assert found.these_sites is not None
    assert found.new_sites is not None
    assert found.new_sites.high - found.new_sites.low > 2 * (found.these_sites.high - found.these_sites.low)
