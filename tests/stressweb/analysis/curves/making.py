"""Runs over the severities of a mode, small enough to count by hand."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stressweb.analysis.curves import measured
from stressweb.analysis.curves.costs import Price
from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.graded import Graded
from stressweb.core.conditions import Condition, parse
from tests.stressweb.analysis.test_measures import episode

SEVERITIES = (1, 2, 3, 4, 5)


def condition(label: str) -> Condition:
    """Return the condition of a label, whatever modes there are."""
    (found,) = parse(label, re.findall(r"(?:^|\+)(\w+)", label))
    return found


def curves(episodes: Sequence[Graded], prices: Mapping[str, Price] | None = None) -> Curves:
    """Return the curves of a run whose plan has the conditions of its episodes."""
    return measured.curves(episodes, map(condition, dict.fromkeys(one.condition for one in episodes)), prices)


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
