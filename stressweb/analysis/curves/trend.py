"""Page's test of a trend: whether success falls as severity rises."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

# SciPy imports `stats` and `optimize` when they are first used, which takes half a second.
import scipy

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import Task, families, world_of
from stressweb.analysis.statistics import ALPHA, Families, Floats, fewest_to_test, totals

FEWEST_SEVERITIES = 3
"""Smallest number of severities; two have a difference, not a trend."""
FEWEST_DECIDING = fewest_to_test()
"""Smallest number of deciding families, as in the other tests; otherwise two that agree could be a trend."""


@dataclass(frozen=True)
class Trend:
    """Page's one-sided test of one mode: a small p-value means that success falls as severity rises."""

    tasks: int
    """Tasks with episodes of the same draws under every severity; severities are ranked within each task."""
    families: int
    """Families of these tasks, the blocks of the test."""
    deciding: int
    """Families whose success is not the same at all severities; the others do not affect the test."""
    severities: tuple[int, ...]
    """The ranked severities, without clean, because a mode that costs the same at every severity has no trend."""
    statistic: float
    """Page's L: the sum over severities of predicted rank times sum of ranks."""
    p_value: float | None
    """Share of the orders within families whose L is at least as large, ties included; exact. None if some but fewer
    than 6 families decide."""
    p_holm: float | None = None
    """The p-value adjusted by Holm's method for all tested modes of the agent."""


def trend(by_severity: Mapping[int, Sequence[Graded]]) -> Trend | None:
    """Test the trend of success over severities within tasks; None below 3 severities or without a task.

    Every severity of a task averages the same worlds, stress seeds and epochs. With unequal numbers of episodes, means
    would rank differently without a trend, and cause false alarms.
    """
    arms = {severity: _outcomes(own) for severity, own in sorted(by_severity.items())}
    keys = set.intersection(*map(set, arms.values())) if arms else set()
    blocks: dict[Task, list[list[bool]]] = defaultdict(list)
    for key in keys:
        blocks[key[0][:2]].append([arm[key] for arm in arms.values()])
    tasks = sorted(blocks)
    if len(arms) < FEWEST_SEVERITIES or not tasks:
        return None
    own = families((episode for cell in by_severity.values() for episode in cell), tasks)
    means = np.array([np.mean(blocks[task], axis=0) for task in tasks])
    # Reversed, because the lowest severity is predicted to rank highest.
    falling = means[:, ::-1]
    ranks = scipy.stats.rankdata(falling, axis=1)
    count, deciding = len(set(own)), _deciding(ranks, own)
    enough = count >= FEWEST_DECIDING and (deciding == 0 or deciding >= FEWEST_DECIDING)
    return Trend(
        tasks=len(tasks),
        families=count,
        deciding=deciding,
        severities=tuple(arms),
        statistic=float(ranks.sum(axis=0) @ np.arange(1, len(arms) + 1)),
        p_value=page(falling, own)[1] if enough else None,
    )


def finds_trend(values: Floats, alpha: float = ALPHA) -> bool:
    """Return whether the test, as in a run's table, finds that these columns rise."""
    enough = _deciding(scipy.stats.rankdata(values, axis=1), None) >= FEWEST_DECIDING
    return enough and page(values)[1] <= alpha


def _deciding(ranks: Floats, families: Families) -> int:
    """Return the number of families whose severities do not all have the same sum of ranks."""
    sums, _ = totals(np.rint(2 * ranks), families)
    return int(np.count_nonzero(np.ptp(sums, axis=1)))


def _outcomes(episodes: Sequence[Graded]) -> dict[tuple[tuple[str, str, int], int | None, int], bool]:
    return {
        (world_of(episode), episode.stress_seed, episode.epoch): episode.success
        for episode in episodes
        if episode.counts
    }


def page(values: Floats, families: Families = None) -> tuple[float, float]:
    """Return Page's L and its p-value; a row for each task, columns in predicted ascending order.

    L is SciPy's (Page 1963, JASA 58, 216-230). SciPy's p-value ignores ties, which are frequent for outcomes of 0 and
    1, and is too large. This p-value is exact with ties, too: it uses the distribution of L over all orders within
    families. All tasks of a family are permuted together, so that only families need to be independent (Winkler et al.
    2015, NeuroImage 123, 253-268). Without ties and with one task per family, it equals SciPy's.
    """
    scipy_test: Any = scipy.stats.page_trend_test(values, method="asymptotic")
    statistic = float(scipy_test.statistic)
    # Twice the ranks, because ranks of ties are halves, and whole numbers can be convolved exactly.
    doubled = np.rint(2 * scipy.stats.rankdata(values, axis=1)).astype(int)
    # L adds up ranks by column, so tasks that are permuted together are one block with the sums of their ranks.
    sums = np.rint(totals(doubled, families)[0]).astype(int)
    shares, lowest = np.ones(1), 0
    for row in np.sort(sums, axis=1):
        least, block = _orders(tuple(row.tolist()))
        # The distribution of a sum of independent blocks is the convolution of their distributions.
        shares, lowest = np.convolve(shares, block), lowest + least
    return statistic, min(1.0, float(shares[round(2 * statistic) - lowest :].sum()))


@cache
def _orders(ranks: tuple[int, ...]) -> tuple[int, Floats]:
    """Return the smallest sum over the orders of a block, and the probability of each sum from there on."""
    orders = np.array(list(permutations(ranks)))
    sums = orders @ np.arange(1, len(ranks) + 1)
    least = int(sums.min())
    return least, np.bincount(sums - least) / sums.size
