"""Dose-response curves: their points are the table's rows, their band covers all severities jointly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from stressweb.analysis.curves.dose import DoseResponse, band, widest_bound
from stressweb.analysis.curves.joint import Joint
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.statistics import difference_interval
from tests.stressweb.analysis.curves.small_runs import curves, severity_run


def only(episodes: list[Graded]) -> DoseResponse:
    (response,) = curves(episodes).dose_responses
    return response


def growing(task: int, severity: int) -> bool:
    return task < 2 * severity


def test_points_are_the_rows_of_the_table() -> None:
    episodes = severity_run(growing)
    episodes[20] = episodes[20].model_copy(update={"status": "error"})
    rows = {row.condition: row for row in measure(episodes)}
    response = only(episodes)
    assert [point.severity for point in response.points] == [1, 2, 3, 4, 5]
    for point in response.points:
        row = rows[point.condition]
        assert point.difference == pytest.approx(row.difference)
        assert point.retention == pytest.approx(row.retention)
        intervals = point.pointwise.these_sites, point.retention_interval
        if row.errors:
            # The table's intervals also cover the possible outcomes of the error.
            for narrow, wide in zip(intervals, (row.difference_interval, row.retention_interval), strict=True):
                assert narrow
                assert wide
                assert wide.low < narrow.low
        else:
            assert intervals == (row.difference_interval, row.retention_interval)
        assert (point.tasks, point.episodes) == (row.paired_tasks, row.episodes)
    assert response.clean == rows["clean"].success == 1
    # The error excludes its task from the figures over all severities.
    assert (response.points[0].tasks, response.tasks) == (11, 11)


def test_the_mean_difference_has_the_sign_of_the_differences() -> None:
    response = only(severity_run(growing))
    assert response.mean_difference == pytest.approx(-(2 + 4 + 6 + 8 + 10) / 5 / 12)
    differences = [-sum(growing(task, severity) for severity in range(1, 6)) / 5 for task in range(12)]
    assert response.mean_difference_intervals.these_sites == pytest.approx(difference_interval(differences))
    assert response.mean_difference_intervals.new_sites is None
    assert str(response.tolerance and response.tolerance.severity) == "1.2"


@pytest.mark.parametrize(
    ("correlation", "columns", "expected"),
    [
        (0.0, 5, norm.ppf((1 + 0.95**0.2) / 2)),
        (1.0, 5, norm.ppf(0.975)),
        # Dunnett 1964, Biometrics 20, table III: two-sided 5 %, correlation 0.5, infinite degrees of freedom.
        (0.5, 2, 2.21),
        (0.5, 3, 2.35),
        (0.5, 5, 2.51),
    ],
)
def test_the_widest_of_correlated_values_is_the_published_one(
    correlation: float, columns: int, expected: float
) -> None:
    matrix = np.full((columns, columns), correlation) + (1 - correlation) * np.eye(columns)
    values, vectors = np.linalg.eigh(matrix)
    assert widest_bound(np.sqrt(np.maximum(values, 0)) * vectors) == pytest.approx(expected, abs=0.02)


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=5, max_size=30))
def test_a_band_holds_its_pointwise_intervals(outcomes: list[list[bool]]) -> None:
    stressed = np.array(outcomes, dtype=float)
    joint = Joint(np.arange(len(outcomes)) % 6, np.ones_like(stressed), stressed)
    for column, intervals in zip(joint.differences.T, band(joint), strict=True):
        pointwise = difference_interval(column.tolist())
        assert pointwise is not None
        assert intervals.these_sites is not None
        assert intervals.these_sites.low <= pointwise.low + 0.003
        assert intervals.these_sites.high >= pointwise.high - 0.003
        if intervals.new_sites:
            assert (
                intervals.new_sites.low
                <= intervals.these_sites.low
                <= intervals.these_sites.high
                <= intervals.new_sites.high
            )


def test_the_band_of_one_severity_is_its_interval() -> None:
    response = only(severity_run(growing, severities=(3,)))
    (point,) = response.points
    assert point.band.these_sites == pytest.approx(point.pointwise.these_sites, abs=0.002)
    assert (response.tolerance, response.trend) == (None, None)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 6), min_size=6, max_size=12))
def test_tasks_that_fail_for_good_give_a_curve_that_never_rises(thresholds: list[int]) -> None:
    response = only(severity_run(lambda task, severity: severity >= thresholds[task], tasks=len(thresholds)))
    success = [1.0, *(point.success for point in response.points)]
    assert success == sorted(success, reverse=True)
    assert response.tolerance is not None
    assert response.tolerance.curve == pytest.approx([point.retention for point in response.points])


def test_few_tasks_have_a_curve_and_no_interval() -> None:
    response = only(severity_run(growing, tasks=4))
    assert {(point.pointwise.these_sites, point.band.these_sites) for point in response.points} == {(None, None)}
    assert response.mean_difference_intervals.these_sites is None
