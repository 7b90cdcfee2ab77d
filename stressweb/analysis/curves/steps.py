"""Success by steps: how much success remains with a smaller budget of steps."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stressweb.analysis.curves.estimands import Intervals, of_rates, places
from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import families, task_of, world_of
from stressweb.analysis.statistics import Floats

_HALF = 0.5


@dataclass(frozen=True)
class StepsCurve:
    """Share of tasks in which an agent succeeds within a number of steps, under one condition.

    The estimand is the cumulative incidence of success. An episode that ends without success (a wrong DONE, FAIL, a
    crash, harm) would not succeed with more steps either, and stays in the denominator. An episode that reached its
    step limit might have succeeded later, so the curve ends at the smallest limit that was reached. Up to there all
    outcomes are known, and the Kaplan-Meier estimate is the share that has succeeded.
    """

    agent: str
    condition: str
    episodes: int
    tasks: int
    families: int
    """Families of these tasks, the units of intervals."""
    capped: int
    """Episodes that failed at their step limit."""
    known_to: int | None
    """The last step of the curve, the smallest step limit that was reached; None if the curve has no end."""
    steps: list[int]
    """The steps at which the curve rises; it is 0 before the first, and constant between them and after the last."""
    success: list[float]
    """Share of tasks with success within these steps; worlds and episodes have weights as in the table."""
    intervals: list[Intervals]
    """Pointwise intervals of `success`."""
    half: int | None
    """Steps within which half of the tasks succeed; None if the known curve does not reach a half."""

    def at(self, steps: int) -> float | None:
        """Return the share of tasks with success within these steps; None beyond the end of the curve."""
        if self.known_to is not None and steps > self.known_to:
            return None
        before = bisect_right(self.steps, steps)
        return self.success[before - 1] if before else 0.0


def steps_curve(agent: str, condition: str, episodes: Sequence[Graded]) -> StepsCurve | None:
    """Return the curve of one condition; None if no episode counts."""
    counted = [episode for episode in episodes if episode.counts]
    if not counted:
        return None
    tasks = {task: number for number, task in enumerate(sorted({task_of(episode) for episode in counted}))}
    # Only failures at the limit are censored; a success at the last step is a success.
    caps = [episode.steps for episode in counted if episode.status == "out_of_steps" and not episode.success]
    known = min(caps, default=None)
    jumps = sorted(
        {episode.steps for episode in counted if episode.success and (known is None or episode.steps <= known)}
    )
    shares = np.zeros((len(tasks), len(jumps)))
    for episode, weight in zip(counted, weights(counted).tolist(), strict=True):
        if episode.success:
            # A success beyond the end of the curve is after the last jump, so it counts in no column.
            shares[tasks[task_of(episode)], np.searchsorted(jumps, episode.steps) :] += weight
    # Rounding may make the sum of a task's weights slightly exceed 1.
    shares = np.minimum(shares, 1.0)
    where, own = places([site for site, _ in tasks]), families(counted, tasks)
    success: list[float] = shares.mean(axis=0).tolist()
    return StepsCurve(
        agent=agent,
        condition=condition,
        episodes=len(counted),
        tasks=len(tasks),
        families=len(set(own)),
        capped=len(caps),
        known_to=known,
        steps=jumps,
        success=success,
        intervals=[of_rates(column, where, own) for column in shares.T],
        # The tolerance is for rounding errors of weights that add up to a half.
        half=next((step for step, share in zip(jumps, success, strict=True) if share >= _HALF - 1e-9), None),
    )


def weights(episodes: Sequence[Graded]) -> Floats:
    """Return the weight of each episode in its task: worlds have equal weight, and so have the episodes of a world."""
    in_world = Counter(map(world_of, episodes))
    worlds = Counter(task for task, _ in {(task_of(episode), episode.world_seed) for episode in episodes})
    return np.array([1 / (in_world[world_of(episode)] * worlds[task_of(episode)]) for episode in episodes])
