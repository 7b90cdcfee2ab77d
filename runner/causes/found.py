"""An episode of a run, found by name, that can be played again as it was."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from runner.agents import make
from runner.browser.install import Browser, find_browser
from runner.episode.loop import Limits
from runner.experiment import engine
from runner.experiment.identity import identities
from runner.experiment.plan import Plan
from runner.experiment.process import environment
from runner.registry import Library
from stressweb.core.choices import FEW, unknown
from stressweb.core.errors import UserError
from stressweb.core.validation import first
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.agent import Agent


class Found(NamedTuple):
    """A recorded episode with all that it takes to play it again."""

    record: EpisodeRecord
    limits: Limits
    browser: Browser
    make: Callable[[], Agent]
    """Returns a fresh agent of the kind that played it."""

    @property
    def deterministic(self) -> bool:
        """Whether the agent's episodes are always the same."""
        return self.make().deterministic


def found(folder: Path, name: str, library: Library) -> Found:
    """Return an episode of a run by its key or a part of it; nothing is written.

    Raises UserError if there is no such episode or several, if the run's tasks, sites, modes or engine have changed
    since, or if the agent lacks what it needs.
    """
    with Store.read(folder / FILE) as store:
        cell = named(name, [one.cell for one in store.episodes()])
        record, meta, recorded = store.load(cell), store.meta(), store.identities()
    try:
        plan = Plan.model_validate(meta.get("plan"))
    except ValidationError as error:
        raise UserError(f"{folder / FILE} holds no plan: {first(error, 'plan')}") from None
    if record.status == "error":
        raise UserError(f"episode {cell.key} ended in an infrastructure error: {record.message}; there is no result")
    browser = find_browser()
    engine.check(folder, meta, engine.current(browser))
    now = identities(library, [cell], plan.max_steps, plan.agent_seconds)[cell.key]
    if recorded.get(cell.key) and recorded[cell.key] != now:
        raise UserError(f"episode {cell.key} was made with another task, site or mode than there is now; run it again")
    make(cell.agent).ready(environment())
    limits = Limits(plan.max_steps, plan.agent_seconds, plan.screenshots)
    return Found(record, limits, browser, partial(make, cell.agent))


def named(name: str, cells: Sequence[Cell]) -> Cell:
    """Return the one cell that a name means; raises UserError for a name of none or of several.

    A name is a key, `task|agent|condition|world|stress|epoch`, of which the end may be left out, and parts may be
    empty; a task may be named without its site.
    """
    parts = [part.strip() for part in name.split("|")]
    keys = {cell.key: cell for cell in cells}
    meant = [cell for cell in cells if _fits(cell, parts) or cell.key == name]
    if len(meant) == 1:
        return meant[0]
    if not meant:
        raise UserError(unknown("episode", name, keys))
    shown = "; ".join(cell.key for cell in meant[:FEW])
    more = f"; and {len(meant) - FEW} more" if len(meant) > FEW else ""
    raise UserError(f"episode {name[:200]!r} is not unique, {len(meant)} have that name: {shown}{more}")


def _fits(cell: Cell, parts: Sequence[str]) -> bool:
    stress = "-" if cell.stress is None else cell.stress
    own = [cell.task, cell.agent, cell.condition, *map(str, (cell.world, stress, cell.epoch))]
    short = cell.task.partition("/")[2]
    task = cell.task if parts[0] == short else parts[0]
    return len(parts) <= len(own) and all(part in ("", one) for part, one in zip([task, *parts[1:]], own, strict=False))
