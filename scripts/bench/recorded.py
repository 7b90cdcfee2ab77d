"""Records real episodes in clean with worker processes, like `stressweb run`."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from stressweb.core.conditions import CLEAN
from stressweb.core.errors import InfrastructureError
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.listener import Listener
from stressweb.runner.execution.local import Local
from stressweb.runner.execution.scheduler import Scheduler
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.registry import chosen_agents


class _Strict(Listener):
    """Reports each finished episode, and raises InfrastructureError for errors."""

    def __init__(self, progress: Callable[[], None]) -> None:
        self._progress = progress

    def finished(self, finished: Finished) -> None:
        if finished.status == "error":
            raise InfrastructureError(f"{finished.cell.key}: {finished.message}")
        self._progress()


def record(
    folder: Path, browser: Path, agents: str, tasks: Sequence[str], workers: int, progress: Callable[[], None]
) -> list[Cell]:
    """Run agents on tasks in clean into a new folder, and return the cells; `progress` is called after each.

    Raises InfrastructureError if an episode ends in an error.
    """
    specs = tuple(chosen_agents(agents))
    cells = [Cell(agent=agent.label, task=task, condition=CLEAN.label, world=0) for task in tasks for agent in specs]
    folder.mkdir()
    Store.create(folder / FILE, {"bench": workers}, cells).close()
    plan = Plan(agents=specs, tasks=tuple(tasks), conditions=(CLEAN,))
    config = WorkerConfig(database=folder / FILE, browser=browser, plan=plan, parent=os.getpid())
    Scheduler(config, cells, Lanes(workers), Local(), _Strict(progress)).run()
    return cells
