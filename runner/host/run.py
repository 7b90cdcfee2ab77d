"""The run of the episode server: each opened episode adds its cell to the plan."""

import itertools
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.browser_program import find_browser
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.errors import UserError
from stressweb.core.program_name import program_name
from stressweb.log.episode import Episode, EpisodeDetails
from stressweb.log.limits import Limits
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.run_folder import check_name, claimed, new_folder, recorded_plan, resumed_plan
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.founding import about, check_same, software
from stressweb.runner.registry import Library, check_recorded, engine
from stressweb.runner.registry.about_tasks import GOALS, about_tasks, goals
from stressweb.runner.registry.identity import Identities

_NAME = "host"
"""Name of a server's run folder, after the date."""


class HostRun:
    """A run whose cells are added one by one, created by `opened_run`. Call its methods from one thread only."""

    def __init__(self, folder: Path, plan: Plan, library: Library) -> None:
        """Take the run's folder and plan, and the library of its tasks."""
        self.folder, self.plan = folder, plan
        self._library = library
        self._identities: dict[str, Identities] = {}
        self._store: Store | None = None
        self._noted: dict[str, Any] = {}

    def connect(self) -> None:
        """Open the database in the thread that will use it."""
        self._store = Store.open(self.folder / FILE)
        meta = self._store.meta()
        self._noted = {name: meta[name] for name in ("parts", "tasks", GOALS)}

    def close(self) -> None:
        """Close the database."""
        if self._store is not None:
            self._store.close()

    def add(self, cell: Cell, condition: Condition, agent: AgentSpec) -> None:
        """Add a cell unless the run already has it; raise UserError if its task cannot be drawn."""
        if cell in (self.plan.opened or ()):
            return
        self._library.check(cell.task, cell.world)
        identities = self._identities.setdefault(
            condition.label, Identities(self._library, [condition], self.plan.limits)
        )
        plan = _with_cell(self.plan, cell, condition, agent)
        noted = {
            "parts": {**self._noted["parts"], **identities.parts(cell)},
            "tasks": {**self._noted["tasks"], **about_tasks(self._library, [cell.task])},
            GOALS: _joined(self._noted[GOALS], goals(self._library, [cell])),
        }
        self.store.add(cell, identities.of(cell), {"plan": plan.model_dump(mode="json"), **noted})
        self.plan, self._noted = plan, noted

    def ended(self) -> dict[str, str]:
        """Return the status of each finished episode by the key of its cell."""
        return {ended.cell.key: ended.status for ended in self.store.outcomes()}

    def episode(self, cell: Cell) -> Episode:
        """Return a finished episode."""
        return self.store.episode(cell)

    def details(self, cell: Cell) -> EpisodeDetails:
        """Return a finished episode with its ledger."""
        return self.store.details(cell)

    @property
    def store(self) -> Store:
        """The database."""
        assert self._store is not None, "connect comes first"
        return self._store


@contextmanager
def opened_run(
    out: Path | None, runs_dir: Path, limits: Limits, explicit_names: Collection[str], library: Library
) -> Iterator[HostRun]:
    """Yield a new run, or the existing run in the folder `out`, locked against other processes.

    `explicit_names` are the limits that the user set explicitly; an existing run must have the same values. Raises
    UserError.
    """
    browser = find_browser()
    if out is not None and (out / FILE).exists():
        with Store.read(out / FILE) as store:
            if recorded_plan(store).opened is None:
                raise UserError(
                    f"{out} is not a run of `stressweb host`; continue it with: {program_name()} run --resume"
                )
        folder, plan = out, resumed_plan(out, _plan(limits), explicit_names)
        check_recorded(plan.agents, plan.conditions)
        check_same(folder, plan, library, software(browser.version))
    else:
        plan = _plan(limits)
        if out is not None:
            check_name(out.resolve().name)
            if out.exists():
                raise UserError(f"{out} exists and is not a run of `stressweb host`; choose a new folder")
        meta = {"started": engine.now(), **software(browser.version), **about(library, plan)}
        folder = new_folder(out.parent, out.name, _NAME) if out is not None else new_folder(runs_dir, None, _NAME)
        Store.create(folder / FILE, meta, []).close()
    with claimed(folder):
        yield HostRun(folder, plan, library)


def _plan(limits: Limits) -> Plan:
    return Plan(**dict(limits), agents=(), tasks=(), conditions=(CLEAN,), worlds=(), opened=())


def _with_cell(plan: Plan, cell: Cell, condition: Condition, agent: AgentSpec) -> Plan:
    """Return a plan with one more cell."""
    seeds = () if cell.stress is None else (cell.stress,)
    additions: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
        "agents": (plan.agents, (agent,)),
        "tasks": (plan.tasks, (cell.task,)),
        "conditions": (plan.conditions, (condition,)),
        "worlds": (plan.worlds, (cell.world,)),
        "stress": (plan.stress, seeds),
        "opened": (plan.opened or (), (cell,)),
    }
    parts: dict[str, Any] = {name: tuple(dict.fromkeys(itertools.chain(*both))) for name, both in additions.items()}
    return plan.model_copy(update={**parts, "epochs": max(plan.epochs, cell.epoch + 1)})


def _joined(known: dict[str, dict[str, str]], new: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {**known, **{task: {**known.get(task, {}), **worlds} for task, worlds in new.items()}}
