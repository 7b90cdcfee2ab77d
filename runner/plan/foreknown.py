"""Exposure before a run: which cells will meet their modes, computed from clean episodes of earlier runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.plan.earlier import newest
from runner.registry import Library
from runner.registry.exposure import foreseen
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import DiskFullError, UserError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store

REFERENCE = "naive"
"""The agent whose clean episodes are used: it follows the reference trajectory and acts by selectors."""


@dataclass(frozen=True)
class Exposure:
    """How many tasks of a condition will meet all of its modes on the trajectory."""

    met: int
    known: int
    """Tasks that an earlier run recorded under clean. A task counts once for each world and stress seed."""
    tasks: int


def foreknown(
    cells: Sequence[Cell], conditions: Sequence[Condition], identities: Mapping[str, str], runs_dir: Path
) -> dict[str, Exposure]:
    """Return the exposure of each condition that disturbs anything, by label.

    `identities` are those of the cells, by key: an earlier episode counts only if its task, site and world are what
    they were.
    """
    disturbing = [one for one in conditions if one.applied]
    wanted = {(cell.task, cell.world): cell for cell in cells if cell.condition == CLEAN.label}
    references = _references({identities[cell.key]: about for about, cell in wanted.items()}, runs_dir)
    # Agents and epochs have the same draws, so that each task, world and stress seed counts once.
    drawn = dict.fromkeys((cell.task, cell.world, cell.stress) for cell in cells if cell.stress is not None)
    library = Library()
    found: dict[str, list[bool]] = {one.label: [] for one in disturbing}
    for task, world, stress in drawn:
        if (task, world) in references:
            seeds = Seeds(world, stress or 0, task)
            for label, met in foreseen(references[task, world], disturbing, seeds, library.hosts(task, world)).items():
                found[label].append(met)
    return {label: Exposure(sum(met), len(met), len(drawn)) for label, met in found.items()}


def _references(wanted: Mapping[str, tuple[str, int]], runs_dir: Path) -> dict[tuple[str, int], EpisodeRecord]:
    """Return a clean episode of the trajectory for each task and world; `wanted` has them by identity of the cell."""
    found: dict[tuple[str, int], EpisodeRecord] = {}
    for path in newest(runs_dir):
        # Loading an episode reads its pages, so no further run is opened once every task has an episode.
        if len(found) == len(wanted):
            break
        try:
            with Store.read(path) as store:
                identities = store.identities()
                for cell in store.cells():
                    about = wanted.get(identities[cell.key])
                    # An episode that ended before its agent was done shows only a part of the trajectory.
                    shows = cell.agent == REFERENCE and cell.condition == CLEAN.label and store.has(cell)
                    if shows and about and about not in found and _shows_all(record := store.load(cell)):
                        found[about] = record
        # A file that is not a run only leaves tasks unknown.
        except (UserError, DiskFullError):
            continue
    return found


def _shows_all(record: EpisodeRecord) -> bool:
    """Return whether an episode shows the whole trajectory, with the keys of its controls."""
    # The pages of an earlier engine have no keys.
    return record.status == "done" and all(step.page.copy for step in record.steps)
