"""The severity at which retention falls below 80 %: isotonic curve, crossing and interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from stressweb.analysis.curves.estimands import places
from stressweb.analysis.curves.joint import Joint
from stressweb.analysis.curves.tolerance import Severity, SeverityInterval, crossing, isotonic, tolerance
from stressweb.analysis.statistics import retention_interval

SEVERITIES = (1, 2, 3, 4, 5)
rates = st.lists(st.floats(0, 1.5), min_size=5, max_size=5)


def above(severity: float) -> Severity:
    return Severity(severity, "above")


def below(severity: float) -> Severity:
    return Severity(severity, "below")


def test_the_curve_pools_what_rises() -> None:
    """The middle two of 0.9, 0.5, 0.7, 0.2 are pooled to 0.6; no point exceeds 1."""
    assert isotonic([0.9, 0.5, 0.7, 0.2]) == pytest.approx([0.9, 0.6, 0.6, 0.2])
    assert isotonic([1.2, 1.1, 0.4]) == pytest.approx([1, 1, 0.4])


@given(rates)
def test_the_curve_is_the_nearest_that_never_rises(values: list[float]) -> None:
    """Checked with the max-min formula, clipped at 1, and with SciPy."""
    fitted = isotonic(values)
    size = len(values)
    for index, point in enumerate(fitted):
        pools = [min(np.mean(values[start : end + 1]) for start in range(index + 1)) for end in range(index, size)]
        assert point == pytest.approx(min(1, max(pools)))
    assert fitted == pytest.approx(np.minimum(1, isotonic_regression(values, increasing=False).x))


@given(rates)
def test_a_monotone_curve_stays_as_it_is(values: list[float]) -> None:
    falling = sorted((min(1.0, rate) for rate in values), reverse=True)
    assert isotonic(falling) == pytest.approx(falling)


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([1, 1, 1, 1, 1], above(5)),
        ([1, 0.9, 0.8, 0.8, 0.8], above(5)),
        ([1, 0.9, 0.8, 0.8, 0.6], Severity(4)),
        ([1, 0.9, 0.7, 0.2, 0], Severity(2.5)),
        ([0.9, 0.5, 0.5, 0.5, 0.5], Severity(1.25)),
        ([0.79, 0.5, 0.5, 0.5, 0.5], below(1)),
    ],
)
def test_the_crossing_is_interpolated(curve: list[float], expected: Severity) -> None:
    crossed = crossing(SEVERITIES, curve)
    assert crossed.side == expected.side
    assert crossed.value == pytest.approx(expected.value)


def test_ends_beyond_the_run_severities_are_marked() -> None:
    assert [str(severity) for severity in (above(5), below(1), Severity(2.449))] == ["> 5", "< 1", "2.4"]


def run(lost: list[int], tasks: int, sites: int = 2) -> Joint:
    """Return a run in which the first `lost[s]` tasks fail at each severity."""
    stressed = np.array([[float(task >= count) for count in lost] for task in range(tasks)])
    return Joint(places([str(task % sites) for task in range(tasks)]), np.ones_like(stressed), stressed)


def test_a_mode_without_effect_is_tolerated_beyond_all_severities() -> None:
    tolerated = tolerance(run([0, 0, 0, 0, 0], 30), SEVERITIES)
    assert tolerated is not None
    assert str(tolerated.severity) == "> 5"
    assert tolerated.these_sites == SeverityInterval(above(5), above(5))
    # Few tasks without a loss do not rule out a loss of a fifth.
    few = tolerance(run([0, 0, 0, 0, 0], 5), SEVERITIES)
    assert few is not None
    assert few.these_sites == SeverityInterval(below(1), above(5))


def test_a_mode_under_which_all_fail_is_not_tolerated_at_all() -> None:
    tolerated = tolerance(run([30, 30, 30, 30, 30], 30), SEVERITIES)
    assert tolerated is not None
    assert tolerated.these_sites == SeverityInterval(below(1), below(1))


def test_the_interval_holds_the_severities_whose_retention_interval_holds_the_floor() -> None:
    """The interval is the inversion of the retention intervals, so they agree at whole severities."""
    joint = run([0, 3, 8, 16, 28], 40)
    tolerated = tolerance(joint, SEVERITIES)
    assert tolerated is not None
    assert tolerated.these_sites is not None
    for column, severity in enumerate(SEVERITIES):
        interval = retention_interval(joint.stressed[:, column].tolist(), joint.clean[:, column].tolist())
        assert interval is not None
        is_inside = tolerated.these_sites.low.rank <= (1, severity) <= tolerated.these_sites.high.rank
        assert is_inside == (interval.low <= 0.8 <= interval.high)
    assert tolerated.severity.value == pytest.approx(3)


def test_new_sites_need_five_sites_and_have_a_wider_interval() -> None:
    two, ten = tolerance(run([0, 3, 8, 16, 28], 40), SEVERITIES), tolerance(run([0, 3, 8, 16, 28], 40, 10), SEVERITIES)
    assert two is not None
    assert two.new_sites is None
    assert ten is not None
    assert ten.new_sites is not None
    assert ten.these_sites is not None
    assert ten.new_sites.low.rank <= ten.these_sites.low.rank <= ten.these_sites.high.rank <= ten.new_sites.high.rank


@given(st.integers(5, 12), st.integers(1, 4), st.lists(st.integers(1, 9), min_size=5, max_size=5))
def test_sites_that_agree_are_no_rounding_error(sites: int, tasks: int, tenths: list[int]) -> None:
    """Sites do not vary, so the variance of their mean is 0 but for rounding."""
    where = np.repeat(np.arange(sites), tasks)
    stressed = np.tile(np.array(tenths) / 10 * (1 / 3), (sites * tasks, 1))
    with np.errstate(invalid="raise"):
        tolerated = tolerance(Joint(where, np.full_like(stressed, 1 / 3), stressed), SEVERITIES)
    assert tolerated is not None
    assert tolerated.new_sites is not None


def test_there_is_no_tolerance_without_clean_success_or_with_one_severity() -> None:
    joint = run([0, 0, 0, 0, 0], 12)
    assert tolerance(joint._replace(clean=np.zeros_like(joint.clean)), SEVERITIES) is None
    assert tolerance(Joint(joint.where, joint.clean[:, :1], joint.stressed[:, :1]), (3,)) is None
    few = tolerance(run([0, 0, 0, 4, 4], 4), SEVERITIES)
    assert few is not None
    assert (few.these_sites, few.new_sites) == (None, None)


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=5, max_size=20))
def test_an_interval_holds_its_estimate(outcomes: list[list[bool]]) -> None:
    stressed = np.array(outcomes, dtype=float)
    tolerated = tolerance(Joint(np.zeros(len(outcomes), dtype=int), np.ones_like(stressed), stressed), SEVERITIES)
    assert tolerated is not None
    assert tolerated.these_sites is not None
    assert tolerated.these_sites.low.rank <= tolerated.severity.rank <= tolerated.these_sites.high.rank
