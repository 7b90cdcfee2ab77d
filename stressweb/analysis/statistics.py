"""Intervals and tests over tasks: pure, deterministic functions of numbers.

Every task has the same weight. Families of tasks are the units that vary, because an agent tends to pass or fail the
tasks of a family together. Repeats of a task are averaged by the caller, because they say little about other tasks. The
mean over tasks is a ratio of two sums over families, of their scores and of their numbers of tasks. Its variance is
cluster-robust (Liang and Zeger 1986, Biometrika 73, 13-22), with the correction CR2 for few families of unequal size
(Bell and McCaffrey 2002, Survey Methodology 28, 169-181). If every family has one task, all formulas are the usual ones
over tasks.

Every interval adds a few imaginary families of mean size at the ends of the scale, and is the normal interval of the
mean of all. So its width is never 0, even if all tasks agree. `scripts/simulator.py` measures the coverage.
"""

import math
from collections.abc import Hashable, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import comb, ndtri, stdtrit

type Floats = npt.NDArray[np.float64]
type Families = Sequence[Hashable] | None
"""The family of each task; None: every task is its own family."""

LEVEL = 0.95
"""Level of every printed interval."""
ALPHA = 0.05
"""Level of every printed test."""
FEWEST = 5
"""Smallest number of families for an interval over tasks."""
SEED = 20260101
"""Seed of the drawn sign flips, so that reports are reproducible."""
_EXACT_SUMS = 1 << 20
# At a p-value of 0.05, this number of flips has a standard error of 0.0005, half of the last printed digit.
_FLIPS = 200_000
_BATCH = 1_000
_TIE = 1e-9


class Interval(NamedTuple):
    """A two-sided confidence interval, in the unit of its estimate."""

    low: float
    high: float


