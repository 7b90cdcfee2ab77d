"""Graded episodes of numbered tasks."""

from typing import Any

from stressweb.analysis.graded import Graded


def episode(task: int = 0, condition: str = "clean", success: bool = True, **changes: Any) -> Graded:
    """Return an episode of a numbered task."""
    fields: dict[str, Any] = {
        "agent": "naive", "task": f"shop/task-{task}", "site": "shop", "condition": condition, "world_seed": 0,
        "stress_seed": 0, "epoch": 0, "status": "done", "claim": "done", "success": success,
        "checkpoints_passed": 4 if success else 1, "checkpoints_total": 4, "harmed": False, "steps": 7,
        "exposed": None if condition == "clean" else {"remap": True}, "bypasses": 0, "seconds": 1.5,
    }  # fmt: skip
    return Graded(**{**fields, **changes})
