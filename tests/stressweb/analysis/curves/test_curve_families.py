"""Families of tasks are the units of the curves' intervals and tests, checked with statsmodels, SciPy and simulation."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, rankdata

from stressweb.analysis.curves.dose import band
from stressweb.analysis.curves.joint import Joint
from stressweb.analysis.curves.measured import to_json
from stressweb.analysis.curves.tolerance import FLOOR, Severity, tolerance
from stressweb.analysis.curves.trend import page
from stressweb.analysis.graded import Graded
from stressweb.analysis.statistics import covariance, retention_interval, totals
from tests.stressweb.analysis.curves.small_runs import SEVERITIES, curves, site_episode
from tests.stressweb.analysis.family_losses import FAMILIES, LOSSES

CELLS = ("clean", "noise@1", "noise@2", "failure@3", "noise@2+failure@3")
SIZE = 3
"""Tasks of a family."""
MORE = [0, -1, -1, -1, -0.5, -1, 0, -1, -1, 0.5, -1, -1, -0.5, -1]
"""Losses at another severity, of the tasks of `LOSSES`."""

outcomes = st.lists(st.tuples(*[st.booleans()] * (2 * len(CELLS))), min_size=6, max_size=8)


def run(rows: Sequence[Sequence[bool]], families: Sequence[str]) -> list[Graded]:
    """Return a run with a task for each row: the outcomes of two epochs under each of `CELLS`; two sites."""
    return [
        site_episode(task, label, won, int(family) % 2, family=family, epoch=epoch, steps=3 + won)
        for task, (row, family) in enumerate(zip(rows, families, strict=True))
        for (label, epoch), won in zip([(label, epoch) for label in CELLS for epoch in (0, 1)], row, strict=True)
    ]


def alone(episodes: Sequence[Graded]) -> list[Graded]:
    """Return the same run without families."""
    return [each_episode.model_copy(update={"family": ""}) for each_episode in episodes]


def figures(episodes: Sequence[Graded]) -> dict[str, Any]:
    """Return every figure of the curves by its path."""

    def flat(node: Any, path: str) -> Iterator[tuple[str, Any]]:
        inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else None
        if inner is None:
            yield path, node
        else:
            for key, child in inner:
                yield from flat(child, f"{path}/{key}")

    return dict(flat(to_json(curves(episodes)), ""))


@settings(max_examples=10)
@given(outcomes)
def test_families_of_one_task_change_nothing(rows: list[tuple[bool, ...]]) -> None:
    """Every figure is exactly what it is without families."""
    episodes = run(rows, [str(number) for number in range(len(rows))])
    assert figures(episodes) == figures(alone(episodes))


@settings(max_examples=10)
@given(outcomes)
def test_tasks_that_agree_with_their_family_add_no_information(rows: list[tuple[bool, ...]]) -> None:
    """Equally large families whose tasks agree have the figures of one task each."""
    families = [str(number) for number in range(len(rows))]
    once = figures(run(rows, families))
    episodes = run([row for row in rows for _ in range(SIZE)], [family for family in families for _ in range(SIZE)])
    # Counts and sums cover all tasks, and so does Page's L.
    excluded = ("tasks", "episodes", "statistic", "costs", "difficulties", "results", "capped", "left_out")

    def compared(figures_by_path: dict[str, Any]) -> dict[str, Any]:
        return {path: figure for path, figure in figures_by_path.items() if not set(path.split("/")) & set(excluded)}

    expected, grouped, narrow = (compared(each) for each in (once, figures(episodes), figures(alone(episodes))))
    # Numbers separately, because None and words cannot be approximately equal.
    numbers = [path for path, figure in expected.items() if isinstance(figure, float)]
    assert len(numbers) > 20
    assert [grouped[path] for path in numbers] == pytest.approx([expected[path] for path in numbers])
    assert {path: figure for path, figure in grouped.items() if path not in numbers} == {
        path: figure for path, figure in expected.items() if path not in numbers
    }
    ends = [path for path in numbers if "/these_sites/" in path and path.endswith(("/0", "/1"))]
    assert ends
    # Without families the same run has narrower intervals.
    for path in ends:
        assert (narrow[path] >= grouped[path] - 1e-9) if path.endswith("/0") else (narrow[path] <= grouped[path] + 1e-9)
    lows = [path for path in ends if path.endswith("/0")]
    assert any(narrow[path] > grouped[path] + 0.01 for path in lows)


def test_the_covariance_of_a_band_is_that_of_statsmodels() -> None:
    """OLS of both columns of losses on a dummy each, statsmodels 0.15.0: cov_type="cluster", groups of families of two.

    Without its correction, times 7 / 6 for seven families: with families of equal size, that is CR2.
    """
    estimate = covariance(*totals(np.column_stack([LOSSES, MORE]), "aabbccddeeffgg"))
    assert estimate == pytest.approx(np.array([[0.01403061, 0.00956633], [0.00956633, 0.01105442]]), abs=5e-9)


def test_a_tolerance_is_the_inversion_of_the_retention_of_families() -> None:
    stressed = 1 + np.column_stack([LOSSES, MORE])
    joint = Joint(np.zeros(len(FAMILIES), dtype=int), np.ones_like(stressed), stressed, FAMILIES)
    tolerated = tolerance(joint, (1, 2))
    assert tolerated is not None
    assert tolerated.these_sites is not None
    for column, severity in enumerate((1, 2)):
        interval = retention_interval(stressed[:, column].tolist(), joint.clean[:, column].tolist(), families=FAMILIES)
        assert interval is not None
        inside = tolerated.these_sites.low.rank <= (1, severity) <= tolerated.these_sites.high.rank
        assert inside == (interval.low <= FLOOR <= interval.high)


def test_the_trend_orders_whole_families() -> None:
    """Checked with SciPy's count over all orders of the columns in each family."""
    values = np.random.default_rng(4).integers(0, 3, (9, 3)).astype(float)
    values[:, 2] += 1
    families = "aaaabbbcd"
    ranks, _ = totals(rankdata(values, axis=1), families)

    def statistic_of(*columns: np.ndarray, axis: int) -> np.ndarray:
        return sum(place * column.sum(axis=axis) for place, column in enumerate(columns, 1))  # type: ignore[return-value]

    every = permutation_test(
        tuple(ranks.T), statistic_of, permutation_type="samples", alternative="greater", vectorized=True,
        n_resamples=6**4,
    )  # fmt: skip
    assert page(values, families) == pytest.approx((every.statistic, every.pvalue))
    # The same L, from fewer units.
    assert page(values)[0] == page(values, families)[0]
    assert page(values)[1] < page(values, families)[1]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("sizes", "least"),
    # Where four of twelve families have three quarters of the tasks, the band is too short: docs/results.md says so.
    [((3,) * 12, 0.92), ((2,) * 30, 0.92), ((1, 2, 3, 4) * 5, 0.92), ((1,) * 8 + (6,) * 4, 0.8)],
    ids=["few", "many", "uneven", "lopsided"],
)
def test_intervals_and_tests_hold_their_levels_where_families_fail_together(
    sizes: tuple[int, ...], least: float
) -> None:
    """If all tasks of a family have one outcome, bands and tolerances over tasks are too short, and tests alarm."""
    generator, families = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes).tolist()
    losses, true = np.array([0.05, 0.12, 0.2, 0.3, 0.4]), Severity(3.0)
    held, alarms, runs = {"families": [0, 0], "tasks": [0, 0]}, {"families": 0, "tasks": 0}, 300
    for _ in range(runs):
        successes = (generator.random((len(sizes), 1)) >= losses)[families].astype(float)
        same = (generator.random((len(sizes), 6)) < 0.6)[families].astype(float)
        for unit, own in (("families", families), ("tasks", None)):
            joint = Joint(np.zeros(len(families), dtype=int), np.ones_like(successes), successes, own)
            together = [intervals.these_sites or (1.0, 1.0) for intervals in band(joint)]
            held[unit][0] += all(low <= -loss <= high for (low, high), loss in zip(together, losses, strict=True))
            tolerated = tolerance(joint, SEVERITIES)
            ends = tolerated.these_sites if tolerated else None
            held[unit][1] += ends is not None and ends.low.rank <= true.rank <= ends.high.rank
            alarms[unit] += page(same, own)[1] <= 0.05
    assert held["families"][0] >= least * runs
    assert held["families"][1] >= 0.92 * runs
    assert max(held["tasks"]) < 0.88 * runs
    assert alarms["families"] <= 0.08 * runs
    assert alarms["tasks"] > 0.1 * runs


def test_fewer_than_five_families_have_no_interval() -> None:
    """However many tasks they have; `missing` says so."""
    rows = [[True] * 10, [False] * 10, [True, False] * 5] * 4
    measured = curves(run(rows, ["0", "1", "2"] * 4))
    (failure, noise) = measured.dose_responses
    figures = [(figure.tasks, figure.families) for figure in (noise, failure)]
    figures += [(figure.tasks, figure.families) for figure in measured.interactions]
    assert {*figures, *((figure.tasks, figure.families) for figure in measured.steps)} == {(12, 3)}
    assert measured.repeats[0].families == 3
    assert noise.points[0].pointwise.these_sites is noise.points[0].band.these_sites is None
    assert noise.tolerance is not None
    assert noise.tolerance.these_sites is None
    assert noise.trend is None
    assert "Two severities only (noise@1 and noise@2): no trend, which needs 3." in measured.missing
    assert {intervals.these_sites for curve in measured.steps for intervals in curve.intervals} == {None}
    assert "With fewer than 5 families of tasks, no interval over tasks is computed." in measured.missing
