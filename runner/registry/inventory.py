"""Lists of everything that can be run: sites, tasks, modes, agents, observation sources.

Plug-ins that cannot be imported are left out.
"""

import ast
from typing import TYPE_CHECKING, Any

from stressweb.core.task_id import site_of
from stressweb.core.words import paragraphs
from stressweb.runner.registry.identity import clean_identities
from stressweb.runner.registry.library import SITES, Library, chain_ids, task_ids
from stressweb.runner.registry.plugins import AGENTS, MODES, SOURCES

if TYPE_CHECKING:
    from stressweb.plugins.task import Goal

type Line = dict[str, Any]


def list_sites() -> list[Line]:
    """Return every site: its name, number of tasks, and description."""
    count = [site_of(task) for task in task_ids()]
    return [{"site": site, "tasks": count.count(site), "about": _description(site)} for site in SITES.working()]


def _description(name: str) -> str:
    """Return a site's description: the docstring of its folder's `__init__.py`, or of its class."""
    site = SITES.get(name)
    # A site in a folder is an object of the kit's class, whose docstring does not describe it.
    if (folder := getattr(site, "folder", None)) is None:
        return paragraphs(type(site))[0]
    package = folder / "__init__.py"
    docstring = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) if package.is_file() else None
    return " ".join(docstring.split()) if docstring else f"a site of yours: {SITES.origin(name)}"


def list_tasks(site: str | None = None) -> list[Line]:
    """Return every task, or those of one site.

    Each has its id, identity, difficulty, family, tags, number of checkpoints, and goal. The identity is that of the
    clean cell in world 0, and the goal is that world's.
    """
    library = Library()
    names = [task for name in SITES.working() if site in (None, name) for task in library.tasks(name)]
    return [_task(library, name, identity) for name, identity in clean_identities(library, names).items()]


def list_chains(site: str | None = None) -> list[Line]:
    """Return every chain: its id, the identity of its clean cell in world 0, and its tasks.

    With `site`, only chains with a task of this site.
    """
    library = Library()
    names = [chain for chain in chain_ids() if site is None or site in map(site_of, library.parts(chain))]
    return [
        {"chain": chain, "identity": identity, "horizon": len(library.parts(chain)),
         "tasks": list(library.parts(chain))}
        for chain, identity in clean_identities(library, names).items()
    ]  # fmt: skip


def _task(library: Library, name: str, identity: str) -> Line:
    task, goal = library.tasks(site_of(name))[name], library.goal(name, 0)
    line: Line = {"difficulty": task.difficulty_of(goal), "family": task.family or "-", "tags": list(task.tags)}
    return {"task": name, "identity": identity, **line, "checkpoints": _checkpoints(library, goal), "goal": goal.text}


def _checkpoints(library: Library, goal: "Goal") -> int | None:
    """Return the number of a task's checkpoints; None if they raise, which `verify` reports."""
    try:
        return library.checklist(site_of(goal.task)).count(goal)
    # A plug-in can raise anything, and must not hide the tasks of other sites.
    except Exception:
        return None


def list_modes() -> list[Line]:
    """Return every mode: its name, description, and parameters at severities 1 to 5."""
    return [_mode(name, MODES.get(name)) for name in MODES.working()]


def _mode(name: str, kind: Any) -> Line:
    table = {str(severity): dict(kind.severities[severity]) for severity in range(1, 6)}
    return {"mode": name, "does": paragraphs(kind)[0], "severities": table}


def list_agents() -> list[Line]:
    """Return every agent: its name and description."""
    return [{"agent": name, "does": paragraphs(AGENTS.get(name))[0]} for name in AGENTS.working()]


def list_observations() -> list[Line]:
    """Return every observation source: its name, origin and description."""
    return [
        {"source": name, "from": SOURCES.origin(name), "reads": paragraphs(SOURCES.get(name))[0]}
        for name in SOURCES.working()
    ]
