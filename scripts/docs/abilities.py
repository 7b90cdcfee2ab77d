"""The matrix of the documents: `resilient` without each of its abilities, in every mode, on the same tasks."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scripts.docs.markdown import table
from scripts.docs.runs import stressweb
from stressweb.log.plan import limited
from stressweb.perturbations import MODES
from stressweb.runner.agents import abilities as abilities_of
from stressweb.runner.registry import task_ids

AGENT = "resilient"
TASKS = 10
"""How many tasks are run, of each site in turn."""

type Cells = Mapping[tuple[str, str], tuple[int, int]]
"""Successes and episodes by agent and condition."""


def abilities() -> dict[str, str]:
    """Run every agent of the matrix in every mode at severity 3, and return the matrix."""
    names = abilities_of(AGENT)
    folder = tempfile.mkdtemp(prefix="stressweb-docs-")
    agents = ",".join([AGENT, *(without(name) for name in names)])
    tasks = limited(task_ids(), TASKS)
    output = stressweb(folder, "run", "--agent", agents, "--mode", ",".join(MODES), "--task", ",".join(tasks), "--json")
    cells = read(json.loads(output)["rows"])
    shutil.rmtree(folder)
    return {"abilities": f"{matrix(cells, names)}\n\n{needed(cells, names)}\n\nTasks: {_listed(tasks)}."}


def without(ability: str) -> str:
    """Return the agent that lacks one ability."""
    return f"{AGENT}(-{ability})"


def read(rows: Iterable[Mapping[str, Any]]) -> Cells:
    """Return what a run's rows say, conditions by the name of their mode."""
    return {
        (row["agent"], row["condition"].partition("@")[0]): (row["successes"], row["episodes"] + row["errors"])
        for row in rows
    }


def matrix(cells: Cells, names: Sequence[str]) -> str:
    """Return a row for each agent and a column for each mode; what the missing ability costs is set in bold."""
    columns = ("clean", *MODES)
    rows = [("all abilities", *(_cell(cells, AGENT, mode) for mode in columns))]
    rows += [(f"without `{name}`", *(_cell(cells, without(name), mode) for mode in columns)) for name in names]
    return table((AGENT, *columns), rows)


def needed(cells: Cells, names: Sequence[str]) -> str:
    """Say for each ability in which modes it is needed."""
    modes_of = {name: [mode for mode in ("clean", *MODES) if _costs(cells, without(name), mode)] for name in names}
    lines = [f"* `{name}` is needed in {_listed(modes)}." for name, modes in modes_of.items() if modes]
    lines += [f"* `{name}` is needed in none of these modes." for name, modes in modes_of.items() if not modes]
    return "\n".join(lines)


def _cell(cells: Cells, agent: str, mode: str) -> str:
    successes, episodes = cells[agent, mode]
    share = f"{successes}/{episodes}"
    return f"**{share}**" if _costs(cells, agent, mode) else share


def _costs(cells: Cells, agent: str, mode: str) -> bool:
    return cells[agent, mode][0] < cells[AGENT, mode][0]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
