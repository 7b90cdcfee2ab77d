"""The margin of a comparison of two runs: the smallest decline that it can rule out."""

import math

from scipy.stats import norm

from stressweb.analysis.power import POWER
from stressweb.analysis.statistics import FEWEST, LEVEL

# Mean of p (1 - p): the mean of Beta(0.5, 0.5) is 0.5, and that of its square 0.375.
SINGLE = 0.125
"""Mean variance of one episode's outcome, if success rates of tasks follow Beta(0.5, 0.5)."""
ASSUMPTION = "Assumption for the margins: success rates of tasks follow Beta(0.5, 0.5), and the agent has not changed."


def margin(tasks: int, clean: float, stressed: float | None = None, families: int | None = None) -> float | None:
    """Return the margin, 0 to 1, within which two runs of this design show with 80 % power that nothing declined.

    `clean` and `stressed` are the episodes of one task in either run, undisturbed and disturbed, all modes together.
    With `stressed` the margin is that of the change of robustness, without it that of success under clean. It is the
    size that the lower end of the 95 % interval stays above in 80 % of the comparisons of equal agents (`ASSUMPTION`).
    `families` is how many families the tasks are of, each task its own without it; equal agents differ by chance alone,
    which tasks of a family do not share. None if the design can rule out nothing: below 5 families, or if the margin
    were the whole scale.
    """
    families = families or tasks
    if families < FEWEST:
        return None
    # A change of robustness is a difference of two changes, each of which lies between -1 and 1.
    scale = 1.0 if stressed is None else 2.0
    # Both runs vary, and the same clean episode is taken from every mode.
    spread = 2 * (SINGLE / clean + (SINGLE / stressed if stressed else 0.0))
    # As `difference_interval` computes it, in families of equal size: one family is added at either end of the scale.
    spread *= families / tasks
    wide = math.sqrt((families * spread + 2 * scale**2) / (families + 1) / (families + 2))
    # How the centre of the interval varies: the two added families cancel out and pull the mean towards 0.
    sampled = families / (families + 2) * math.sqrt(spread / families)
    # Half the interval, and the distance below which the centre stays in 80 % of the comparisons.
    size = float(norm.ppf((1 + LEVEL) / 2)) * wide + float(norm.ppf(POWER)) * sampled
    # A margin of the whole scale rules out nothing.
    return size if size < 1 else None


def bound(size: float | None) -> str:
    """Return a margin in percentage points, rounded up, because a smaller decline is not ruled out."""
    # The last term keeps 7 points, whose share times 100 is slightly above 7, from being rounded up to 8.
    return "none" if size is None else str(math.ceil(100 * size - 1e-9))


def margin_lines(tasks: int, clean: float, stressed: float, families: int | None = None) -> list[str]:
    """Return what a comparison of two runs of this design can rule out; arguments as for `margin`."""
    if not (tasks and clean and stressed):
        return []
    margins = (
        f"margin for robustness: {_said(margin(tasks, clean, stressed, families))};"
        f" for clean: {_said(margin(tasks, clean, None, families))}"
    )
    return [f"Comparing two runs of this plan (stressweb compare), {margins}.", ASSUMPTION]


def _said(size: float | None) -> str:
    return "none that this design can show" if size is None else f"{bound(size)} points"
