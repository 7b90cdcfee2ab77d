"""Statistics, checked with published values, brute force and properties."""

import math
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from stressweb.analysis.statistics import (
    Interval,
    can_reject,
    difference_interval,
    holm,
    pass_hat_k,
    rate_interval,
    retention,
    retention_interval,
    sign_flip,
    wilson,
)
from stressweb.analysis.wording import whole

# Fisher (1935), The Design of Experiments, section 21: Darwin's maize, crossed minus self-fertilised, in eighths of
# inches.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

rates = st.lists(st.sampled_from([-1.0, -2 / 3, -0.5, -1 / 3, 0.0, 1 / 3, 0.5, 2 / 3, 1.0]), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(14, 16, 64.0, 96.5), (3, 4, 30.1, 95.4), (0, 10, 0.0, 27.8), (81, 263, 25.5, 36.6)],
)
def test_wilson_equals_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    """The first two are AgentGauntlet's, the last is Newcombe's (1998) example without continuity correction."""
    interval = wilson(successes, trials)
    assert (round(100 * interval.low, 1), round(100 * interval.high, 1)) == (low, high)


def test_wilson_without_trials_is_0_to_1() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(st.integers(0, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate_and_mirrors(counts: tuple[int, int]) -> None:
    successes, trials = counts
    interval, mirrored = wilson(successes, trials), wilson(trials - successes, trials)
    if trials:
        theirs = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
        assert interval == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert 0 <= interval.low <= interval.high <= 1
    if trials:
        assert interval.low - 1e-12 <= successes / trials <= interval.high + 1e-12
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)


def test_sign_flip_equals_fishers_count_for_darwins_maize() -> None:
    """Fisher counts 863 of 32768 arrangements in one tail."""
    assert sign_flip(DARWIN) == pytest.approx(2 * 863 / 32768, abs=1e-12)


def test_sign_flip_equals_the_exact_mcnemar_test_of_the_literature() -> None:
    """Fay (2010), R Journal 2(1): 9 against 2 discordant pairs, p = 0.06543."""
    differences = [1.0] * 9 + [-1.0] * 2 + [0.0] * 33
    assert round(sign_flip(differences), 5) == 0.06543


@given(st.integers(0, 90), st.integers(0, 90), st.integers(0, 20))
def test_sign_flip_equals_mcnemar_for_one_repeat(lost: int, gained: int, equal: int) -> None:
    differences = [-1.0] * lost + [1.0] * gained + [0.0] * equal
    expected = stats.binomtest(lost, lost + gained).pvalue if lost + gained else 1.0
    assert sign_flip(differences) == pytest.approx(expected, rel=1e-9)


@given(rates)
@settings(max_examples=60)
def test_sign_flip_equals_brute_force(differences: list[float]) -> None:
    observed = abs(sum(differences))
    sums = [abs(sum(np.multiply(signs, differences))) for signs in product((-1, 1), repeat=len(differences))]
    assert sign_flip(differences) == pytest.approx(np.mean(np.array(sums) >= observed - 1e-9))


@given(rates, st.randoms())
def test_sign_flip_ignores_order_sign_and_scale(differences: list[float], random: Random) -> None:
    mixed = random.sample(differences, len(differences))
    assert sign_flip([-100 * difference for difference in mixed]) == pytest.approx(sign_flip(differences))


def test_sign_flip_without_a_difference_is_one() -> None:
    assert sign_flip([]) == sign_flip([0.0] * 12) == 1.0


def test_sign_flip_of_one_task_cannot_reject() -> None:
    assert sign_flip([-1.0]) == 1.0


def test_sign_flip_by_draws_is_deterministic_and_near_exact() -> None:
    exact = sign_flip(DARWIN)
    drawn = sign_flip(DARWIN, most=16)
    assert drawn == sign_flip(DARWIN, most=16) != exact
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 200_000))


def test_sign_flip_of_many_odd_differences_stays_within_memory() -> None:
    differences = np.random.default_rng(1).normal(1.0, 1.0, 60)
    assert 0 < sign_flip(differences.tolist()) < 1e-4


def whole_points(interval: Interval | None) -> tuple[int, int]:
    assert interval is not None
    return whole(100 * interval.low), whole(100 * interval.high)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([-1.0] * 30, (-100, -82)),
        ([-1.0] * 5 + [0.0] * 7, (-69, -3)),
        ([0.0] * 30, (-9, 9)),
        ([-1.0] * 11 + [0.0], (-100, -48)),
        ([0.5] * 5, (-11, 82)),
    ],
)
def test_the_difference_has_bonett_and_prices_interval(differences: list[float], expected: tuple[int, int]) -> None:
    assert whole_points(difference_interval(differences)) == expected


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_single_repeats_give_bonett_and_prices_formula(lost: int, gained: int, equal: int) -> None:
    """Their equation for paired proportions, with n+1 instead of n+2 in the variance, which is slightly wider."""
    tasks = lost + gained + equal
    interval = difference_interval([-1.0] * lost + [1.0] * gained + [0.0] * equal)
    if tasks < 5:
        assert interval is None
        return
    assert interval is not None
    down, up = (lost + 1) / (tasks + 2), (gained + 1) / (tasks + 2)
    error = math.sqrt((down + up - (up - down) ** 2) / (tasks + 1))
    assert interval.low == pytest.approx(max(-1, up - down - 1.959963985 * error))
    assert interval.high == pytest.approx(min(1, up - down + 1.959963985 * error))


TENTHS = st.integers(0, 10).map(lambda tenths: tenths / 10)


