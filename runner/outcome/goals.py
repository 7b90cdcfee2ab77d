"""The goals of a recorded run; for runs of early versions, which recorded none, as they are drawn today."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from stressweb.core.errors import UserError
from stressweb.runner.registry import Library
from stressweb.runner.registry.about_tasks import GOALS


def goal_texts(meta: Mapping[str, Any]) -> Callable[[str, int], str]:
    """Return a function that gives the goal of a task in a world, from the metadata of the run.

    The goal is empty if the run did not record it and the task no longer exists.
    """
    library, recorded = cache(Library), meta.get(GOALS)
    # A foreign run can hold anything here.
    noted: Mapping[str, Any] = recorded if isinstance(recorded, dict) else {}

    @cache
    def text(task: str, world: int) -> str:
        worlds = noted.get(task)
        goal = worlds.get(str(world)) if isinstance(worlds, dict) else None
        if isinstance(goal, str):
            return goal
        try:
            return library().goal(task, world).text
        except (UserError, OSError):
            return ""

    return text


def joined(metas: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the goals that the shards of a plan recorded, each for its own cells."""
    goals: dict[str, dict[str, str]] = {}
    for meta in metas:
        for task, worlds in meta.get(GOALS, {}).items():
            goals.setdefault(task, {}).update(worlds)
    return goals
