"""Finished episodes of shop tasks, and their table in a terminal."""

import io
from typing import Any

from rich.console import Console

from stressweb.analysis import table
from stressweb.analysis.graded import Graded
from tests.support.plans import condition as planned


def episode(agent: str, task: int, condition: str, success: bool, **changes: Any) -> Graded:
    """Return one finished episode of a shop task."""
    fields: dict[str, Any] = {
        "agent": agent, "task": f"shop/task-{task}", "site": "shop", "condition": condition, "world_seed": 0,
        "stress_seed": 0, "epoch": 0, "status": "done", "claim": "done", "success": success,
        "checkpoints_passed": 4 if success else 1, "checkpoints_total": 5, "harmed": False, "steps": 7,
        "exposed": dict.fromkeys(planned(condition).modes, True) or None, "bypasses": 0, "seconds": 1.0,
    }  # fmt: skip
    return Graded(**{**fields, **changes})


def printed(episodes: list[Graded], width: int, explain: bool = False, **options: Any) -> str:
    """Return the table in a terminal of this width."""
    console = Console(file=io.StringIO(), width=width, **options)
    console.print(table.summary(episodes, explain=explain))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
