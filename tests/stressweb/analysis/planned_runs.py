"""The cells of a run with their outcomes, to compare."""

from collections.abc import Callable
from typing import Any

from stressweb.analysis.comparison import Planned
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from tests.support.graded_episodes import episode
from tests.support.made_runs import identity, plan_of

type Outcomes = Callable[[Cell], bool | None]
"""Whether a cell succeeds; None for an error."""


def run(outcomes: Outcomes = lambda cell: True, plan: Plan | None = None, **versions: str) -> list[Planned]:
    """Return the cells of a run; `versions` changes the identity of a condition's cells."""
    return [
        Planned(cell, identity(cell, versions.get(cell.condition.partition("@")[0], "")), graded(cell, outcomes(cell)))
        for cell in (plan or plan_of()).cells()
    ]


def graded(cell: Cell, success: bool | None) -> Any:
    same = {"agent": cell.agent, "site": cell.task.partition("/")[0], "world_seed": cell.world, "epoch": cell.epoch}
    measured = episode(0, cell.condition, bool(success), stress_seed=cell.stress, **same)
    return measured.model_copy(update={"task": cell.task, "status": "error" if success is None else "done"})
