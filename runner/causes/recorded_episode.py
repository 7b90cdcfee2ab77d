"""A recorded episode, with everything needed to play it again."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from stressweb.core.choices import FEW, unknown
from stressweb.core.conditions import Condition
from stressweb.core.environment import environment
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.plugins.agent import Agent
from stressweb.runner.registry import Library, build, check_recorded, engine
from stressweb.runner.registry.identity import Identities


class RecordedEpisode(NamedTuple):
    """A recorded episode, with everything needed to play it again."""

    record: EpisodeRecord
    condition: Condition
    limits: Limits
    new_agent: Callable[[], Agent]
    """Returns a new agent like the one that played the episode."""
    deterministic: bool
    """Whether the agent is deterministic."""


def find_episode(folder: Path, name: str, library: Library, browser: str) -> RecordedEpisode:
    """Return an episode of a run by its key or a part of the key.

    `browser` is the version of the browser to play it in. Raises UserError if no episode or several match, if the run's
    tasks, sites, modes or engine have changed since, or if a requirement of the agent is missing.
    """
    with Store.read(folder / FILE) as store:
        store.check_whole()
        cell = cell_by_name(name, [entry.cell for entry in store.episodes()])
        record, meta, identities, plan = store.load(cell), store.meta(), store.identities(), recorded_plan(store)
    if record.status == "error":
        raise UserError(f"episode {cell.key} has no result, only an infrastructure error: {record.message}")
    engine.check(folder, meta, engine.current(browser))
    agent = next((spec for spec in plan.agents if spec.label == cell.agent), None)
    condition = next((planned for planned in plan.conditions if planned.label == cell.condition), None)
    if agent is None or condition is None:
        raise UserError(f"episode {cell.key} is not in the plan of its run")
    check_recorded([agent], [condition])
    current_identity = Identities(library, plan.conditions, plan.limits).of(cell)
    # Early versions recorded no identities.
    if identities.get(cell.key) and identities[cell.key] != current_identity:
        raise UserError(f"episode {cell.key} was recorded with another version of its task, site or mode; run it again")
    # Report a missing key or package now, before the first episode.
    build(agent).ready(environment())
    return RecordedEpisode(record, condition, plan.limits, partial(build, agent), agent.deterministic)


def cell_by_name(name: str, cells: Sequence[Cell]) -> Cell:
    """Return the cell with a name; raises UserError if no cell or several match.

    A name is a key, `task|agent|condition|world|stress|epoch`, of which the end, any part, and the task's site may be
    omitted.
    """
    parts = [part.strip() for part in name.split("|")]
    keys = {cell.key: cell for cell in cells}
    matches = [cell for cell in cells if _fits(cell, parts) or cell.key == name]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise UserError(unknown("episode", name, keys))
    names = "; ".join(cell.key for cell in matches[:FEW])
    more = f"; and {len(matches) - FEW} more" if len(matches) > FEW else ""
    raise UserError(f"episode {name[:200]!r} matches {len(matches)} episodes: {names}{more}")


def _fits(cell: Cell, parts: Sequence[str]) -> bool:
    stress = "-" if cell.stress is None else cell.stress
    own = [cell.task, cell.agent, cell.condition, *map(str, (cell.world, stress, cell.epoch))]
    short = TaskId.read(cell.task).short
    task = cell.task if parts[0] == short else parts[0]
    return len(parts) <= len(own) and all(
        part in ("", own_part) for part, own_part in zip([task, *parts[1:]], own, strict=False)
    )
