"""Interactions: whether two modes together cost more or less success than the sum of their single costs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stressweb.analysis.curves.estimands import Intervals, of_means
from stressweb.analysis.curves.joint import Arm, joint
from stressweb.analysis.statistics import sign_flip

_REACH = 2.0
"""Largest interaction: it is a difference of two differences, each from -1 to 1."""


@dataclass(frozen=True)
class Interaction:
    """A pair of modes, on the scale of success: AB - A - B + clean."""

    agent: str
    condition: str
    """The condition with both modes."""
    alone: tuple[str, str]
    """The conditions with one mode each, with the same severities and parameters."""
    tasks: int
    """Tasks with a pair of episodes under all three conditions."""
    families: int
    """Families of these tasks, the units of interval and test."""
    difference: float
    """Success under both modes minus success under clean."""
    differences_alone: tuple[float, float]
    """Success under each mode alone minus success under clean."""
    interaction: float
    """`difference` minus the sum of `differences_alone`; below 0 both together cost more than the sum, above 0 less."""
    intervals: Intervals
    p_value: float
    """The p-value of the two-sided sign-flip test over families of tasks."""
    p_holm: float | None = None
    """The p-value adjusted by Holm's method for all pairs of the agent."""


def interaction(agent: str, condition: str, alone: tuple[str, str], arms: Mapping[str, Arm]) -> Interaction | None:
    """Return the interaction of two modes from the pairs of each condition with clean; None without a common task.

    Each condition is compared with the clean episodes of its own pairs, so that an error affects no other condition.
    """
    common = joint([arms[label] for label in (condition, *alone)])
    if not common.tasks:
        return None
    # (AB - clean) - (A - clean) - (B - clean), so that each condition is compared with the clean episodes of its pairs.
    both, first, second = common.differences.T
    values = both - first - second
    return Interaction(
        agent=agent,
        condition=condition,
        alone=alone,
        tasks=common.tasks,
        families=common.units,
        difference=float(both.mean()),
        differences_alone=(float(first.mean()), float(second.mean())),
        interaction=float(np.mean(values)),
        intervals=of_means(values, common.where, common.families, _REACH),
        p_value=sign_flip(values.tolist(), common.families),
    )