@cache
def wilson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Return Wilson's interval (1927) of a rate, 0 to 1; (0, 1) without trials.

    It assumes independent trials. If tasks have several episodes, use `rate_interval`.
    """
    if trials == 0:
        return Interval(0.0, 1.0)
    # Computed here, because `scipy.stats.binomtest` takes a second to import, in each process of a run.
    z, rate = deviations(level), successes / trials
    middle = rate + z * z / (2 * trials)
    half_width = z * math.sqrt(rate * (1 - rate) / trials + (z / (2 * trials)) ** 2)
    low, high = ((middle + side) / (1 + z * z / trials) for side in (-half_width, half_width))
    return Interval(0.0 if successes == 0 else low, 1.0 if successes == trials else high)


def totals(values: Sequence[float] | Floats, families: Families = None) -> tuple[Floats, Floats]:
    """Return the sum of the values and the number of tasks of each family, in order of appearance.

    `values` has a value or a row for each task. Raises ValueError if the numbers of tasks and families differ.
    """
    every = np.asarray(values, dtype=np.float64)
    if families is None:
        return every, np.ones(len(every))
    if len(families) != len(every):
        raise ValueError(f"{len(every)} tasks have {len(families)} families")
    numbers = {family: number for number, family in enumerate(dict.fromkeys(families))}
    where = np.array([numbers[family] for family in families], dtype=np.intp)
    sums = np.zeros((len(numbers), *every.shape[1:]))
    np.add.at(sums, where, every)
    return sums, np.bincount(where, minlength=len(numbers)).astype(np.float64)


def difference_interval(
    differences: Sequence[float], level: float = LEVEL, families: Families = None
) -> Interval | None:
    """Return the interval of the mean of paired differences, one per task, each from -1 to 1; None below 5 families.

    Bonett and Price's adjusted interval (2012, J. Educ. Behav. Stat. 37, 479-488), also for means of several repeats:
    add one family at -1 and one at +1, of mean size, and take the normal interval of the mean of all, with the standard
    error over families, clipped to -1 and 1.
    """
    return mean_interval(differences, 1.0, level, families)


def mean_interval(
    values: Sequence[float], reach: float, level: float = LEVEL, families: Families = None
) -> Interval | None:
    """Return the interval of a mean over tasks of values from -reach to reach; None below 5 families.

    It is `difference_interval` on another scale, for example for an interaction, a difference of differences.
    """
    sums, sizes = totals(values, families)
    if sums.size < FEWEST:
        return None
    # The two added families give the interval a width even if all tasks agree.
    size = float(sizes.mean())
    centre, half_width = spread(np.append(sums, [-size, size]), np.append(sizes, [size, size]), level)
    return _clipped(float(np.mean(values)), centre - half_width, centre + half_width, -reach, reach)


def rate_interval(
    values: Sequence[float],
    weights: Sequence[float] | None = None,
    level: float = LEVEL,
    families: Families = None,
) -> Interval | None:
    """Return the interval of sum(values) / sum(weights), 0 to 1, one value per task; None below 5 families.

    `values` are the rates of the tasks (no weights), or the numbers of successes in the `weights` trials of each task.
    Agresti and Coull's "add two successes and two failures" (1998, Am. Stat. 52, 119-126), with families instead of
    trials: add two families at 0 and two at 1, of mean weight, and take the normal interval; with weights, Fieller's
    interval of the ratio. Families without weight do not count. Also None if the weights vary so much that the ratio
    has no bound.
    """
    top, sizes = totals(values, families)
    bottom = sizes if weights is None else totals(weights, families)[0]
    # A family without trials says nothing about the rate.
    top, bottom = top[bottom > 0], bottom[bottom > 0]
    if top.size < FEWEST:
        return None
    mean = float(bottom.mean())
    added = np.append(top, [0.0, 0.0, mean, mean]), np.append(bottom, [mean] * 4)
    estimate = float(top.sum() / bottom.sum())
    if weights is None:
        centre, half_width = spread(*added, level)
        return _clipped(estimate, centre - half_width, centre + half_width, 0.0, 1.0)
    ratio = _fieller(*added, level)
    return ratio and _clipped(estimate, *ratio, 0.0, 1.0)


def enclosing(worst: Interval | None, best: Interval | None) -> Interval | None:
    """Return the interval that encloses both; None if one is None.

    `worst` is the interval with all errors counted the worst way, `best` with all errors counted the best way. The
    interval without errors is between them, whatever the errors depend on.
    """
    return worst and best and Interval(min(worst.low, best.low), max(worst.high, best.high))


def retention(perturbed: float, clean: float) -> float | None:
    """Return the share of a clean score that is retained; None if the clean score is 0."""
    return perturbed / clean if clean > 0 else None


def retention_interval(
    stressed: Sequence[float], clean: Sequence[float], level: float = LEVEL, families: Families = None
) -> Interval | None:
    """Return the interval of mean(stressed) / mean(clean), one pair of rates per task; None below 5 families.

    Fieller's interval over families, with an added family that gains all and one that loses all. If every family has
    one task, it contains the ratios r for which `difference_interval` of stressed - r clean contains 0; so it contains
    1 exactly if the interval of the difference contains 0. Also None if the clean score is so low that the ratio has no
    bound.
    """
    stressed_sums, sizes = totals(stressed, families)
    under, _ = totals(clean, families)
    if sizes.size < FEWEST or not any(clean):
        return None
    size = float(sizes.mean())
    ratio = _fieller(np.append(stressed_sums, [0.0, size]), np.append(under, [size, 0.0]), level)
    return ratio and _clipped(float(np.mean(stressed) / np.mean(clean)), *ratio, 0.0, np.inf)


@cache
def deviations(level: float) -> float:
    """Return the half width of a two-sided normal interval in standard errors."""
    return float(ndtri((1 + level) / 2))


def spread(sums: Floats, sizes: Floats, level: float) -> tuple[float, float]:
    """Return the mean over tasks and the half width of its normal interval, from sums and sizes of families."""
    error = math.sqrt(float(covariance(sums[:, None], sizes)[0, 0]))
    return float(sums.sum() / sizes.sum()), deviations(level) * error * widening(sizes, level)


def covariance(sums: Floats, sizes: Floats) -> Floats:
    """Return the covariance of means over tasks (CR2); `sums` has a row for each family, a column for each mean."""
    shares = sizes / sizes.sum()
    # The deviation of each family's sum from its share; with one task each, the deviations of the tasks.
    deviations_from_mean = sums - sizes[:, None] * (sums.sum(axis=0) / sizes.sum())
    # A large family pulls the mean towards itself, which makes its deviation too small. With equal shares, the
    # correction is the factor count / (count - 1) of a sample variance.
    return (deviations_from_mean / (1 - shares)[:, None]).T @ deviations_from_mean / sizes.sum() ** 2


def widening(sizes: Floats, level: float = LEVEL) -> float:
    """Return the factor by which an interval is widened for families of unequal size; 1 if all have the same size.

    It is the ratio of two quantiles of Student's t: for the effective number of families, 1 / sum of their squared
    shares of the tasks (Carter, Schnepel and Steigerwald 2017, Rev. Econ. Stat. 99, 698-709, for errors that families
    share), and for their actual number.
    """
    shares = sizes / sizes.sum()
    if np.ptp(shares) < _TIE:
        return 1.0
    effective = 1 / float((shares * shares).sum())
    return float(stdtrit(effective - 1, (1 + level) / 2) / stdtrit(sizes.size - 1, (1 + level) / 2))


def _fieller(top: Floats, bottom: Floats, level: float) -> Interval | None:
    """Return the ratios r for which the normal interval of the mean of top - r bottom contains 0; None if unbounded."""
    upper, lower = float(top.mean()), float(bottom.mean())
    numerator, denominator = top - upper, bottom - lower
    # Factor from a sum of squares to the squared half width of a mean's interval.
    scale = deviations(level) ** 2 / (top.size * (top.size - 1))
    # The ends are the solutions of a r² - 2 b r + c = 0.
    a = lower**2 - scale * float((denominator * denominator).sum())
    b = upper * lower - scale * float((numerator * denominator).sum())
    c = upper**2 - scale * float((numerator * numerator).sum())
    # The mean of `bottom` may be 0, so arbitrarily large ratios are possible.
    if a <= _TIE:
        return None
    root = float(np.sqrt(max(0.0, b * b - a * c)))
    return Interval((b - root) / a, (b + root) / a)


def _clipped(estimate: float, low: float, high: float, least: float, most: float) -> Interval:
    """Clip an interval to its scale, and extend it to the estimate, from which the added families shift its centre."""
    return Interval(min(estimate, max(least, low)), max(estimate, min(most, high)))


def sign_flip(differences: Sequence[float], families: Families = None, most: int = _EXACT_SUMS) -> float:
    """Return the two-sided p-value of the mean of paired differences, one per task, under random signs of families.

    All differences of a family change their signs together, so that only families need to be independent (Canay, Romano
    and Shaikh 2017, Econometrica 85, 1013-1030). The test is exact if the signs can produce at most `most`
    (2**20) different totals: always up to 20 nonzero sums of families, and for any number of sums with few different
    values. With one repeat (differences of -1, 0, 1) and one task per family, it is McNemar's exact test. Otherwise it
    uses 200,000 keyed flips. The p-value is 1 if all sums are 0.
    """
    sums, _ = totals(differences, families)
    nonzero = sums[np.abs(sums) > _TIE]
    if nonzero.size == 0:
        return 1.0
    observed = abs(float(nonzero.sum()))
    exact = _sums(np.abs(nonzero), most)
    if exact is None:
        return _sign_flip_p_value(nonzero, observed)
    # The tolerance is for rounding errors: ties must count as at least as extreme, or p would be too small.
    sums, shares = exact
    return min(1.0, float(shares[np.abs(sums) >= observed - _TIE * nonzero.size].sum()))


def _sums(sizes: Floats, most: int) -> tuple[Floats, Floats] | None:
    """Return every possible sum of the sizes with random signs, and its probability; None if there are too many."""
    sums, shares = np.zeros(1), np.ones(1)
    for size in sizes:
        # Half of the limit, because every size doubles the number of sums unless some are equal.
        if sums.size > most // 2:
            return None
        # Rounded to merge equal sums that differ in the last bits; otherwise their number would grow as 2**n.
        both = np.round(np.concatenate([sums - size, sums + size]), 10)
        sums, where = np.unique(both, return_inverse=True)
        shares = np.bincount(where, weights=np.concatenate([shares, shares]) / 2)
    return sums, shares


def _sign_flip_p_value(differences: Floats, observed: float) -> float:
    generator = np.random.default_rng(SEED)
    hits = 0
    # In batches, to save memory.
    for _ in range(_FLIPS // _BATCH):
        signs = generator.integers(0, 2, (_BATCH, differences.size)) * 2 - 1
        hits += int(np.count_nonzero(np.abs(signs @ differences) >= observed - _TIE * differences.size))
    # The observed signs count as one of the flips, so that the p-value is never 0.
    return (hits + 1) / (_FLIPS + 1)


def pass_hat_k(trials: Sequence[int], successes: Sequence[int], k: int) -> float:
    """Return pass^k: the unbiased probability that k random trials of a task all succeed, averaged over tasks.

    Raises ValueError if a task has fewer than k trials or more successes than trials, or if there are no tasks.
    """
    pairs = list(zip(trials, successes, strict=True))
    if k < 1 or not pairs or any(n < k or not 0 <= c <= n for n, c in pairs):
        raise ValueError(f"pass^{k} needs tasks with at least {max(k, 1)} trials and no more successes than trials")
    return sum(float(comb(c, k, exact=True) / comb(n, k, exact=True)) for n, c in pairs) / len(pairs)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the same order."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        # Monotone: a larger p-value must not be significant if a smaller one is not.
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = highest
    return adjusted


def fewest_to_test(comparisons: int = 1, alpha: float = ALPHA) -> int:
    """Return the smallest number of families over which `sign_flip` can reject, adjusted for the comparisons."""
    return next(families for families in count(1) if can_reject(families, comparisons, alpha))


def can_reject(families: int, comparisons: int = 1, alpha: float = ALPHA) -> bool:
    """Return whether `sign_flip` over this number of families can reject at all, adjusted for the comparisons.

    The smallest p-value is 2 of 2**families signs, if all families agree. Holm's method multiplies it.
    """
    return comparisons * 0.5 ** (families - 1) <= alpha
