"""Forecasts which cells will meet their modes, from clean episodes of earlier runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import DiskFullError, UserError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.runner.plan.earlier_runs import newest
from stressweb.runner.registry import Library
from stressweb.runner.registry.exposure import predicted_exposure

REFERENCE = "naive"
"""The agent whose clean episodes are used, because it follows the reference trajectory and acts by selectors."""


@dataclass(frozen=True)
class Exposure:
    """Number of tasks that will meet all modes of a condition; a task counts once per world and stress seed."""

    met: int
    known: int
    """Number of tasks with a forecast, because an earlier run recorded them under clean."""
    tasks: int


def exposure_forecast(
    cells: Sequence[Cell], conditions: Sequence[Condition], identities: Mapping[str, str], runs_dir: Path
) -> dict[str, Exposure]:
    """Return the exposure of each condition with modes, by label.

    `identities` are those of the cells, by key: an earlier episode is used only if task, site and world are unchanged.
    """
    disturbing = [condition for condition in conditions if condition.applied]
    wanted = {(cell.task, cell.world): cell for cell in cells if cell.condition == CLEAN.label}
    references = _references({identities[cell.key]: about for about, cell in wanted.items()}, runs_dir)
    # All agents and epochs share the draws of a task, world and stress seed.
    drawn = dict.fromkeys((cell.task, cell.world, cell.stress) for cell in cells if cell.stress is not None)
    library = Library()
    met_by_label: dict[str, list[bool]] = {condition.label: [] for condition in disturbing}
    for task, world, stress in drawn:
        if (task, world) in references:
            seeds = Seeds(world, stress or 0, task)
            for label, meetings in predicted_exposure(
                references[task, world], disturbing, seeds, library.hosts(task, world)
            ).items():
                met_by_label[label].append(meetings)
    return {label: Exposure(sum(meetings), len(meetings), len(drawn)) for label, meetings in met_by_label.items()}


def _references(wanted: Mapping[str, tuple[str, int]], runs_dir: Path) -> dict[tuple[str, int], EpisodeRecord]:
    """Return a clean episode of the trajectory by task and world; `wanted` has tasks and worlds by cell identity."""
    references: dict[tuple[str, int], EpisodeRecord] = {}
    for path in newest(runs_dir):
        # Loading episodes is slow, so stop when every task has one.
        if len(references) == len(wanted):
            break
        try:
            with Store.read(path) as store:
                identities = store.identities()
                for cell in store.cells():
                    about = wanted.get(identities[cell.key])
                    # An unfinished episode shows only part of the trajectory.
                    shows = cell.agent == REFERENCE and cell.condition == CLEAN.label and store.has(cell)
                    if shows and about and about not in references and _shows_all(record := store.load(cell)):
                        references[about] = record
        # An unreadable file only leaves tasks without a forecast.
        except (UserError, DiskFullError):
            continue
    return references


def _shows_all(record: EpisodeRecord) -> bool:
    """Return whether an episode shows the whole trajectory, with the keys of its controls."""
    # Pages of early engines have no keys.
    return record.status == "done" and all(step.page.copy for step in record.steps)
