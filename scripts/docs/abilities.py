"""The matrix of abilities for the documents: `resilient` without each of its abilities, in every mode."""

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
"""Number of tasks, taken from each site in turn."""

type Cells = Mapping[tuple[str, str], tuple[int, int]]
"""Successes and episodes by agent and condition."""


def abilities() -> dict[str, str]:
    """Run every agent of the matrix in every mode at severity 3, and return the matrix."""
    names = abilities_of(AGENT)
    folder = tempfile.mkdtemp(prefix="stressweb-docs-")
    agents = ",".join([AGENT, *(agent_without(name) for name in names)])
    tasks = limited(task_ids(), TASKS)
    output = stressweb(folder, "run", "--agent", agents, "--mode", ",".join(MODES), "--task", ",".join(tasks), "--json")
    cells = read(json.loads(output)["rows"])
    shutil.rmtree(folder)
    return {"abilities": f"{matrix(cells, names)}\n\n{needed(cells, names)}\n\nTasks: {_in_code(tasks)}."}


def agent_without(ability: str) -> str:
    """Return the label of the agent without an ability."""
    return f"{AGENT}(-{ability})"


def read(rows: Iterable[Mapping[str, Any]]) -> Cells:
    """Return successes and episodes from a run's rows, with conditions named by their modes."""
    return {
        (row["agent"], row["condition"].partition("@")[0]): (row["successes"], row["episodes"] + row["errors"])
        for row in rows
    }


def matrix(cells: Cells, names: Sequence[str]) -> str:
    """Return a row for each agent and a column for each mode; losses from missing abilities are in bold."""
    columns = ("clean", *MODES)
    rows = [("all abilities", *(_cell(cells, AGENT, mode) for mode in columns))]
    rows += [(f"without `{name}`", *(_cell(cells, agent_without(name), mode) for mode in columns)) for name in names]
    return table((AGENT, *columns), rows)


def needed(cells: Cells, names: Sequence[str]) -> str:
    """Return a list that names for each ability the modes in which it is needed."""
    modes_of = {
        name: [mode for mode in ("clean", *MODES) if _costs(cells, agent_without(name), mode)] for name in names
    }
    lines = [f"* `{name}` is needed in {_in_code(modes)}." for name, modes in modes_of.items() if modes]
    lines += [f"* `{name}` is needed in none of these modes." for name, modes in modes_of.items() if not modes]
    return "\n".join(lines)


def _cell(cells: Cells, agent: str, mode: str) -> str:
    successes, episodes = cells[agent, mode]
    share = f"{successes}/{episodes}"
    return f"**{share}**" if _costs(cells, agent, mode) else share


def _costs(cells: Cells, agent: str, mode: str) -> bool:
    return cells[agent, mode][0] < cells[AGENT, mode][0]


def _in_code(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
