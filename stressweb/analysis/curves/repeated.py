"""Repeats: how often k episodes of a task all succeed, and how often two of them disagree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stressweb.analysis.curves.estimands import Intervals, of_rates, places
from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import families, grouped, task_flips, task_of
from stressweb.analysis.statistics import pass_hat_k


@dataclass(frozen=True)
class PassK:
    """pass^k (tau-bench, arXiv 2406.12045): the chance that k episodes of a task all succeed."""

    k: int
    value: float
    """Mean over tasks of C(successes, k) / C(episodes, k), which is unbiased."""
    intervals: Intervals


@dataclass(frozen=True)
class Repeated:
    """One agent under one condition, on its repeated tasks."""

    agent: str
    condition: str
    tasks: int
    """Tasks with at least two episodes without error, of any worlds, stress seeds and epochs."""
    families: int
    """Families of these tasks, the units of intervals."""
    pass_k: list[PassK]
    """From k = 1 to the smallest number of episodes among these tasks."""
    flip_rate: float | None
    """How often two episodes of a task with the same world and disturbances disagree; None without such repeats."""
    flip_intervals: Intervals | None


def repeated(agent: str, condition: str, episodes: Sequence[Graded]) -> Repeated | None:
    """Return the figures of a condition's repeats; None if no task has two episodes."""
    tasks = grouped((episode for episode in episodes if episode.counts), task_of)
    several = {task: [episode.success for episode in tasks[task]] for task in sorted(tasks) if len(tasks[task]) > 1}
    if not several:
        return None
    where, own = places([site for site, _ in several]), families(episodes, several)
    pass_rates = []
    # Up to the smallest number of episodes of a task, so that every k has the same tasks.
    for k in range(1, min(map(len, several.values())) + 1):
        each = np.array([pass_hat_k([len(won)], [sum(won)], k) for won in several.values()])
        pass_rates.append(PassK(k, float(each.mean()), of_rates(each, where, own)))
    flips = dict(sorted(task_flips(episodes).items()))
    rates = np.array([*flips.values()])
    flipped = of_rates(rates, places([site for site, _ in flips]), families(episodes, flips))
    return Repeated(
        agent=agent,
        condition=condition,
        tasks=len(several),
        families=len(set(own)),
        pass_k=pass_rates,
        flip_rate=float(rates.mean()) if flips else None,
        flip_intervals=flipped if flips else None,
    )
