"""What there is to run, as a user reads it: sites, tasks, modes, agents. Plug-ins that do not import are left out."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from stressweb.core.words import paragraphs
from stressweb.plugins.extensions import Kind

if TYPE_CHECKING:
    from runner.registry import Library

type Line = dict[str, Any]


def _working(kind: Kind, names: Iterable[str]) -> list[str]:
    """Return the names without those of plug-ins that cannot be used; `runner.registry.broken` names these."""
    from runner.registry import broken  # noqa: PLC0415

    wrong = {one.name for one in broken() if one.kind == kind and not one.ships}
    return [name for name in names if name not in wrong]


def sites() -> list[Line]:
    """Return every site: its name and how many tasks it has."""
    from runner.registry import site_names, task_ids  # noqa: PLC0415

    count = [task.partition("/")[0] for task in task_ids()]
    return [{"site": site, "tasks": count.count(site)} for site in _working("sites", site_names())]


def tasks() -> list[Line]:
    """Return every task: its id, the identity of its clean cell in world 0, difficulty, tags and goal."""
    from runner.experiment.identity import Identities  # noqa: PLC0415
    from runner.registry import Library, site_names  # noqa: PLC0415
    from stressweb.log.recording import Cell  # noqa: PLC0415

    library = Library()
    # Of the clean cell in world 0: what a run of the task with no other option records.
    cells = [
        Cell(agent="", task=task, condition="clean", world=0)
        for site in _working("sites", site_names())
        for task in library.tasks(site)
    ]
    found = Identities(library)
    return [_task(library, one.task, found.of(one)) for one in cells]


def _task(library: "Library", name: str, identity: str) -> Line:
    task, goal = library.tasks(name.partition("/")[0])[name], library.goal(name, 0)
    listed = {"difficulty": task.difficulty_of(goal), "tags": list(task.tags)}
    return {"task": name, "identity": identity, **listed, "goal": goal.text}


def modes() -> list[Line]:
    """Return every mode: its name, what it does, and its parameters at severities 1 to 5."""
    from runner import registry  # noqa: PLC0415

    return [_mode(name, registry.mode(name)) for name in _working("perturbations", registry.modes())]


def _mode(name: str, kind: Any) -> Line:
    table = {str(severity): dict(kind.severities[severity]) for severity in range(1, 6)}
    return {"mode": name, "does": paragraphs(kind)[0], "severities": table}


def agents() -> list[Line]:
    """Return every agent: its name and what it does."""
    from runner.agents import kind  # noqa: PLC0415
    from runner.registry import agent_names  # noqa: PLC0415

    return [{"agent": name, "does": paragraphs(kind(name))[0]} for name in _working("agents", agent_names())]
