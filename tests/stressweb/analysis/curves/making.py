"""Runs over the severities of a mode, small enough to count by hand."""

from collections.abc import Callable, Sequence
from typing import Any

from stressweb.analysis.graded import Graded
from tests.stressweb.analysis.test_measures import episode

SEVERITIES = (1, 2, 3, 4, 5)


def at(task: int, condition: str, success: bool, site: int = 0, **changes: Any) -> Graded:
    """Return an episode of a task of one of many sites; clean has no stress seed."""
    name = f"site-{site}"
    seed = None if condition in ("clean", "sham") else 0
    where = {"site": name, "task": f"{name}/task-{task}", "stress_seed": seed}
    return episode(task, condition, success).model_copy(update={**where, **changes})


def severe(
    lost: Callable[[int, int], bool], tasks: int = 12, mode: str = "remap", severities: Sequence[int] = SEVERITIES,
    **changes: Any,
) -> list[Graded]:  # fmt: skip
    """Return a run in which clean succeeds and `lost` says which task fails at which severity; two sites."""
    clean = [at(task, "clean", True, task % 2, **changes) for task in range(tasks)]
    return clean + [
        at(task, f"{mode}@{severity}", not lost(task, severity), task % 2, **changes)
        for severity in severities
        for task in range(tasks)
    ]
