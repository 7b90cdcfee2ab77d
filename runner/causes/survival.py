"""Measures how much disturbance an agent survives: a breaking point per task, and the share per severity."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import partial
from math import inf, isinf
from typing import NamedTuple

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.conditions import CLEAN, Applied, Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.injections import AllowedInjections
from stressweb.log.recording import Cell
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.rule import Rule
from stressweb.runner import registry
from stressweb.runner.causes.bisection import BreakingPoint, Trial, breaking_point
from stressweb.runner.causes.stage import CauseStage
from stressweb.runner.causes.threshold import MAX_EPISODES, Estimate, estimate

HIGHEST = 5
"""The highest severity of the tables."""
_REPORTS_ALL = "failure"
"""Mode that reports every gesture, even at rate 0."""


class Point(NamedTuple):
    """The breaking point of an agent at a task, under a stress seed."""

    agent: str
    task: str
    mode: str
    stress: int
    rates: BreakingPoint
    severity: float
    """The severity above which it fails; infinite if it passes all, -1 if it fails undisturbed."""

    def __str__(self) -> str:
        """Format for tables: `2.4`, `>5`; `2.4?` if it also passes at a higher severity, `2.4~` if it is not exact."""
        if self.severity < 0:
            return "clean"
        severity = f">{HIGHEST}" if isinf(self.severity) else f"{self.severity:.1f}"
        return severity + ("" if self.rates.monotone else "?") + ("" if self.rates.exact else "~")


def rate_of(kind: type[Perturbation]) -> str:
    """Return the name of the parameter of a mode with a rate; raises UserError for any other mode."""
    if not _has_rate(kind):
        valid = ", ".join(name for name in registry.MODES.working() if _has_rate(registry.MODES.get(name)))
        raise UserError(f"mode {kind.mode} has no rate, and so no breaking point; choose {valid}")
    (name,) = kind.severities[HIGHEST]
    return name


def point(stage: CauseStage, agent: AgentSpec, task: str, mode: str, world: int, stress: int) -> Point:
    """Return the breaking point of an agent at a task, under a stress seed."""
    kind = registry.MODES.get(mode)
    parameter = rate_of(kind)
    table = [kind.severities[severity][parameter] for severity in range(HIGHEST + 1)]

    def play(rate: float) -> Trial:
        # `allowed_injections` only records the draws that the episode met.
        condition, allowed_injections = _condition_at(mode, parameter, rate), AllowedInjections()
        cell = Cell(agent=agent.label, task=task, condition=condition.label, world=world, stress=stress)
        record = stage.play(cell, condition, partial(registry.build, agent), allowed_injections)
        return Trial(record.success, frozenset(allowed_injections.met))

    exact_point = breaking_point(play, table[HIGHEST])
    return Point(agent.label, task, mode, stress, exact_point, severity_at(exact_point.passes_to, table))


def severity_at(rate: float, table: Sequence[float]) -> float:
    """Return the severity at which a mode has a rate, interpolated linearly in its table."""
    if rate < 0 or isinf(rate):
        return rate
    index = bisect_left(table, rate)
    if index >= len(table):
        return inf
    if index == 0:
        return 0.0
    low, high = table[index - 1], table[index]
    return index - 1 + (rate - low) / (high - low)


def survival(points: Iterable[Point]) -> list[tuple[int, int, int]]:
    """Return for each severity: its number, how many points reach it, and how many pass undisturbed."""
    counted = [tested.severity for tested in points if tested.severity >= 0]
    return [
        (severity, sum(tested_severity >= severity for tested_severity in counted), len(counted))
        for severity in range(1, HIGHEST + 1)
    ]


class Sampled(NamedTuple):
    """The estimate for a nondeterministic agent, over all tasks that it passes undisturbed."""

    agent: str
    mode: str
    tasks: tuple[str, ...]
    """The tasks that it passed twice undisturbed."""
    estimate: Estimate | None
    """None without such a task."""


def sampled(
    stage: CauseStage, agent: AgentSpec, mode: str, tasks: Sequence[str], world: int, most: int = MAX_EPISODES
) -> Sampled:
    """Return an adaptive estimate for a nondeterministic agent, whose single tasks have no breaking points.

    The tasks take turns; each turn has another stress seed and another seed for the agent.
    """

    def passes(task: str, condition: Condition, stress: int | None, epoch: int) -> bool:
        label = condition.label
        cell = Cell(agent=agent.label, task=task, condition=label, world=world, stress=stress, epoch=epoch)
        return stage.play(cell, condition, partial(registry.build, agent)).success

    # Twice, since a task that only passes by luck would lower the share at every severity.
    passed = tuple(task for task in tasks if all(passes(task, CLEAN, None, epoch) for epoch in (0, 1)))
    if not passed:
        return Sampled(agent.label, mode, passed, None)

    def play(severity: int, number: int) -> bool:
        turn, index = divmod(number, len(passed))
        return passes(passed[index], Condition((Applied(mode, severity),)), turn, turn)

    return Sampled(agent.label, mode, passed, estimate(play, most))


def _has_rate(kind: type[Perturbation]) -> bool:
    # `noise` also has a single parameter, but no draw per attempt that could be bisected.
    return len(kind.severities[HIGHEST]) == 1 and type(kind.at(0).rule(Seeds(0, 0, ""))).decides is not Rule.decides


def _condition_at(mode: str, parameter: str, rate: float) -> Condition:
    """Return the condition of a mode at a rate; other modes get `failure` at rate 0, which reports every gesture."""
    rates = {_REPORTS_ALL: ("rate", 0.0), mode: (parameter, rate)}
    # In the order of parsed conditions, so that the label is the same.
    order = [name for name in registry.MODES.names() if name in rates]
    return Condition(tuple(Applied(name, parameters=(rates[name],)) for name in order))
