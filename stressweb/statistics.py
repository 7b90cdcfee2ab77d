"""Intervals and tests over tasks: pure functions of numbers, the same answer on every run.

Tasks are the units. Repeats of a task are averaged before they come here, since they tell little about other tasks.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import comb
from scipy.stats import binomtest, norm

type Floats = npt.NDArray[np.float64]

SEED = 20260101
"""Seed of every resampling: a report made twice from one run must not differ."""
RESAMPLES = 10_000
_EXACT_SUMS = 1 << 20
_FLIPS = 200_000
_BATCH = 1_000
_TIE = 1e-9


class Interval(NamedTuple):
    """A two-sided confidence interval, in the unit of what it was made from."""

    low: float
    high: float


def wilson(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Return Wilson's interval of a rate, 0 to 1; without trials nothing is known: (0, 1).

    It takes trials for independent: with several repeats of one task it is too narrow, and `cluster_bootstrap` over
    the tasks' rates is the one to read.
    """
    if trials == 0:
        return Interval(0.0, 1.0)
    found = binomtest(successes, trials).proportion_ci(level, method="wilson")
    return Interval(float(found.low), float(found.high))


def sign_flip(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of the mean of paired differences, one per task, under random signs.

    Exact as long as the sums that the signs can make number at most 2**20: always up to 20 differences other than 0,
    and for any number of them that share few values. One repeat (differences of -1, 0, 1) gives the exact McNemar
    test. Beyond that, 200,000 keyed flips. No difference other than 0 gives 1.
    """
    nonzero = np.array([value for value in differences if abs(value) > _TIE])
    if nonzero.size == 0:
        return 1.0
    observed = abs(float(nonzero.sum()))
    exact = _sums(np.abs(nonzero))
    if exact is None:
        return _flipped(nonzero, observed)
    sums, shares = exact
    return min(1.0, float(shares[np.abs(sums) >= observed - _TIE * nonzero.size].sum()))


def _sums(sizes: Floats) -> tuple[Floats, Floats] | None:
    """Return every sum that signs can give the sizes, with its probability; None if there are too many."""
    sums, shares = np.zeros(1), np.ones(1)
    for size in sizes:
        if sums.size > _EXACT_SUMS // 2:
            return None
        # Equal sums reached by other orders differ in the last bits; unless merged, repeated values grow as 2**n.
        both = np.round(np.concatenate([sums - size, sums + size]), 10)
        sums, where = np.unique(both, return_inverse=True)
        shares = np.bincount(where, weights=np.concatenate([shares, shares]) / 2)
    return sums, shares


def _flipped(differences: Floats, observed: float) -> float:
    generator = np.random.default_rng(SEED)
    hits = 0
    for _ in range(_FLIPS // _BATCH):
        signs = generator.integers(0, 2, (_BATCH, differences.size)) * 2 - 1
        hits += int(np.count_nonzero(np.abs(signs @ differences) >= observed - _TIE * differences.size))
    # The observed signs are one of the possible flips: without it a p-value of 0 could come out.
    return (hits + 1) / (_FLIPS + 1)


def cluster_bootstrap(
    values: Sequence[float], level: float = 0.95, weights: Sequence[float] | None = None, resamples: int = RESAMPLES
) -> Interval | None:
    """Return the percentile interval of sum(values) / sum(weights) over tasks drawn again with replacement.

    `values` has one number per task: a rate or a paired difference, all weights 1, or the numerator of a pooled rate
    or of a retention with its denominator in `weights`.

    None without tasks, if all weights are 0, or if the ratio is undefined in more resamples than the interval leaves
    outside at one end. Tasks that all agree give an interval of no width. That says that this sample shows no
    spread, not that there is none: `unseen` bounds the share of tasks of the kind that might come out otherwise.
    """
    top = np.asarray(values, dtype=np.float64)
    bottom = np.ones_like(top) if weights is None else np.asarray(weights, dtype=np.float64)
    if top.size == 0 or not bottom.any():
        return None
    if np.allclose(top, top[0], rtol=0, atol=_TIE) and np.allclose(bottom, bottom[0], rtol=0, atol=_TIE):
        same = float(top[0] / bottom[0])
        return Interval(same, same)
    generator = np.random.default_rng(SEED)
    counts = (min(_BATCH, resamples - start) for start in range(0, resamples, _BATCH))
    ratios = np.concatenate([_ratios(top, bottom, generator, count) for count in counts])
    tail = (1 - level) / 2
    if np.isnan(ratios).mean() > tail:
        return None
    low, high = np.nanquantile(ratios, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _ratios(top: Floats, bottom: Floats, generator: np.random.Generator, count: int) -> Floats:
    tasks = generator.integers(0, top.size, (count, top.size))
    below = bottom[tasks].sum(axis=1)
    found: Floats = np.divide(top[tasks].sum(axis=1), below, out=np.full(count, np.nan), where=below != 0)
    return found


def unseen(tasks: int, level: float = 0.95) -> float:
    """Return the upper bound of the share of tasks that differ from `tasks` that all agreed (Wilson's, of 0)."""
    return wilson(0, tasks, level).high


def pass_hat_k(trials: Sequence[int], successes: Sequence[int], k: int) -> float:
    """Return pass^k: the chance that k trials of a task drawn at random all succeed, unbiased, averaged over tasks.

    ValueError if a task has fewer than k trials or more successes than trials, or if there are no tasks.
    """
    pairs = list(zip(trials, successes, strict=True))
    if k < 1 or not pairs or any(n < k or not 0 <= c <= n for n, c in pairs):
        raise ValueError(f"pass^{k} needs tasks with at least {max(k, 1)} trials and no more successes than trials")
    return sum(float(comb(c, k, exact=True) / comb(n, k, exact=True)) for n, c in pairs) / len(pairs)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values in the order given."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted


def minimum_detectable_effect(
    tasks: int,
    between: float,
    within: tuple[float, float] = (0.0, 0.0),
    repeats: tuple[int, int] = (1, 1),
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Return the smallest true mean difference that a paired run of `tasks` finds with the given power.

    `between` is the variance over tasks of the difference of expected scores, `within` the mean variance of repeats
    of one task in either arm, `repeats` how many there are (Miller, arXiv 2411.00640, section 5). Infinite without
    tasks.
    """
    if tasks == 0:
        return math.inf
    variance = between + sum(spread / count for spread, count in zip(within, repeats, strict=True))
    return float(norm.ppf(1 - alpha / 2) + norm.ppf(power)) * math.sqrt(variance / tasks)


def retention(perturbed: float, clean: float) -> float | None:
    """Return how much of a clean score is left; None where there was none to lose."""
    return perturbed / clean if clean > 0 else None
