"""Families of tasks are the units of every interval and test of the curves: against statsmodels, SciPy and simulation."""

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
from tests.stressweb.analysis.curves.making import SEVERITIES, at, curves
from tests.stressweb.analysis.test_families import FAMILIES, LOSSES

CELLS = ("clean", "noise@1", "noise@2", "failure@3", "noise@2+failure@3")
SIZE = 3
"""Tasks of a family."""
MORE = [0, -1, -1, -1, -0.5, -1, 0, -1, -1, 0.5, -1, -1, -0.5, -1]
"""Losses at another severity, of the tasks of `LOSSES`."""

outcomes = st.lists(st.tuples(*[st.booleans()] * (2 * len(CELLS))), min_size=6, max_size=8)


def run(rows: Sequence[Sequence[bool]], families: Sequence[str]) -> list[Graded]:
    """Return a run with a task for each row: the outcomes of two epochs under each of `CELLS`; two sites."""
    return [
        at(task, label, won, int(family) % 2, family=family, epoch=epoch, steps=3 + won)
        for task, (row, family) in enumerate(zip(rows, families, strict=True))
        for (label, epoch), won in zip([(label, epoch) for label in CELLS for epoch in (0, 1)], row, strict=True)
    ]


def alone(episodes: Sequence[Graded]) -> list[Graded]:
    """Return the run as it would be recorded without families."""
    return [one.model_copy(update={"family": ""}) for one in episodes]


def figures(episodes: Sequence[Graded]) -> dict[str, Any]:
    """Return every figure of the curves by where it stands."""

    def flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
        if inner is None:
            yield path, value
        else:
            for key, one in inner:
                yield from flat(one, f"{path}/{key}")

    return dict(flat(to_json(curves(episodes)), ""))


@settings(max_examples=25)
@given(outcomes)
def test_families_of_one_task_change_nothing(rows: list[tuple[bool, ...]]) -> None:
    """Every figure is exactly what it is without families."""
    episodes = run(rows, [str(number) for number in range(len(rows))])
    assert figures(episodes) == figures(alone(episodes))


@settings(max_examples=25)
@given(outcomes)
def test_tasks_that_do_what_their_family_does_say_nothing_new(rows: list[tuple[bool, ...]]) -> None:
    """Families of equally many tasks that agree have the figures of one task each, and not those of so many tasks."""
    families = [str(number) for number in range(len(rows))]
    once = figures(run(rows, families))
    episodes = run([row for row in rows for _ in range(SIZE)], [one for one in families for _ in range(SIZE)])
    # Counts and sums are of all tasks; Page's L adds up their ranks.
    apart = ("tasks", "episodes", "statistic", "costs", "difficulties", "results", "capped", "left_out")

    def compared(found: dict[str, Any]) -> dict[str, Any]:
        return {path: one for path, one in found.items() if not set(path.split("/")) & set(apart)}

    expected, found, narrow = (compared(each) for each in (once, figures(episodes), figures(alone(episodes))))
    # Numbers apart, since None and words cannot be nearly equal.
    numbers = [path for path, one in expected.items() if isinstance(one, float)]
    assert len(numbers) > 20
    assert [found[path] for path in numbers] == pytest.approx([expected[path] for path in numbers])
    assert {path: one for path, one in found.items() if path not in numbers} == {
        path: one for path, one in expected.items() if path not in numbers
    }
    ends = [path for path in numbers if "/these_sites/" in path and path.endswith(("/0", "/1"))]
    assert ends
    # The same run, recorded without families, keeps the narrower intervals.
    for path in ends:
        assert (narrow[path] >= found[path] - 1e-9) if path.endswith("/0") else (narrow[path] <= found[path] + 1e-9)
    lows = [path for path in ends if path.endswith("/0")]
    assert any(narrow[path] > found[path] + 0.01 for path in lows)


def test_the_covariance_of_a_band_is_that_of_statsmodels() -> None:
    """OLS of both columns of losses on a dummy each, statsmodels 0.15.0: cov_type="cluster", groups of families of two.

    Without its correction, times 7 / 6 for seven families: with families of equal size, that is CR2.
    """
    found = covariance(*totals(np.column_stack([LOSSES, MORE]), "aabbccddeeffgg"))
    assert found == pytest.approx(np.array([[0.01403061, 0.00956633], [0.00956633, 0.01105442]]), abs=5e-9)


