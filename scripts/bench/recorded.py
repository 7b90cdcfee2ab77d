"""Real episodes in clean, recorded by worker processes as `stressweb run` does."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from runner.execution.lanes import Lanes
from runner.execution.pool import run
from runner.execution.process import Finished
from runner.execution.worker_config import WorkerConfig
from runner.plan.plan import Plan
from runner.registry import chosen_agents
from stressweb.core.conditions import CLEAN
from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store


def record(
    folder: Path, browser: Path, agents: str, tasks: Sequence[str], workers: int, tell: Callable[[], None]
) -> list[Cell]:
    """Run agents on tasks in clean into a new folder, and return the cells; `tell` is called after each.

    Raises InfrastructureError if an episode ends in an error.
    """
    made = tuple(chosen_agents(agents))
    cells = [Cell(agent=agent.label, task=task, condition=CLEAN.label, world=0) for task in tasks for agent in made]
    folder.mkdir()
    Store.create(folder / FILE, {"bench": workers}, cells).close()
    plan = Plan(agents=made, tasks=tuple(tasks), conditions=(CLEAN,))
    config = WorkerConfig(database=folder / FILE, browser=browser, plan=plan, parent=os.getpid())

    def finished(one: Finished) -> None:
        if one.status == "error":
            raise InfrastructureError(f"{one.cell.key}: {one.message}")
        tell()

    run(folder, config, Lanes(workers), finished)
    return cells
