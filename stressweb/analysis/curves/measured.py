"""All curves and comparisons with data in a run, and a list of those without data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from pydantic import TypeAdapter

from stressweb.analysis.curves.alarms import AlarmCurve, alarm_curves
from stressweb.analysis.curves.collapse import Collapse, collapse
from stressweb.analysis.curves.costs import Costs, costs
from stressweb.analysis.curves.difficulty import Difficulty, difficulty
from stressweb.analysis.curves.dose import DoseResponse, dose_response
from stressweb.analysis.curves.interaction import Interaction, interaction
from stressweb.analysis.curves.joint import Arm
from stressweb.analysis.curves.labels import dose, pair
from stressweb.analysis.curves.lost import of_conditions, of_tasks
from stressweb.analysis.curves.missing import (
    of_clean,
    of_collapses,
    of_costs,
    of_doses,
    of_errors,
    of_pairs,
    of_repeats,
)
from stressweb.analysis.curves.repeated import Repeated, repeated
from stressweb.analysis.curves.steps import StepsCurve, steps_curve
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.pairing import family_of, grouped, paired_tasks, task_of
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.statistics import holm
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.price import Price

type Cells = Mapping[str, Sequence[Graded]]
"""The episodes of one agent by the label of their condition."""


@dataclass(frozen=True)
class Curves:
    """Curves and comparisons of a run, by agent in order of appearance."""

    results: list[ResultRow] = field(default_factory=list)
    dose_responses: list[DoseResponse] = field(default_factory=list)
    interactions: list[Interaction] = field(default_factory=list)
    steps: list[StepsCurve] = field(default_factory=list)
    costs: list[Costs] = field(default_factory=list)
    collapses: list[Collapse] = field(default_factory=list)
    difficulties: list[Difficulty] = field(default_factory=list)
    repeats: list[Repeated] = field(default_factory=list)
    alarms: list[AlarmCurve] = field(default_factory=list)
    """False alarms of testers; empty without test cases."""
    missing: list[str] = field(default_factory=list)
    """Missing curves, and the commands to get them, in sentences."""


def curves(
    episodes: Iterable[Graded], conditions: Iterable[Condition], prices: Mapping[str, Price] | None = None
) -> Curves:
    """Return every curve and comparison of a run; the order of its episodes does not matter.

    `conditions` are those of the run's plan, with the modes and severities of each label. `prices` are by agent name.
    """
    planned = {condition.label: condition for condition in conditions}
    # Sorted, because the last bits of a sum of floats depend on the order.
    ordered = sorted(episodes, key=_place)
    rows = measure(ordered)
    measured = Curves(results=rows, alarms=list(alarm_curves(rows, planned)))
    for agent, own in grouped(ordered, lambda episode: episode.agent).items():
        cells = grouped(own, lambda episode: episode.condition)
        clean = cells.get(CLEAN.label, [])
        known = {task_of(episode): family_of(episode) for episode in own}
        arms = {label: Arm(paired_tasks(clean, cell), known) for label, cell in cells.items() if label != CLEAN.label}
        measured.dose_responses.extend(_doses(agent, planned, cells, arms))
        measured.interactions.extend(_interactions(agent, planned, arms))
        measured.steps.extend(filter(None, (steps_curve(agent, label, cell) for label, cell in cells.items())))
        price = (prices or {}).get(agent)
        measured.costs.extend(costs(agent, label, cell, price) for label, cell in cells.items())
        stressed = [(label, cell) for label, cell in cells.items() if label != CLEAN.label]
        measured.collapses.extend(filter(None, (collapse(agent, label, clean, cell) for label, cell in stressed)))
        measured.difficulties.extend(difficulty(agent, own))
        measured.repeats.extend(filter(None, (repeated(agent, label, cell) for label, cell in cells.items())))
        measured.missing.extend([*of_conditions(agent, cells, arms), *of_tasks(agent, own)])
    lacking = (
        of_clean(ordered),
        of_errors(ordered),
        of_doses(ordered, measured.dose_responses, planned),
        of_pairs(ordered, planned, measured.interactions),
        of_collapses(ordered),
        of_repeats(measured.repeats),
        of_costs(ordered, measured.costs),
    )
    measured.missing.extend(chain.from_iterable(lacking))
    return measured


def to_json(measured: Curves) -> dict[str, Any]:
    """Return the figures as JSON values: rates and differences 0 to 1, intervals as [low, high], unknown as null."""
    values: dict[str, Any] = TypeAdapter(Curves).dump_python(measured, mode="json")
    return values


def _place(episode: Graded) -> tuple[str, int, str, str, str, int, int, int]:
    # -1, because None cannot be compared with a number, and no seed is below 0.
    seed = -1 if episode.stress_seed is None else episode.stress_seed
    # Clean comes first; conditions are shown in the order of the episodes.
    rank = int(episode.condition != CLEAN.label)
    where = (episode.site, episode.task, episode.world_seed, seed, episode.epoch)
    return (episode.agent, rank, episode.condition, *where)


def _doses(
    agent: str, planned: Mapping[str, Condition], cells: Cells, arms: Mapping[str, Arm]
) -> Iterator[DoseResponse]:
    """Yield the curve of each mode, with p-values adjusted for all modes."""
    modes: dict[str, dict[int, Sequence[Graded]]] = {}
    for label in arms:
        if point := dose(planned[label]):
            modes.setdefault(point.mode, {})[point.severity] = cells[label]
    clean = cells.get(CLEAN.label, [])
    responses = [response for mode, own in modes.items() if (response := dose_response(agent, mode, clean, own, arms))]
    tested = [
        tested_response.trend.p_value
        for tested_response in responses
        if tested_response.trend and tested_response.trend.p_value is not None
    ]
    # Otherwise five modes without effect would cause a false alarm in every fifth run.
    adjusted = iter(holm(tested))
    for response in responses:
        has_test = response.trend is not None and response.trend.p_value is not None
        yield (
            replace(response, trend=replace(response.trend, p_holm=next(adjusted)))
            if response.trend and has_test
            else response
        )


def _interactions(agent: str, planned: Mapping[str, Condition], arms: Mapping[str, Arm]) -> list[Interaction]:
    """Return every pair whose modes were also run alone, with p-values adjusted for all pairs."""
    pairs = {
        label: single_modes
        for label in arms
        if (single_modes := pair(planned[label])) and set(single_modes) <= arms.keys()
    }
    effects = [
        effect for label, single_modes in pairs.items() if (effect := interaction(agent, label, single_modes, arms))
    ]
    adjusted = holm([pair_effect.p_value for pair_effect in effects])
    return [replace(pair_effect, p_holm=p_holm) for pair_effect, p_holm in zip(effects, adjusted, strict=True)]
