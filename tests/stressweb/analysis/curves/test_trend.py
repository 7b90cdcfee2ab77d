"""Page's test beside SciPy's, a textbook's example, and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import page_trend_test, permutation_test, rankdata

from stressweb.analysis.curves.trend import page, trend
from stressweb.analysis.graded import Graded
from tests.stressweb.analysis.curves.making import at, severe

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


def test_with_ties_it_is_what_the_orders_within_blocks_say() -> None:
    """SciPy's p-value of 0.00182 takes no account of the ties; the orders themselves say less."""
    statistic, p_value = page(np.array(TEACHING, dtype=float))
    assert statistic == page_trend_test(TEACHING).statistic == 133.5
    ranks = rankdata(TEACHING, axis=1)

    def statistic_of(*columns: np.ndarray, axis: int) -> np.ndarray:
        return sum(at * column.sum(axis=axis) for at, column in enumerate(columns, 1))  # type: ignore[return-value]

    drawn = permutation_test(
        tuple(ranks.T), statistic_of, permutation_type="samples", alternative="greater", vectorized=True,
        n_resamples=50_000, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert p_value == pytest.approx(drawn.pvalue, abs=5e-4)
    assert p_value < page_trend_test(TEACHING, method="exact").pvalue


@settings(max_examples=30)
@given(st.integers(2, 5), st.integers(3, 5), st.randoms(use_true_random=False))
def test_without_ties_it_is_scipys(rows: int, columns: int, random: object) -> None:
    values = np.array([random.sample(range(50), columns) for _ in range(rows)], dtype=float)  # type: ignore[attr-defined]
    expected = page_trend_test(values, method="exact")
    assert page(values) == pytest.approx((expected.statistic, expected.pvalue))


def test_tasks_without_any_difference_say_nothing() -> None:
    found = trend(*parts(severe(lambda task, severity: False)))
    assert found is not None
    assert (found.p_value, found.severities) == (1, (0, 1, 2, 3, 4, 5))


def test_a_loss_that_grows_is_found_and_a_gain_is_not() -> None:
    growing = trend(*parts(severe(lambda task, severity: task < 2 * severity)))
    shrinking = trend(*parts(severe(lambda task, severity: task < 2 * (6 - severity))))
    assert growing is not None
    assert shrinking is not None
    assert growing.p_value < 1e-6
    assert shrinking.p_value > 0.05


def parts(episodes: list[Graded]) -> tuple[list[Graded], dict[int, list[Graded]]]:
    found: dict[int, list[Graded]] = {}
    for one in episodes:
        if one.condition != "clean":
            found.setdefault(int(one.condition[-1]), []).append(one)
    return [one for one in episodes if one.condition == "clean"], found


def test_clean_is_left_out_where_it_has_fewer_episodes_than_a_severity() -> None:
    """Its mean of one would rank apart from means of three, without any loss."""
    clean, stressed = parts(severe(lambda task, severity: False))
    tripled = {
        s: [one.model_copy(update={"stress_seed": n}) for one in own for n in (0, 1, 2)] for s, own in stressed.items()
    }
    found = trend(clean, tripled)
    assert found is not None
    assert (found.severities, found.tasks) == ((1, 2, 3, 4, 5), 12)


def test_unequal_numbers_of_episodes_do_not_alarm() -> None:
    """Success of 90 % everywhere, clean run once and severities with three stress seeds: ranking clean would alarm."""
    generator = np.random.default_rng(11)
    alarms = 0
    for _ in range(200):
        clean = [at(task, "clean", bool(generator.random() < 0.9)) for task in range(40)]
        stressed = {
            severity: [
                at(task, f"remap@{severity}", bool(generator.random() < 0.9), stress_seed=seed)
                for task in range(40) for seed in range(3)
            ]
            for severity in (1, 2, 3)
        }  # fmt: skip
        found = trend(clean, stressed)
        assert found is not None
        alarms += found.p_value <= 0.05
    assert alarms / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_an_error_takes_its_draws_from_every_severity() -> None:
    clean, stressed = parts(severe(lambda task, severity: task < severity, tasks=3))
    stressed[2][0] = stressed[2][0].model_copy(update={"status": "error"})
    found = trend(clean, stressed)
    assert found is not None
    assert found.tasks == 2
    assert trend(clean[:1], {s: own[:1] for s, own in stressed.items()}) is None
    assert trend(clean, {1: stressed[1]}) is None
