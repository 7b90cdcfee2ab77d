"""The margin of a comparison of two runs: the smallest decline that it can rule out."""

import math

from scipy.special import ndtri

from stressweb.analysis.power import POWER
from stressweb.analysis.statistics import FEWEST, LEVEL

# Mean of p (1 - p): under Beta(0.5, 0.5), the mean of p is 0.5 and that of its square 0.375.
SINGLE = 0.125
"""Mean variance of one episode's outcome, if success rates of tasks follow Beta(0.5, 0.5)."""
ASSUMPTION = "Assumption for the margins: success rates of tasks follow Beta(0.5, 0.5), and the agent has not changed."


def margin(tasks: int, clean: float, stressed: float | None = None, families: int | None = None) -> float | None:
    """Return the smallest decline, 0 to 1, that two runs of this design rule out with 80 % power.

    `clean` and `stressed` are the undisturbed and disturbed episodes of one task in either run, all modes together.
    With `stressed` it is the margin of the change of robustness, without it that of success under clean. In 80 % of the
    comparisons of equal agents (`ASSUMPTION`), the lower end of the 95 % interval is above minus the margin. `families`
    is the number of families of the tasks, by default each task its own; equal agents differ by chance alone, which
    tasks of a family do not share. None if the design can rule out nothing: below 5 families, or if the margin is 1 or
    more.
    """
    families = families or tasks
    if families < FEWEST:
        return None
    # A change of robustness is a difference of two changes, each between -1 and 1.
    scale = 1.0 if stressed is None else 2.0
    # Both runs vary, and all modes are compared with the same clean episode.
    spread = 2 * (SINGLE / clean + (SINGLE / stressed if stressed else 0.0))
    # As in `difference_interval`, for families of equal size: one family is added at either end of the scale.
    spread *= families / tasks
    interval_error = math.sqrt((families * spread + 2 * scale**2) / (families + 1) / (families + 2))
    # Standard deviation of the interval's centre: the two added families cancel out and pull the mean towards 0.
    sampled = families / (families + 2) * math.sqrt(spread / families)
    # Half the interval, plus the quantile of the centre for 80 % power.
    size = float(ndtri((1 + LEVEL) / 2)) * interval_error + float(ndtri(POWER)) * sampled
    # A margin of the whole scale rules out nothing.
    return size if size < 1 else None


def bound(size: float | None) -> str:
    """Return a margin in percentage points, rounded up, because a smaller decline is not ruled out."""
    # The last term is for rounding errors: 100 times a share of 7 points may be slightly above 7.
    return "none" if size is None else str(math.ceil(100 * size - 1e-9))


def margin_lines(tasks: int, clean: float, stressed: float, families: int | None = None) -> list[str]:
    """Return lines about the decline that a comparison of two such runs can rule out; arguments as for `margin`."""
    if not (tasks and clean and stressed):
        return []
    margins = (
        f"margin for robustness: {_margin_text(margin(tasks, clean, stressed, families))};"
        f" for clean: {_margin_text(margin(tasks, clean, None, families))}"
    )
    return [f"Comparing two runs of this plan (stressweb compare), {margins}.", ASSUMPTION]


def _margin_text(size: float | None) -> str:
    return "none that this design can show" if size is None else f"{bound(size)} points"
