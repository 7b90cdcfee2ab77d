"""What a run records about the tasks of its plan, so that its results can be read without the tasks."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from stressweb.log.recording import LONGEST_LABEL, Cell
from stressweb.runner.registry.library import Library

GOALS = "goals"
"""Metadata key under which a run records its goals."""


class AboutTask(BaseModel):
    """What a run records about a task besides its id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: Annotated[str, Field(max_length=LONGEST_LABEL)] = ""
    horizon: Annotated[int, Field(ge=1)] = 1


def about_tasks(library: Library, tasks: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what a run records about its tasks, by id."""
    return {
        task: AboutTask(family=library.task(task).family or "", horizon=len(library.parts(task))).model_dump()
        for task in tasks
    }


def goals(library: Library, cells: Iterable[Cell]) -> dict[str, dict[str, str]]:
    """Return the goal of each task of a plan in each of its worlds, as agents get it; seeds are texts, as JSON keys."""
    goals_by_task: dict[str, dict[str, str]] = {}
    for task, world in dict.fromkeys((cell.task, cell.world) for cell in cells):
        goals_by_task.setdefault(task, {})[str(world)] = library.goal(task, world).text
    return goals_by_task
