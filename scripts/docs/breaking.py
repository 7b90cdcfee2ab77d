"""The breaking points of the scripted agents for the documents: the tasks that still succeed at each severity."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scripts.docs.markdown import table
from scripts.docs.runs import stressweb
from stressweb.log.plan import limited
from stressweb.runner.causes.survival import HIGHEST
from stressweb.runner.registry import task_ids

AGENTS = ("naive", "resilient")
BROKEN_BY = ("remap", "failure", "popup")
"""Modes that disturb gestures by a rate."""
TASKS = 5
"""Number of tasks, each of a different site; few, because each point takes several episodes."""
SEEDS = "0..4"


def breaking() -> dict[str, str]:
    """Find the breaking points of the scripted agents and return their table."""
    folder = tempfile.mkdtemp(prefix="stressweb-docs-")
    tasks = limited(task_ids(), TASKS)
    arguments = ["--agent", ",".join(AGENTS), "--mode", ",".join(BROKEN_BY), "--task", ",".join(tasks)]
    output = stressweb(folder, "breaking-point", *arguments, "--stress-seeds", SEEDS, "--json")
    shutil.rmtree(folder)
    return {"breaking-points": shown(json.loads(output)["points"], tasks)}


def shown(points: Sequence[Mapping[str, Any]], tasks: Sequence[str]) -> str:
    """Return a row for each agent and mode with the pairs of task and seed that succeed up to each severity."""
    rows = []
    for agent, mode in dict.fromkeys((point["agent"], point["mode"]) for point in points):
        own = [point for point in points if (point["agent"], point["mode"]) == (agent, mode)]
        passing = [point for point in own if point["severity"] != "clean"]
        surviving = [
            f"{sum(_survives(point, severity) for point in passing)}/{len(passing)}"
            for severity in range(1, HIGHEST + 1)
        ]
        episodes = sum(point["episodes"] for point in own)
        rows.append((agent, mode, *surviving, _count(own, "monotone"), _count(own, "exact"), episodes))
    head = ("agent", "mode", *map(str, range(1, HIGHEST + 1)), "not monotone", "not exact", "episodes")
    names = ", ".join(f"`{task}`" for task in tasks)
    return f"{table(head, rows)}\n\nStress seeds {SEEDS}, tasks {names}."


def _survives(point: Mapping[str, Any], severity: int) -> bool:
    written = str(point["severity"]).rstrip("?~")
    return written.startswith(">") or float(written) >= severity


def _count(points: Iterable[Mapping[str, Any]], field: str) -> int:
    return sum(not point[field] for point in points)
