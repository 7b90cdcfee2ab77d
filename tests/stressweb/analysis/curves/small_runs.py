"""Small runs over the severities of a mode, whose figures can be counted by hand."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stressweb.analysis.curves import measured
from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.graded import Graded
from stressweb.core.conditions import Condition, parse
from stressweb.core.price import Price
from tests.support.graded_episodes import episode

SEVERITIES = (1, 2, 3, 4, 5)


def condition(label: str) -> Condition:
    """Return the condition of a label; its modes need not exist."""
    (parsed,) = parse(label, re.findall(r"(?:^|\+)(\w+)", label))
    return parsed


def curves(episodes: Sequence[Graded], prices: Mapping[str, Price] | None = None) -> Curves:
    """Return the curves of a run whose plan has the conditions of its episodes."""
    return measured.curves(
        episodes, map(condition, dict.fromkeys(each_episode.condition for each_episode in episodes)), prices
    )


def site_episode(task: int, condition: str, success: bool, site: int = 0, **changes: Any) -> Graded:
    """Return an episode of a task on a numbered site; clean and sham have no stress seed."""
    name = f"site-{site}"
    seed = None if condition in ("clean", "sham") else 0
    where = {"site": name, "task": f"{name}/task-{task}", "stress_seed": seed}
    return episode(task, condition, success).model_copy(update={**where, **changes})


def severity_run(
    lost: Callable[[int, int], bool], tasks: int = 12, mode: str = "remap", severities: Sequence[int] = SEVERITIES,
    **changes: Any,
) -> list[Graded]:  # fmt: skip
    """Return a run on two sites: clean succeeds, and a task fails at a severity if `lost(task, severity)`."""
    clean = [site_episode(task, "clean", True, task % 2, **changes) for task in range(tasks)]
    return clean + [
        site_episode(task, f"{mode}@{severity}", not lost(task, severity), task % 2, **changes)
        for severity in severities
        for task in range(tasks)
    ]
