"""Power of a design before it runs: the smallest loss that a paired run detects, and the number of tasks for a loss.

Success rates of tasks are unknown beforehand, so a variance is assumed: `ASSUMPTION`.
"""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import beta, comb
from scipy.stats import binom, nct, t

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
    # The root is bracketed: a difference of twenty times the critical value is detected almost surely.
    most = 20 * float(t.ppf(1 - alpha / 2, tasks - 1))
    return float(brentq(lambda shift: _shifted(tasks - 1, shift, alpha) - power, 0.0, most))


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
    of one task in either arm, `repeats` how many there are (Miller, arXiv 2411.00640, section 5, with Student's t in
    place of the normal distribution). Infinite where the test cannot reject at all: below 6 tasks at 5 %.
    """
    # The formula ignores the sign-flip test, which never rejects over few tasks, however large the loss.
    if not can_reject(tasks, alpha=alpha):
        return math.inf
    # Repeats reduce the variance of a task's mean, and not the variance between tasks.
    variance = between + sum(spread / count for spread, count in zip(within, repeats, strict=True))
    return noncentrality(tasks, alpha, power) * math.sqrt(variance / tasks)


def power_of(tasks: int, repeats: int, loss: float, comparisons: int = 1) -> float:
    """Return the probability with which a run finds a loss of success, 0 to 0.5, under `ASSUMPTION`.

    `repeats` is the number of episodes of each task in each arm, `comparisons` that of the conditions compared with
    clean: the level is divided by it, as Holm's method does for the smallest p-value. One repeat: the exact power of
    the sign-flip test, which is McNemar's then. Several: that of the paired t test, with the degrees of freedom of the
    tasks that are expected to change, since the sign-flip test learns from no others. Simulated runs found such losses
    in 74 to 85 % of the cases, and in 68 % at 12 tasks with two repeats.
    """
    alpha = ALPHA / comparisons
    if not can_reject(tasks, alpha=alpha):
        return 0.0
    # A lost task loses its clean rate, on average one half: a loss of 10 points takes 20 % of the tasks.
    lost = loss / _MEAN
    # The mean of p (1 - p) over tasks: the variance of a single episode.
    single = _MEAN - _SQUARE
    if repeats == 1:
        # A task gets worse if it succeeded and is lost, or by chance if it is not lost; it gets better only by chance.
        return _exact(tasks, lost * _MEAN + (1 - lost) * single, (1 - lost) * single, alpha)
    # Between tasks, a lost one loses its whole rate. Within tasks, all vary under clean, and those that are not lost
    # also under the condition.
    variance = lost * _SQUARE - loss**2 + (2 - lost) * single / repeats
    # Never 0, for which Student's t is not defined.
    free = max(0.5, tasks * _changing(repeats, lost) - 1)
    return _shifted(free, loss * math.sqrt(tasks / variance), alpha)


def detectable_loss(tasks: int, repeats: int, comparisons: int = 1) -> float:
    """Return the smallest loss of success, 0 to 0.5, that a run detects with 80 % power; infinite if none.

    Arguments as for `power_of`.
    """
    if power_of(tasks, repeats, _MEAN, comparisons) < POWER:
        return math.inf
    # Half is the largest possible loss, because clean success is 50 %.
    return float(brentq(lambda loss: power_of(tasks, repeats, loss, comparisons) - POWER, 1e-6, _MEAN, xtol=1e-6))


def tasks_needed(loss: float, repeats: int, comparisons: int = 1) -> int:
    """Return about the fewest tasks with which a run detects a loss with 80 % power; arguments as for `power_of`.

    The exact test rejects in steps, so one more task may slightly lower its power: the figure is approximate.
    """

    def found(tasks: int) -> bool:
        return power_of(tasks, repeats, loss, comparisons) >= POWER

    # Doubling, then bisection: power grows with the number of tasks, apart from the steps of the exact test.
    many = 8
    while not found(many):
        many *= 2
        if many > _MOST:
            raise ValueError(f"a loss of {loss} is not found by {_MOST} tasks")
    few = 1
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if found(middle) else (middle, many)
    return many


def _exact(tasks: int, lost: float, gained: float, alpha: float) -> float:
    """Return the power of McNemar's exact test; `lost` and `gained` are the chances of a task to change either way."""
    changed = np.arange(tasks + 1)
    # The test rejects where as few tasks or fewer went one way: the largest count with a probability of alpha / 2.
    few = binom.ppf(alpha / 2, changed, 0.5)
    # `ppf` returns the first count with at least this probability, which is one too many unless it has just that.
    few = np.where(binom.cdf(few, changed, 0.5) > alpha / 2, few - 1, few)
    # Given how many tasks changed, each of them went the worse way with this probability.
    share = lost / (lost + gained)
    rejected = binom.cdf(few, changed, share) + binom.sf(changed - few - 1, changed, share)
    # Below 0 no outcome is extreme enough: with so few changed tasks the test never rejects.
    return float((binom.pmf(changed, tasks, lost + gained) * np.where(few < 0, 0.0, rejected)).sum())


