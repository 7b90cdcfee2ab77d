"""The goals of a recorded run; runs of early versions recorded none, so theirs are drawn again."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from stressweb.core.errors import UserError
from stressweb.runner.registry import Library
from stressweb.runner.registry.about_tasks import GOALS


def goal_texts(meta: Mapping[str, Any]) -> Callable[[str, int], str]:
    """Return a function from task and world seed to the goal, using the run's metadata.

    The goal is empty if the run did not record it and the task no longer exists.
    """
    library, recorded = cache(Library), meta.get(GOALS)
    # An untrusted recording can contain any value.
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
    """Return the goals of all shards of a plan; each records those of its own cells."""
    goals: dict[str, dict[str, str]] = {}
    for meta in metas:
        for task, worlds in meta.get(GOALS, {}).items():
            goals.setdefault(task, {}).update(worlds)
    return goals
