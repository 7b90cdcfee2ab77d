"""Graded episodes for a verification."""

from stressweb.analysis.graded import Graded


def graded(**fields: object) -> Graded:
    whole = {
        "agent": "resilient", "task": "demo/lend-a-tool", "site": "demo", "condition": "remap@3", "world_seed": 2,
        "stress_seed": 0, "epoch": 0, "status": "done", "claim": "done", "success": True, "checkpoints_passed": 3,
        "checkpoints_total": 3, "harmed": False, "steps": 9, "exposed": None, "bypasses": 0, "seconds": 1.0,
    }  # fmt: skip
    return Graded.model_validate(whole | fields)
