"""Page's test, checked with SciPy, a textbook's example and brute force."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import page_trend_test, permutation_test, rankdata

from stressweb.analysis.curves.trend import finds_trend, page, trend
from stressweb.analysis.graded import Graded
from tests.stressweb.analysis.curves.small_runs import severity_run

COTTON = [
    [7.46, 7.17, 7.76, 8.14, 7.63],
    [7.68, 7.57, 7.73, 8.15, 8.00],
    [7.21, 7.80, 7.74, 7.87, 7.93],
]
"""Strength of cotton, three blocks, potash falling from 144 to 36 (Hollander and Wolfe, table 7.3): L = 158."""
TEACHING = [
    [3, 4, 3], [2, 2, 4], [3, 3, 5], [1, 3, 2], [2, 3, 2], [2, 4, 5], [1, 2, 4], [3, 4, 4], [2, 4, 5], [1, 3, 4],
]  # fmt: skip
"""Ratings of three methods by ten students, with ties (SciPy's example, after Statext): L = 133.5."""


def test_the_textbooks_example() -> None:
    statistic, p_value = page(np.array(COTTON))
    assert statistic == 158
    assert p_value == pytest.approx(page_trend_test(COTTON, method="exact").pvalue)
    assert 0.001 < p_value < 0.01


def test_with_ties_it_counts_the_orders_within_blocks() -> None:
    """SciPy's p-value of 0.00182 ignores the ties; the exact one is smaller."""
    statistic, p_value = page(np.array(TEACHING, dtype=float))
    assert statistic == page_trend_test(TEACHING).statistic == 133.5
    ranks = rankdata(TEACHING, axis=1)

    def statistic_of(*columns: np.ndarray, axis: int) -> np.ndarray:
        return sum(rank * column.sum(axis=axis) for rank, column in enumerate(columns, 1))  # type: ignore[return-value]

    drawn = permutation_test(
        tuple(ranks.T), statistic_of, permutation_type="samples", alternative="greater", vectorized=True,
        n_resamples=50_000, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert p_value == pytest.approx(drawn.pvalue, abs=5e-4)
    assert p_value < page_trend_test(TEACHING, method="exact").pvalue


@settings(max_examples=30)
@given(st.integers(2, 5), st.integers(3, 5), st.randoms(use_true_random=False))
def test_without_ties_it_is_scipys(rows: int, columns: int, random: Random) -> None:
    values = np.array([random.sample(range(50), columns) for _ in range(rows)], dtype=np.float64)
    expected = page_trend_test(values, method="exact")
    assert page(values) == pytest.approx((expected.statistic, expected.pvalue))


def by_severity(episodes: list[Graded]) -> dict[int, list[Graded]]:
    by_level: dict[int, list[Graded]] = {}
    for each_episode in episodes:
        if each_episode.condition != "clean":
            by_level.setdefault(int(each_episode.condition[-1]), []).append(each_episode)
    return by_level


def test_tasks_without_any_difference_do_not_decide() -> None:
    tested = trend(by_severity(severity_run(lambda task, severity: False)))
    assert tested is not None
    assert (tested.p_value, tested.severities, tested.deciding) == (1, (1, 2, 3, 4, 5), 0)


def test_a_loss_that_grows_is_found_and_a_gain_is_not() -> None:
    growing = trend(by_severity(severity_run(lambda task, severity: task < 2 * severity)))
    shrinking = trend(by_severity(severity_run(lambda task, severity: task < 2 * (6 - severity))))
    assert growing is not None
    assert growing.p_value is not None
    assert growing.p_value < 1e-4
    assert shrinking is not None
    assert shrinking.p_value is not None
    assert shrinking.p_value > 0.05


def test_a_loss_that_is_the_same_at_every_severity_is_no_trend() -> None:
    """Ranked together with clean it would be a trend, as clean is above all severities."""
    episodes = severity_run(lambda task, severity: task < 9)
    tested = trend(by_severity(episodes))
    assert tested is not None
    assert (tested.p_value, tested.deciding) == (1, 0)
    arms = {
        0: [each_episode for each_episode in episodes if each_episode.condition == "clean"],
        **by_severity(episodes),
    }
    columns = np.column_stack([[each_episode.success for each_episode in own] for own in arms.values()]).astype(float)
    assert page(columns[:, ::-1])[1] < 0.001


@pytest.mark.parametrize("lost", range(9))
def test_fewer_than_six_deciding_tasks_are_not_tested(lost: int) -> None:
    """Two tasks of twelve that fall through five severities could give p < .05."""
    tested = trend(by_severity(severity_run(lambda task, severity: task < lost and severity > 1 + task % 3)))
    assert tested is not None
    assert (tested.tasks, tested.families, tested.deciding) == (12, 12, lost)
    assert (tested.p_value is None) == (0 < lost < 6)
    few = trend(by_severity(severity_run(lambda task, severity: severity > 1 + task % 3, tasks=5)))
    assert few is not None
    assert (few.families, few.p_value) == (5, None)


def test_families_decide() -> None:
    """Twelve tasks of two families are two units."""
    episodes = [
        each_episode.model_copy(update={"site": "s", "family": f"family-{int(each_episode.task[-1]) % 2}"})
        for each_episode in severity_run(lambda task, severity: severity > 2, tasks=12)
    ]
    tested = trend(by_severity(episodes))
    assert tested is not None
    assert (tested.tasks, tested.families, tested.deciding, tested.p_value) == (12, 2, 2, None)


def test_severities_are_ranked_within_the_same_draws() -> None:
    tripled = {
        s: [each_episode.model_copy(update={"stress_seed": n}) for each_episode in own for n in (0, 1, 2)]
        for s, own in by_severity(severity_run(lambda task, severity: False)).items()
    }
    tested = trend(tripled)
    assert tested is not None
    assert (tested.severities, tested.tasks) == ((1, 2, 3, 4, 5), 12)


def test_an_error_excludes_its_draws_at_every_severity() -> None:
    stressed = by_severity(severity_run(lambda task, severity: task < severity, tasks=3))
    stressed[2][0] = stressed[2][0].model_copy(update={"status": "error"})
    tested = trend(stressed)
    assert tested is not None
    assert tested.tasks == 2
    assert trend({1: stressed[1], 2: stressed[2]}) is None
    assert trend({s: own[:1] for s, own in stressed.items()}) is None


@pytest.mark.parametrize("cost", [0.0, 0.15, 0.5])
def test_a_cost_that_is_the_same_everywhere_alarms_at_the_level(cost: float) -> None:
    """Twelve tasks that succeed in 90 % of clean episodes, 300 runs."""
    generator, runs = np.random.default_rng(11), 300
    alarms = sum(finds_trend((generator.random((12, 5)) < 0.9 - cost).astype(float)) for _ in range(runs))
    assert alarms / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
