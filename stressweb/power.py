"""What a design can detect before anything is run: the smallest loss that a paired run finds, and what it would take.

Success rates of tasks are not known beforehand, so a variance must be assumed; `ASSUMPTION` says which.
"""

import math
from collections.abc import Sequence
from functools import cache

from scipy.optimize import brentq
from scipy.stats import nct, t

from stressweb.statistics import ALPHA, can_reject

POWER = 0.8
"""Share of runs that shall find a loss of the size that is named."""
LOSSES = (0.05, 0.10, 0.15)
"""Losses for which the plan of a run names the tasks that it would take."""
REPEATS = (1, 3, 5)
ASSUMPTION = (
    "Assumption: clean success rates of tasks are spread like Beta(0.5, 0.5), with a mean of 50 %; a condition takes"
    " some tasks to 0 % and leaves the others."
)
_MEAN, _SQUARE = 0.5, 0.375
"""Mean of Beta(0.5, 0.5), and of its square."""
_MOST = 10_000_000


@cache
def noncentrality(tasks: int, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the mean difference, in standard errors, that a two-sided paired t test finds with this power."""
    free = tasks - 1
    critical = float(t.ppf(1 - alpha / 2, free))

    def excess(shift: float) -> float:
        # The far tail is left out: at a power of 0.8 it holds less than one in a million.
        return float(nct.sf(critical, free, shift)) - power

    return float(brentq(excess, 0.0, 20.0 * critical))


def minimum_detectable_effect(
    tasks: int,
    between: float,
    within: tuple[float, float] = (0.0, 0.0),
    repeats: tuple[int, int] = (1, 1),
    alpha: float = ALPHA,
    power: float = POWER,
) -> float:
    """Return the smallest true mean difference that a paired run of `tasks` finds with the given power.

    `between` is the variance over tasks of the difference of expected scores, `within` the mean variance of repeats
    of one task in either arm, `repeats` how many there are (Miller, arXiv 2411.00640, section 5, with Student's t in
    place of the normal distribution). Infinite where the test cannot reject at all: below 6 tasks at 5 %.
    """
    if not can_reject(tasks, alpha=alpha):
        return math.inf
    variance = between + sum(spread / count for spread, count in zip(within, repeats, strict=True))
    return noncentrality(tasks, alpha, power) * math.sqrt(variance / tasks)


def detectable_loss(tasks: int, repeats: int, comparisons: int = 1) -> float:
    """Return the smallest loss of success, 0 to 0.5, that a run finds with 80 % power; infinite if it finds none.

    `repeats` is the number of episodes of each task in each arm, `comparisons` that of the conditions compared with
    clean: the level is divided by it, as Holm's method does for the smallest p-value. Under `ASSUMPTION`.
    """

    def missing(loss: float) -> float:
        return _effect(tasks, repeats, comparisons, loss) - loss

    if not math.isfinite(missing(_MEAN)) or missing(_MEAN) > 0:
        return math.inf
    return float(brentq(missing, 0.0, _MEAN))


def tasks_needed(loss: float, repeats: int, comparisons: int = 1) -> int:
    """Return the fewest tasks with which a run finds a loss with 80 % power; arguments as of `detectable_loss`."""

    def found(tasks: int) -> bool:
        return _effect(tasks, repeats, comparisons, loss) <= loss

    many = 8
    while not found(many):
        many *= 2
        if many > _MOST:
            raise ValueError(f"a loss of {loss} cannot be found")
    few = 1
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if found(middle) else (middle, many)
    return many


def _effect(tasks: int, repeats: int, comparisons: int, loss: float) -> float:
    """Return the detectable effect at the variance that a loss of this size has."""
    lost = loss / _MEAN
    between = lost * _SQUARE - loss**2
    single = _MEAN - _SQUARE
    within = (single, (1 - lost) * single)
    return minimum_detectable_effect(tasks, between, within, (repeats, repeats), ALPHA / comparisons)


def plan_lines(tasks: int, repeats: int, comparisons: int) -> list[str]:
    """Say what a planned run can detect, and how many tasks losses of 5, 10 and 15 points would need.

    Arguments as of `detectable_loss`; no lines if nothing is compared with clean.
    """
    if not (tasks and repeats and comparisons):
        return []
    loss = detectable_loss(tasks, repeats, comparisons)
    size = f"{tasks} task{'s'[: tasks != 1]} with {_episodes(repeats)} of each in each condition"
    adjusted = f", adjusted for {comparisons} conditions" if comparisons > 1 else ""
    can = f"finds a loss of {math.ceil(100 * loss)} points" if math.isfinite(loss) else "finds no loss reliably"
    return [
        f"Power: this plan ({size}) {can}",
        f"with a probability of {round(100 * POWER)} %, tested at {round(100 * ALPHA)} %{adjusted}. Tasks needed:",
        "",
        _line("loss of", [f"{round(100 * one)} points" for one in LOSSES]),
        *(_line(_episodes(count), _needed(count, comparisons)) for count in REPEATS),
        "",
        *ASSUMPTION.replace("; ", ";\n").split("\n"),
    ]


def _needed(repeats: int, comparisons: int) -> list[str]:
    return [f"{tasks_needed(loss, repeats, comparisons):,}" for loss in LOSSES]


def _episodes(count: int) -> str:
    return f"{count} episode{'s'[: count != 1]}"


def _line(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<12}" + "".join(f"{cell:>12}" for cell in cells)
