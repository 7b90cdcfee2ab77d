"""The goals of a recorded run: those that it noted, and those of an earlier run as they are drawn today."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from runner.registry import Library
from runner.registry.about_tasks import GOALS
from stressweb.core.errors import UserError


def goal_texts(meta: Mapping[str, Any]) -> Callable[[str, int], str]:
    """Return what gives the goal of a task in a world, from what is written down about the run as a whole.

    Where the run did not note it and the task is no longer there, the goal is empty.
    """
    library, found = cache(Library), meta.get(GOALS)
    # The file may be a stranger's.
    noted: Mapping[str, Any] = found if isinstance(found, dict) else {}

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
    """Return the goals that the shards of one plan noted, each those of its own cells."""
    goals: dict[str, dict[str, str]] = {}
    for meta in metas:
        for task, worlds in meta.get(GOALS, {}).items():
            goals.setdefault(task, {}).update(worlds)
    return goals
