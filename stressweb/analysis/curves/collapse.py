"""How episodes fail: early, or after a long exploration (StressWeb, arXiv 2604.16385, appendix H.3)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, get_args

import numpy as np

from stressweb.analysis.curves.estimands import Intervals, of_rates, places
from stressweb.analysis.curves.steps import weights
from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import families, grouped, task_of, world_of

SHORT, LONG = 2 / 3, 3 / 2
"""Thresholds of the ratio to the steps of a clean success: at most `SHORT` is early, at least `LONG` is long. The paper
names both patterns without thresholds; these are ours."""

type Way = Literal["success", "costly success", "early collapse", "inefficient exploration", "other failure"]
WAYS: tuple[Way, ...] = get_args(Way.__value__)


@dataclass(frozen=True)
class Share:
    """The share of episodes of one kind."""

    way: Way
    share: float
    """Mean over tasks."""
    intervals: Intervals


@dataclass(frozen=True)
class Collapse:
    """One agent under one condition, on tasks and worlds in which it succeeds at least once under clean.

    The steps of an episode are compared with the mean of those clean successes. A short failure is an early collapse, a
    long failure inefficient exploration, a long success a costly success.
    """

    agent: str
    condition: str
    tasks: int
    families: int
    """Families of these tasks, the units of intervals."""
    episodes: int
    left_out: int
    """Episodes of tasks and worlds without a clean success, and so without reference steps."""
    shares: list[Share]
    """The share of each kind; they add up to 1."""
    steps_ratio: float
    """Mean over tasks of steps / steps of clean successes."""
    repeats: float
    """Mean over tasks of actions equal to the previous one, per episode."""
    clean_repeats: float
    """The same in the clean successes."""


def collapse(agent: str, condition: str, clean: Sequence[Graded], episodes: Sequence[Graded]) -> Collapse | None:
    """Classify the episodes of one condition; None without a clean success to compare with."""
    usual = grouped((episode for episode in clean if episode.success and episode.counts), world_of)
    steps = {world: fmean(episode.steps for episode in own) for world, own in usual.items()}
    repeats = {world: fmean(episode.repeats for episode in own) for world, own in usual.items()}
    counted = [episode for episode in episodes if episode.counts]
    # A world without a clean success has no reference number of steps.
    known = [episode for episode in counted if steps.get(world_of(episode))]
    if not known:
        return None
    ratios = [episode.steps / steps[world_of(episode)] for episode in known]
    names = sorted({task_of(episode) for episode in known})
    tasks = {task: number for number, task in enumerate(names)}
    columns: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]] = defaultdict(lambda: np.zeros(len(names)))
    # Weights within these episodes, so that the shares of each task add up to 1.
    for episode, ratio, weight in zip(known, ratios, weights(known).tolist(), strict=True):
        number = tasks[task_of(episode)]
        columns[way(ratio, success=episode.success)][number] += weight
        columns["ratio"][number] += weight * ratio
        columns["repeats"][number] += weight * episode.repeats
        columns["clean repeats"][number] += weight * repeats[world_of(episode)]
    where, own = places([site for site, _ in names]), families(known, names)
    # Rounding may make the sum of a task's weights slightly exceed 1, the end of the interval's scale.
    shares = {name: np.minimum(columns[name], 1.0) for name in WAYS}
    return Collapse(
        agent=agent,
        condition=condition,
        tasks=len(names),
        families=len(set(own)),
        episodes=len(known),
        left_out=len(counted) - len(known),
        shares=[Share(name, float(column.mean()), of_rates(column, where, own)) for name, column in shares.items()],
        steps_ratio=float(columns["ratio"].mean()),
        repeats=float(columns["repeats"].mean()),
        clean_repeats=float(columns["clean repeats"].mean()),
    )


def way(ratio: float, *, success: bool) -> Way:
    """Return the kind of an episode; `ratio` is its steps / the steps of a clean success."""
    if success:
        return "costly success" if ratio >= LONG else "success"
    if ratio <= SHORT:
        return "early collapse"
    return "inefficient exploration" if ratio >= LONG else "other failure"