def _shifted(free: float, shift: float, alpha: float) -> float:
    """Return the power of a paired t test for a mean difference of `shift` standard errors, without its far tail."""
    # The far tail would count a gain as a detected loss.
    return float(nct.sf(t.ppf(1 - alpha / 2, free), free, shift))


@cache
def _equal(repeats: int) -> tuple[float, float]:
    """Return the chance that a task has as many successes in both arms: left as it was, and taken to 0 %."""
    won = np.arange(repeats + 1)
    # Both arms have the same rate p here: the product of two binomial chances of `won`, averaged over Beta(0.5, 0.5).
    left = (comb(repeats, won) ** 2 * beta(2 * won + 0.5, 2 * (repeats - won) + 0.5)).sum() / beta(0.5, 0.5)
    # A task that was taken to 0 % does not change only if clean never succeeded either.
    return float(left), float(beta(0.5, repeats + 0.5) / beta(0.5, 0.5))


def _changing(repeats: int, lost: float) -> float:
    """Return the expected share of tasks whose difference is not 0."""
    left, taken = _equal(repeats)
    return 1 - (1 - lost) * left - lost * taken


def plan_lines(tasks: int, repeats: int, comparisons: int, families: int | None = None) -> list[str]:
    """Return what a planned run can detect, and the number of tasks for losses of 5, 10 and 15 points.

    Arguments as of `power_of`; no lines if nothing is compared with clean. `families` is how many families the tasks
    are of: the test takes a family as one task of so many more repeats, as if its tasks had one success rate. Without
    it, each task is a family of its own.
    """
    if not (tasks and repeats and comparisons):
        return []
    families = families or tasks
    loss = detectable_loss(families, max(1, repeats * tasks // families), comparisons)
    size = f"{families_text(tasks, families)} with {_episodes(repeats)} of each in each condition"
    adjusted = f", adjusted for {comparisons} conditions" if comparisons > 1 else ""
    finding = f"detects a loss of {math.ceil(100 * loss)}" if math.isfinite(loss) else "cannot detect even a loss of 50"
    alone = ", each of a family of its own" if families < tasks else ""
    return [
        f"Power: this plan ({size}) {finding} points",
        f"with a probability of {round(100 * POWER)} %, tested at {round(100 * ALPHA)} %{adjusted}.",
        f"Tasks needed{alone}:",
        "",
        _line("loss of", [f"{round(100 * loss_size)} points" for loss_size in LOSSES]),
        *(_line(_episodes(count), _needed(count, comparisons)) for count in REPEATS),
        "",
        *ASSUMPTION.replace("; ", ";\n").split("\n"),
        *(["Tasks of a family have the same clean success rate and are lost together."] if families < tasks else []),
    ]


def _needed(repeats: int, comparisons: int) -> list[str]:
    return [f"{tasks_needed(loss, repeats, comparisons):,}" for loss in LOSSES]


def _episodes(count: int) -> str:
    return f"{count} episode{'s'[: count != 1]}"


def _line(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<12}" + "".join(f"{cell:>12}" for cell in cells)
