"""Facts about tasks that a run records, so that its results can be read without the tasks."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from stressweb.log.recording import LONGEST_LABEL, Cell
from stressweb.runner.registry.library import Library

GOALS = "goals"
"""Metadata key of a run's goals."""


class AboutTask(BaseModel):
    """The facts that a run records about a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: Annotated[str, Field(max_length=LONGEST_LABEL)] = ""
    horizon: Annotated[int, Field(ge=1)] = 1


def about_tasks(library: Library, tasks: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the facts to record about tasks, by id."""
    return {
        task: AboutTask(family=library.task(task).family or "", horizon=len(library.parts(task))).model_dump()
        for task in tasks
    }


def goals(library: Library, cells: Iterable[Cell]) -> dict[str, dict[str, str]]:
    """Return the goals that agents get, by task and world seed; seeds are strings, as JSON keys."""
    goals_by_task: dict[str, dict[str, str]] = {}
    for task, world in dict.fromkeys((cell.task, cell.world) for cell in cells):
        goals_by_task.setdefault(task, {})[str(world)] = library.goal(task, world).text
    return goals_by_task
