"""Synthetic runs: written through the store, with outcomes that the test chooses."""

from collections.abc import Callable, Sequence
from pathlib import Path

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.conditions import CLEAN, parse
from stressweb.core.draws import digest
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.perturbations import MODES
from stressweb.plugins.checks import Grade
from stressweb.runner.registry import site_names

type Outcome = Callable[[Cell], bool | None]
"""Whether a cell succeeds; None means an error."""


def plan_of(
    agents: Sequence[str] = ("resilient",),
    tasks: int = 30,
    conditions: Sequence[str] = ("remap@3", "failure@3"),
    stress: Sequence[int] = (0,),
    epochs: int = 1,
    seed: int = 0,
) -> Plan:
    """Return a plan of made-up tasks on two sites, for deterministic agents."""
    return Plan(
        agents=tuple(AgentSpec(label=label, name=label.partition("(")[0], deterministic=True) for label in agents),
        tasks=tuple(f"{site_names()[number % 2]}/task-{number:02d}" for number in range(tasks)),
        conditions=(CLEAN, *(condition for text in conditions for condition in parse(text, MODES))),
        worlds=(seed,),
        stress=tuple(stress),
        epochs=epochs,
    )


def identity(cell: Cell, version: str = "") -> str:
    """Return the identity of a cell; like a real one, it leaves out agent and epoch."""
    return digest(version, cell.task, cell.condition, cell.world, str(cell.stress), size=8).hex()


def write_run(
    folder: Path,
    outcome: Outcome = lambda cell: True,
    plan: Plan | None = None,
    version: Callable[[Cell], str] = lambda cell: "",
    missing: Callable[[Cell], bool] = lambda cell: False,
) -> Path:
    """Write a run into a folder and return it; cells that are `missing` have no episode."""
    plan = plan or plan_of()
    cells = plan.cells()
    identities = {cell.key: identity(cell, version(cell)) for cell in cells}
    folder.mkdir(parents=True)
    with Store.create(folder / FILE, {"plan": plan.model_dump()}, cells, identities) as store:
        for cell in cells:
            if not missing(cell):
                store.save(episode(cell, outcome(cell)))
    return folder


def episode(cell: Cell, success: bool | None) -> EpisodeRecord:
    """Return an episode without pages."""
    if success is None:
        return EpisodeRecord(cell)
    return EpisodeRecord(cell, "done", "done", grade=Grade({"goal": success}, {}, verdict=None))
