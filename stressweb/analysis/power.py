"""Power of a planned run: the smallest loss that a paired run detects, and the number of tasks for a loss.

Success rates of tasks are unknown beforehand, so their distribution is assumed (`ASSUMPTION`).
"""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

# SciPy imports `stats` and `optimize` when they are first used, which takes half a second.
import scipy
from scipy.special import beta, comb, stdtrit

from stressweb.analysis.statistics import ALPHA, can_reject
from stressweb.analysis.wording import families_text

POWER = 0.8
"""Share of runs that detect a loss of the given size."""
LOSSES = (0.05, 0.10, 0.15)
"""Losses for which a plan lists the number of tasks."""
REPEATS = (1, 3, 5)
ASSUMPTION = (
    "Assumptions: clean success rates of tasks follow Beta(0.5, 0.5), with a mean of 50 %; a condition reduces some"
    " tasks to 0 % and does not affect the others."
)
_MEAN, _SQUARE = 0.5, 0.375
"""Mean of Beta(0.5, 0.5), and of its square."""
_MOST = 1_000_000


@cache
def noncentrality(tasks: int, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the mean difference, in standard errors, that a two-sided paired t test detects with this power."""
    # The upper bracket: a difference of twenty times the critical value is almost surely detected.
    most = 20 * float(stdtrit(tasks - 1, 1 - alpha / 2))
    return float(scipy.optimize.brentq(lambda shift: _test_power(tasks - 1, shift, alpha) - power, 0.0, most))


def minimum_detectable_effect(
    tasks: int,
    between: float,
    within: tuple[float, float] = (0.0, 0.0),
    repeats: tuple[int, int] = (1, 1),
    alpha: float = ALPHA,
    power: float = POWER,
) -> float:
    """Return the smallest true mean difference that a paired run of `tasks` detects with the given power.

    `between` is the variance over tasks of the difference of expected scores, `within` the mean variance of repeats
    of one task in either arm, `repeats` their number (Miller, arXiv 2411.00640, section 5, with Student's t instead of
    the normal distribution). Infinite if the test cannot reject at all: below 6 tasks at 5 %.
    """
    # The formula does not know that the sign-flip test never rejects over few tasks, however large the loss.
    if not can_reject(tasks, alpha=alpha):
        return math.inf
    # Repeats reduce the variance of a task's mean, but not the variance between tasks.
    variance = between + sum(spread / count for spread, count in zip(within, repeats, strict=True))
    return noncentrality(tasks, alpha, power) * math.sqrt(variance / tasks)


def power_of(tasks: int, repeats: int, loss: float, comparisons: int = 1) -> float:
    """Return the probability that a run detects a loss of success, 0 to 0.5, under `ASSUMPTION`.

    `repeats` is the number of episodes of each task in each arm. `comparisons` is the number of conditions compared
    with clean; the level is divided by it, as in Holm's method for the smallest p-value. With one repeat, it is the
    exact power of the sign-flip test, which is then McNemar's. With several, it is the power of the paired t test with
    degrees of freedom for the tasks that are expected to change, because the sign-flip test uses only these. In
    simulations, runs found such losses in 74 to 85 % of the cases, and in 68 % at 12 tasks with two repeats.
    """
    alpha = ALPHA / comparisons
    if not can_reject(tasks, alpha=alpha):
        return 0.0
    # A lost task loses its clean rate, on average one half, so a loss of 10 points means that 20 % of tasks are lost.
    lost = loss / _MEAN
    # The mean of p (1 - p) over tasks, the variance of a single episode.
    single = _MEAN - _SQUARE
    if repeats == 1:
        # A task gets worse if it is lost and had succeeded, or by chance; it gets better only by chance.
        return exact_power(tasks, lost * _MEAN + (1 - lost) * single, (1 - lost) * single, alpha)
    # Between tasks: lost tasks lose their whole rate. Within tasks: all vary under clean, and those that are not lost
    # also under the condition.
    variance = lost * _SQUARE - loss**2 + (2 - lost) * single / repeats
    # At least 0.5, because Student's t is undefined at 0.
    free = max(0.5, tasks * _changing(repeats, lost) - 1)
    return _test_power(free, loss * math.sqrt(tasks / variance), alpha)


def detectable_loss(tasks: int, repeats: int, comparisons: int = 1) -> float:
    """Return the smallest loss of success, 0 to 0.5, that a run detects with 80 % power; infinite if none.

    Arguments as for `power_of`.
    """
    if power_of(tasks, repeats, _MEAN, comparisons) < POWER:
        return math.inf
    # The largest possible loss is a half, because clean success is 50 %.
    return float(
        scipy.optimize.brentq(lambda loss: power_of(tasks, repeats, loss, comparisons) - POWER, 1e-6, _MEAN, xtol=1e-6)
    )


def tasks_needed(loss: float, repeats: int, comparisons: int = 1) -> int:
    """Return the approximate number of tasks that detects a loss with 80 % power; arguments as for `power_of`.

    It is approximate, because the test is discrete: one more task may slightly lower its power.
    """

    def is_detected(tasks: int) -> bool:
        return power_of(tasks, repeats, loss, comparisons) >= POWER

    # Doubling, then bisection, because power grows nearly monotonically with the number of tasks.
    many = 8
    while not is_detected(many):
        many *= 2
        if many > _MOST:
            raise ValueError(f"{_MOST} tasks do not detect a loss of {loss}")
    few = 1
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if is_detected(middle) else (middle, many)
    return many


def exact_power(tasks: int, lost: float, gained: float, alpha: float) -> float:
    """Return the power of McNemar's exact test; `lost` and `gained` are a task's probabilities to change either way."""
    changed = np.arange(tasks + 1)
    # The test rejects if at most `few` of the changed tasks changed one way, with a probability of at most alpha / 2.
    few = scipy.stats.binom.ppf(alpha / 2, changed, 0.5)
    # `ppf` returns the first count with at least this probability, which is one too many unless it is equal.
    few = np.where(scipy.stats.binom.cdf(few, changed, 0.5) > alpha / 2, few - 1, few)
    # The probability that a changed task got worse.
    share = lost / (lost + gained)
    rejected = scipy.stats.binom.cdf(few, changed, share) + scipy.stats.binom.sf(changed - few - 1, changed, share)
    # If `few` is below 0, the test never rejects, because too few tasks changed.
    return float((scipy.stats.binom.pmf(changed, tasks, lost + gained) * np.where(few < 0, 0.0, rejected)).sum())


def _test_power(free: float, shift: float, alpha: float) -> float:
    """Return the power of a paired t test for a mean difference of `shift` standard errors."""
    # Without the far tail, which would count a gain as a detected loss.
    return float(scipy.stats.nct.sf(stdtrit(free, 1 - alpha / 2), free, shift))


@cache
def _equal(repeats: int) -> tuple[float, float]:
    """Return the probability of equal successes in both arms, for an unaffected task and for a lost one."""
    won = np.arange(repeats + 1)
    # Both arms have the same rate p: the product of two binomial probabilities of `won`, averaged over Beta(0.5, 0.5).
    unaffected = (comb(repeats, won) ** 2 * beta(2 * won + 0.5, 2 * (repeats - won) + 0.5)).sum() / beta(0.5, 0.5)
    # A lost task has equal successes only if it never succeeded under clean.
    return float(unaffected), float(beta(0.5, repeats + 0.5) / beta(0.5, 0.5))


def _changing(repeats: int, lost: float) -> float:
    """Return the expected share of tasks whose difference is not 0."""
    unaffected_equal, lost_equal = _equal(repeats)
    return 1 - (1 - lost) * unaffected_equal - lost * lost_equal


def plan_lines(tasks: int, repeats: int, comparisons: int, families: int | None = None) -> list[str]:
    """Return lines about the loss that a planned run can detect, and the tasks for losses of 5, 10 and 15 points.

    Arguments as for `power_of`; no lines if nothing is compared with clean. `families` is the number of families of the
    tasks, by default each task its own; a family is treated as one task with more repeats, as if its tasks had the same
    success rate.
    """
    if not (tasks and repeats and comparisons):
        return []
    families = families or tasks
    loss = detectable_loss(families, max(1, repeats * tasks // families), comparisons)
    size = f"{families_text(tasks, families)} with {_episodes(repeats)} of each in each condition"
    adjusted = f", adjusted for {comparisons} conditions" if comparisons > 1 else ""
    finding = f"detects a loss of {math.ceil(100 * loss)}" if math.isfinite(loss) else "cannot detect even a loss of 50"
    family_note = ", each of a family of its own" if families < tasks else ""
    return [
        f"Power: this plan ({size}) {finding} points",
        f"with a probability of {round(100 * POWER)} %, tested at {round(100 * ALPHA)} %{adjusted}.",
        f"Tasks needed{family_note}:",
        "",
        _line("loss of", [f"{round(100 * loss_size)} points" for loss_size in LOSSES]),
        *(_line(_episodes(count), _tasks_by_loss(count, comparisons)) for count in REPEATS),
        "",
        *ASSUMPTION.replace("; ", ";\n").split("\n"),
        *(["Tasks of a family have the same clean success rate and are lost together."] if families < tasks else []),
    ]


def _tasks_by_loss(repeats: int, comparisons: int) -> list[str]:
    return [f"{tasks_needed(loss, repeats, comparisons):,}" for loss in LOSSES]


def _episodes(count: int) -> str:
    return f"{count} episode{'s'[: count != 1]}"


def _line(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<12}" + "".join(f"{cell:>12}" for cell in cells)
