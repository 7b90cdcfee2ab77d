"""What a run notes of the tasks of its plan, so that its results can be read where the tasks are not."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from runner.registry import Library
from stressweb.log.recording import LONGEST_LABEL


class AboutTask(BaseModel):
    """What a run knows of a task besides its id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: Annotated[str, Field(max_length=LONGEST_LABEL)] = ""
    horizon: Annotated[int, Field(ge=1)] = 1


def about_tasks(library: Library, tasks: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what a run notes of its tasks, by id."""
    return {
        task: AboutTask(family=library.task(task).family or "", horizon=len(library.parts(task))).model_dump()
        for task in tasks
    }