@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=5, max_size=40), st.sampled_from([0.5, 0.8, 0.95, 0.99]))
def test_every_interval_holds_its_estimate_and_stays_on_its_scale(
    pairs: list[tuple[float, float]], level: float
) -> None:
    clean, stressed = [rate for rate, _ in pairs], [rate for _, rate in pairs]
    losses = [after - before for before, after in pairs]
    difference, rate = difference_interval(losses, level), rate_interval(stressed, level=level)
    assert difference is not None
    assert rate is not None
    assert -1 <= difference.low <= np.mean(losses) <= difference.high <= 1
    assert 0 <= rate.low <= np.mean(stressed) <= rate.high <= 1
    assert difference.high - difference.low > 0.01
    retained = retention_interval(stressed, clean, level)
    if retained is not None:
        assert 0 <= retained.low <= np.mean(stressed) / np.mean(clean) <= retained.high


@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=5, max_size=40))
def test_retention_holds_one_exactly_where_the_difference_holds_nothing_lost(pairs: list[tuple[float, float]]) -> None:
    clean, stressed = [rate for rate, _ in pairs], [rate for _, rate in pairs]
    retained = retention_interval(stressed, clean)
    difference = difference_interval([after - before for before, after in pairs])
    assert difference is not None
    if retained is not None and min(abs(difference.low), abs(difference.high)) > 1e-6:
        assert (retained.low <= 1 <= retained.high) == (difference.low <= 0 <= difference.high)


def test_a_fieller_interval_equals_the_ends_that_a_search_finds() -> None:
    """r is inside if the interval of the mean of stressed - r clean, two tasks added, contains 0."""
    generator = np.random.default_rng(3)
    clean, stressed = generator.integers(5, 11, 30) / 10, generator.integers(0, 6, 30) / 10
    fieller = retention_interval(stressed.tolist(), clean.tolist())
    assert fieller is not None

    def least(ratio: float) -> float:
        values = np.append(stressed - ratio * clean, [-ratio, 1.0])
        interval = stats.norm.interval(0.95, values.mean(), stats.sem(values))
        return float(max(interval[0], -interval[1]))

    estimate = float(stressed.mean() / clean.mean())
    assert fieller.low == pytest.approx(optimize.brentq(least, 0.0, estimate), abs=1e-9)
    assert fieller.high == pytest.approx(optimize.brentq(least, estimate, 2.0), abs=1e-9)


def test_a_rate_has_agresti_and_coulls_interval_over_tasks() -> None:
    """2 successes and 2 failures added to 9 of 10: 11 of 14, with the sample's standard error."""
    interval = rate_interval([1.0] * 9 + [0.0])
    error = 1.959963985 * math.sqrt(11 / 14 * 3 / 14 / 13)
    assert interval == pytest.approx((11 / 14 - error, 1.0))


def test_weights_of_one_change_nothing_and_tasks_without_weight_do_not_count() -> None:
    rates = [0.0, 0.2, 0.5, 1.0, 1.0, 1.0]
    assert rate_interval(rates, [1.0] * 6) == pytest.approx(rate_interval(rates))
    assert rate_interval([*rates, 0.0], [1.0] * 6 + [0.0]) == pytest.approx(rate_interval(rates))
    assert rate_interval([1.0] * 4 + [0.0], [1.0] * 4 + [0.0]) is None


def test_fewer_than_five_tasks_have_no_interval() -> None:
    assert (
        difference_interval([-1.0] * 4) is rate_interval([1.0] * 4) is retention_interval([1.0] * 4, [1.0] * 4) is None
    )
    assert retention_interval([0.0] * 12, [0.0] * 12) is None


def test_retention_of_next_to_nothing_has_no_bound() -> None:
    assert retention_interval([0.0] * 12, [1.0, *[0.0] * 11]) is None


@pytest.mark.parametrize(("tasks", "comparisons", "can"), [(5, 1, False), (6, 1, True), (6, 2, False), (8, 6, True)])
def test_few_tasks_cannot_reject(tasks: int, comparisons: int, can: bool) -> None:
    assert can_reject(tasks, comparisons) == can
    assert (max(holm([sign_flip([-1.0] * tasks), *[1.0] * (comparisons - 1)][:1] * comparisons)) <= 0.05) == can


def test_pass_hat_k_by_hand() -> None:
    assert pass_hat_k([4, 4], [4, 2], 1) == 0.75
    assert pass_hat_k([4, 4], [4, 2], 2) == pytest.approx((1 + 1 / 6) / 2)
    assert pass_hat_k([4, 4], [4, 2], 3) == 0.5


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_hat_k_equals_brute_force(case: tuple[int, int, int]) -> None:
    trials, successes, k = case
    outcomes = [1] * successes + [0] * (trials - successes)
    assert pass_hat_k([trials], [successes], k) == pytest.approx(np.mean([all(c) for c in combinations(outcomes, k)]))


@pytest.mark.parametrize(("trials", "successes", "k"), [([], [], 1), ([2], [1], 3), ([2], [3], 1), ([2], [1], 0)])
def test_pass_hat_k_refuses_the_undefined(trials: list[int], successes: list[int], k: int) -> None:
    with pytest.raises(ValueError, match="pass"):
        pass_hat_k(trials, successes, k)


def test_holm_equals_rs_p_adjust() -> None:
    """p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_monotone_and_between_p_and_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert [high for _, high in pairs] == sorted(adjusted)
    assert all(p <= high <= min(1.0, p * len(p_values)) for p, high in pairs)


def test_retention_needs_a_clean_success() -> None:
    assert retention(0.3, 0.6) == 0.5
    assert retention(0.3, 0.0) is None
