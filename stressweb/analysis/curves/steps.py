"""Success against steps: how much success remains with a smaller budget of steps."""

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
    """Share of tasks that one agent finishes with success within a number of steps, under one condition.

    The estimand is the cumulative incidence of success. An episode that ends otherwise (a wrong DONE, FAIL, a crash,
    harm) never succeeds, however many steps it is allowed, and stays in the denominator. One that used up its
    steps is censored there: it might have succeeded later, so nothing is said beyond the smallest cap that was hit.
    Up to there every episode is known, and the Kaplan-Meier estimate is the share that has succeeded.
    """

    agent: str
    condition: str
    episodes: int
    tasks: int
    families: int
    """Families of these tasks: the units of intervals."""
    capped: int
    """Episodes that ended without success because their steps were used up."""
    known_to: int | None
    """Steps up to which the curve is known: the smallest cap that was hit. None if none was, so that all is known."""
    steps: list[int]
    """Where the curve rises; it is 0 before the first, and constant between them and after the last."""
    success: list[float]
    """Share of tasks finished with success within so many steps; worlds and episodes weigh as in `success`."""
    intervals: list[Intervals]
    """Pointwise, for each of `steps`."""
    half: int | None
    """Steps within which half of the tasks are finished with success; None if they never are, as far as is known."""

    def at(self, steps: int) -> float | None:
        """Return the share finished with success within so many steps; None beyond what is known."""
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
    # Success on the last allowed step is success: only failures at the cap are censored.
    caps = [episode.steps for episode in counted if episode.status == "out_of_steps" and not episode.success]
    known = min(caps, default=None)
    jumps = sorted(
        {episode.steps for episode in counted if episode.success and (known is None or episode.steps <= known)}
    )
    within = np.zeros((len(tasks), len(jumps)))
    for episode, weight in zip(counted, weights(counted).tolist(), strict=True):
        if episode.success:
            # A success beyond the known range comes after the last jump, and so counts in no column.
            within[tasks[task_of(episode)], np.searchsorted(jumps, episode.steps) :] += weight
    # Weights of a task add up to 1, but for the last bits.
    within = np.minimum(within, 1.0)
    where, own = places([site for site, _ in tasks]), families(counted, tasks)
    success: list[float] = within.mean(axis=0).tolist()
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
        intervals=[of_rates(column, where, own) for column in within.T],
        # Weights that add up to a half may miss it by rounding.
        half=next((step for step, share in zip(jumps, success, strict=True) if share >= _HALF - 1e-9), None),
    )


def weights(episodes: Sequence[Graded]) -> Floats:
    """Return the weight of each episode within its task: worlds are equal, and so are episodes of a world."""
    in_world = Counter(map(world_of, episodes))
    worlds = Counter(task for task, _ in {(task_of(episode), episode.world_seed) for episode in episodes})
    return np.array([1 / (in_world[world_of(episode)] * worlds[task_of(episode)]) for episode in episodes])
