"""An episode of a run that can be played again as it was."""

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
    """A recorded episode and all that is needed to play it again."""

    record: EpisodeRecord
    condition: Condition
    limits: Limits
    new_agent: Callable[[], Agent]
    """Returns a new agent like the one that played the episode."""
    deterministic: bool
    """Whether the agent's episodes are always the same."""


def find_episode(folder: Path, name: str, library: Library, browser: str) -> RecordedEpisode:
    """Return an episode of a run by its key or a part of the key; write nothing.

    `browser` is the version of the browser in which it would be played again.

    Raises UserError if there is no such episode or several, if the run's tasks, sites, modes or engine have changed
    since, or if the agent lacks what it needs.
    """
    with Store.read(folder / FILE) as store:
        store.check_whole()
        cell = cell_by_name(name, [entry.cell for entry in store.episodes()])
        record, meta, recorded, plan = store.load(cell), store.meta(), store.identities(), recorded_plan(store)
    if record.status == "error":
        raise UserError(f"episode {cell.key} ended in an infrastructure error: {record.message}; there is no result")
    engine.check(folder, meta, engine.current(browser))
    agent = next((spec for spec in plan.agents if spec.label == cell.agent), None)
    condition = next((planned for planned in plan.conditions if planned.label == cell.condition), None)
    if agent is None or condition is None:
        raise UserError(f"episode {cell.key} is not in the plan of its run")
    check_recorded([agent], [condition])
    now = Identities(library, plan.conditions, plan.limits).of(cell)
    # A run that recorded no identities cannot be checked by them.
    if recorded.get(cell.key) and recorded[cell.key] != now:
        raise UserError(f"episode {cell.key} was recorded with another version of its task, site or mode; run it again")
    # Report a missing key or package now and not in the first of many episodes.
    build(agent).ready(environment())
    return RecordedEpisode(record, condition, plan.limits, partial(build, agent), agent.deterministic)


def cell_by_name(name: str, cells: Sequence[Cell]) -> Cell:
    """Return the cell that a name means; raises UserError if it means none or several.

    A name is a key, `task|agent|condition|world|stress|epoch`. You may leave out its end, leave parts empty, and omit
    the site of the task.
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
    raise UserError(f"episode {name[:200]!r} is not unique, {len(matches)} have that name: {names}{more}")


def _fits(cell: Cell, parts: Sequence[str]) -> bool:
    stress = "-" if cell.stress is None else cell.stress
    own = [cell.task, cell.agent, cell.condition, *map(str, (cell.world, stress, cell.epoch))]
    short = TaskId.read(cell.task).short
    task = cell.task if parts[0] == short else parts[0]
    return len(parts) <= len(own) and all(
        part in ("", own_part) for part, own_part in zip([task, *parts[1:]], own, strict=False)
    )
