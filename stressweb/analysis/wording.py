"""Formats numbers for readers. Only exact values are shown as 0 % or 100 %."""

import math
from collections.abc import Iterable

from stressweb.analysis.statistics import Interval
from stressweb.core.words import counted

# Far below the printed digits, and far above the rounding errors of a mean.
_NEAR = 1e-9


def whole(value: float) -> int:
    """Round half away from zero, so that a loss and an equal gain have the same figure."""
    # The tolerance is for rounding errors: 0.285 times 100 is 28.499999999999996.
    return int(math.copysign(math.floor(abs(value) + 0.5 + _NEAR), value))


def percent(share: float | None) -> str:
    """Return a share of 0 to 1 as a percentage; 299 of 300 is ">99 %", 1 of 300 "<1 %", unknown "–"."""
    if share is None:
        return "–"
    figure = whole(100 * share)
    if figure <= 0 and share > _NEAR:
        return "<1 %"
    if figure >= 100 and share < 1 - _NEAR:
        return ">99 %"
    return f"{figure} %"


def points(share: float) -> str:
    """Return a difference of shares in percentage points with a sign; with a decimal if it would round to 0 or 100."""
    figure, size = whole(100 * share), abs(share)
    # The typographic minus is as wide as the plus, so that columns line up.
    sign = "−" if share < 0 else "+"
    if size > _NEAR and figure == 0:
        # At least 0.1, because "0.0" would read as no difference.
        return f"{sign}{max(0.1, whole(1000 * size) / 10):.1f}"
    if size < 1 - _NEAR and abs(figure) == 100:
        return f"{sign}{min(99.9, whole(1000 * size) / 10):.1f}"
    return f"{sign if figure else ''}{abs(figure)}"


def span(interval: Interval | None) -> str:
    """Return an interval of differences in percentage points; "" without one."""
    return f"[{points(interval.low)}, {points(interval.high)}]" if interval else ""


def p_value(value: float | None) -> str:
    """Return a p-value with three decimals, rounded up, so that 0.050 means at most 0.05."""
    if value is None:
        return "–"
    if value < 0.001:
        return "<.001"
    figure = math.ceil(1000 * value - _NEAR) / 1000
    return "1" if figure >= 1 else f"{figure:.3f}".removeprefix("0")


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers in order, three or more in a row as a range: "0..4"."""
    ordered = sorted(numbers)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]}..{ordered[-1]}"
    return ", ".join(map(str, ordered)) or "–"


def families_text(tasks: int, families: int) -> str:
    """Return the number of tasks, and of families if there are fewer."""
    text = counted(tasks, "task")
    return f"{text} of {families} {'family' if families == 1 else 'families'}" if families < tasks else text


def units(sizes: Iterable[tuple[int, int]]) -> str:
    """Return the name of the units of intervals and tests, from numbers of tasks and families."""
    return "families of tasks" if any(families < tasks for tasks, families in sizes) else "tasks"
