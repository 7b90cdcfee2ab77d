"""Statistics against vectors from elsewhere, brute force and properties."""

import math
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stressweb import statistics
from stressweb.statistics import (
    Interval,
    cluster_bootstrap,
    holm,
    minimum_detectable_effect,
    pass_hat_k,
    retention,
    sign_flip,
    unseen,
    wilson,
)

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
    found = wilson(successes, trials)
    assert (round(100 * found.low, 1), round(100 * found.high, 1)) == (low, high)


def test_wilson_knows_nothing_without_trials() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(st.integers(0, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate_and_mirrors(counts: tuple[int, int]) -> None:
    successes, trials = counts
    found, mirrored = wilson(successes, trials), wilson(trials - successes, trials)
    assert 0 <= found.low <= found.high <= 1
    if trials:
        assert found.low - 1e-12 <= successes / trials <= found.high + 1e-12
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)


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
def test_sign_flip_forgets_order_sign_and_scale(differences: list[float], random: Random) -> None:
    mixed = random.sample(differences, len(differences))
    assert sign_flip([-100 * value for value in mixed]) == pytest.approx(sign_flip(differences))


def test_sign_flip_without_a_difference_is_one() -> None:
    assert sign_flip([]) == sign_flip([0.0] * 12) == 1.0


def test_sign_flip_of_one_task_cannot_reject() -> None:
    assert sign_flip([-1.0]) == 1.0


def test_sign_flip_by_draws_is_deterministic_and_near_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = sign_flip(DARWIN)
    monkeypatch.setattr(statistics, "_EXACT_SUMS", 16)
    drawn = sign_flip(DARWIN)
    assert drawn == sign_flip(DARWIN) != exact
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 200_000))


def test_sign_flip_of_many_odd_differences_stays_within_memory() -> None:
    differences = np.random.default_rng(1).normal(1.0, 1.0, 60)
    assert 0 < sign_flip(differences.tolist()) < 1e-4


def test_bootstrap_equals_the_house_example() -> None:
    """One of twelve tasks kept: -92 [-100, -75]; a resample holds Binomial(12, 1/12) kept ones."""
    kept = stats.binom(12, 1 / 12)
    assert cluster_bootstrap([-1.0] * 11 + [0.0]) == Interval(-1 + kept.ppf(0.025) / 12, -1 + kept.ppf(0.975) / 12)
    assert cluster_bootstrap([-1.0] * 11 + [0.0]) == Interval(-1.0, -0.75)


def test_bootstrap_equals_scipys() -> None:
    data = np.random.default_rng(3).normal(10, 4, 40)
    theirs = stats.bootstrap((data,), np.mean, n_resamples=20_000, method="percentile", rng=5).confidence_interval
    ours = cluster_bootstrap(data.tolist())
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.06)


def test_bootstrap_of_a_ratio_equals_scipys() -> None:
    generator = np.random.default_rng(4)
    totals = generator.integers(3, 9, 30).astype(float)
    passed = np.floor(totals * generator.random(30))
    theirs = stats.bootstrap(
        (passed, totals), lambda a, b, axis: a.sum(axis) / b.sum(axis), paired=True, n_resamples=20_000,
        method="percentile", rng=5,
    ).confidence_interval  # fmt: skip
    ours = cluster_bootstrap(passed.tolist(), weights=totals.tolist())
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.006)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=15), st.floats(0.5, 0.99))
@settings(max_examples=40)
def test_bootstrap_stays_within_the_values_and_repeats(values: list[float], level: float) -> None:
    found = cluster_bootstrap(values, level, resamples=500)
    assert found == cluster_bootstrap(values, level, resamples=500)
    assert found is not None
    assert min(values) - 1e-6 <= found.low <= found.high <= max(values) + 1e-6


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=15))
@settings(max_examples=40)
def test_bootstrap_widens_with_level(values: list[float]) -> None:
    narrow, wide = cluster_bootstrap(values, 0.8, resamples=500), cluster_bootstrap(values, 0.99, resamples=500)
    assert narrow is not None
    assert wide is not None
    assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_bootstrap_of_nothing_is_none() -> None:
    assert cluster_bootstrap([]) is None
    assert cluster_bootstrap([0.0, 0.0], weights=[0.0, 0.0]) is None


def test_bootstrap_of_agreeing_tasks_has_no_width_and_unseen_says_what_that_is_worth() -> None:
    assert cluster_bootstrap([-1 / 3] * 12) == Interval(-1 / 3, -1 / 3)
    assert cluster_bootstrap([0.5]) == Interval(0.5, 0.5)
    assert round(unseen(12), 3) == 0.242
    assert unseen(0) == 1.0


def test_bootstrap_refuses_a_ratio_that_is_mostly_undefined() -> None:
    assert cluster_bootstrap([1.0, 0.0, 0.0], weights=[1.0, 0.0, 0.0]) is None


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


def test_minimum_detectable_effect_equals_millers_sample_size() -> None:
    """Miller's worked example: 969 tasks find 3 points where the variance between tasks is 1/9 and repeats are many."""
    assert minimum_detectable_effect(969, 1 / 9) <= 0.03 < minimum_detectable_effect(968, 1 / 9)


def test_minimum_detectable_effect_is_found_as_often_as_it_says() -> None:
    generator = np.random.default_rng(7)
    effect = minimum_detectable_effect(100, 0.04, (0.09, 0.16), (3, 2))
    spread = math.sqrt(0.04 + 0.09 / 3 + 0.16 / 2)
    means = generator.normal(effect, spread, (4000, 100)).mean(axis=1)
    assert np.mean(np.abs(means) > 1.959964 * spread / 10) == pytest.approx(0.8, abs=0.025)
    assert minimum_detectable_effect(0, 1.0) == math.inf


def test_retention_needs_something_to_lose() -> None:
    assert retention(0.3, 0.6) == 0.5
    assert retention(0.3, 0.0) is None