def test_a_tolerance_is_the_inversion_of_the_retention_of_families() -> None:
    stressed = 1 + np.column_stack([LOSSES, MORE])
    made = Joint(np.zeros(len(FAMILIES), dtype=int), np.ones_like(stressed), stressed, FAMILIES)
    found = tolerance(made, (1, 2))
    assert found is not None
    assert found.these_sites is not None
    for at_, severity in enumerate((1, 2)):
        interval = retention_interval(stressed[:, at_].tolist(), made.clean[:, at_].tolist(), families=FAMILIES)
        assert interval is not None
        inside = found.these_sites.low.rank <= (1, severity) <= found.these_sites.high.rank
        assert inside == (interval.low <= FLOOR <= interval.high)


def test_the_trend_orders_whole_families() -> None:
    """As SciPy counts over all orders of the columns in each family."""
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
    # The same L, of fewer units.
    assert page(values)[0] == page(values, families)[0]
    assert page(values)[1] < page(values, families)[1]


@pytest.mark.parametrize(
    ("sizes", "least"),
    # Where four of twelve families have three quarters of the tasks, the band is too short: docs/results.md says so.
    [((3,) * 12, 0.92), ((2,) * 30, 0.92), ((1, 2, 3, 4) * 5, 0.92), ((1,) * 8 + (6,) * 4, 0.8)],
    ids=["few", "many", "uneven", "lopsided"],
)
def test_they_hold_their_levels_where_families_fail_together(sizes: tuple[int, ...], least: float) -> None:
    """Families of which all tasks have one outcome: over tasks, bands and tolerances are too short, and tests alarm."""
    generator, families = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes).tolist()
    losses, true = np.array([0.05, 0.12, 0.2, 0.3, 0.4]), Severity(3.0)
    held, alarms, runs = {"families": [0, 0], "tasks": [0, 0]}, {"families": 0, "tasks": 0}, 300
    for _ in range(runs):
        kept = (generator.random((len(sizes), 1)) >= losses)[families].astype(float)
        same = (generator.random((len(sizes), 6)) < 0.6)[families].astype(float)
        for said, own in (("families", families), ("tasks", None)):
            made = Joint(np.zeros(len(families), dtype=int), np.ones_like(kept), kept, own)
            together = [one.these_sites or (1.0, 1.0) for one in band(made)]
            held[said][0] += all(low <= -loss <= high for (low, high), loss in zip(together, losses, strict=True))
            found = tolerance(made, SEVERITIES)
            ends = found and found.these_sites
            held[said][1] += ends is not None and ends.low.rank <= true.rank <= ends.high.rank
            alarms[said] += page(same, own)[1] <= 0.05
    assert held["families"][0] >= least * runs
    assert held["families"][1] >= 0.92 * runs
    assert max(held["tasks"]) < 0.88 * runs
    assert alarms["families"] <= 0.08 * runs
    assert alarms["tasks"] > 0.1 * runs


def test_fewer_than_five_families_have_no_interval() -> None:
    """However many tasks they are of; and the run says so."""
    rows = [[True] * 10, [False] * 10, [True, False] * 5] * 4
    found = curves(run(rows, ["0", "1", "2"] * 4))
    (failure, noise) = found.dose_responses
    assert {(one.tasks, one.families) for one in (noise, failure, *found.interactions, *found.steps)} == {(12, 3)}
    assert found.repeats[0].families == 3
    assert noise.points[0].pointwise.these_sites is noise.points[0].band.these_sites is None
    assert noise.tolerance is not None
    assert noise.tolerance.these_sites is None
    assert noise.trend is None
    assert "Two severities only (noise@1 and noise@2): no trend, which takes 3." in found.missing
    assert {one.these_sites for each in found.steps for one in each.intervals} == {None}
    assert "With fewer than 5 families of tasks, no interval over tasks is computed." in found.missing
