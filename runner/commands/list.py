"""What `stressweb list` prints."""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runner.commands.output import say

if TYPE_CHECKING:
    from runner.registry import Library

type Line = dict[str, Any]


def show(what: str, *, as_json: bool) -> None:
    """Print sites, tasks, modes or agents, one a line."""
    lines = _LISTS[what]()
    if as_json:
        say(json.dumps(lines, indent=2))
        return
    for line in lines:
        # Padded where the words differ in length, so that what follows stands in a column.
        pairs = ((key, _written(value)) for key, value in line.items())
        name, *rest = (f"{text:<6}" if key == "difficulty" else text for key, text in pairs)
        say("  ".join([f"{name:<28}", *rest]).rstrip())


def said(kind: type) -> list[str]:
    """Return the paragraphs of a class's docstring, each on one line."""
    return [" ".join(part.split()) for part in (inspect.getdoc(kind) or "").split("\n\n")]


def _written(value: object) -> str:
    """Write a value in one line; of a severity table, each parameter with its values from 1 to 5."""
    if isinstance(value, list):
        return ",".join(value) or "-"
    if not isinstance(value, Mapping):
        return str(value)
    names = value["1"].keys()
    return "; ".join(f"{name} at 1 to 5: {', '.join(str(row[name]) for row in value.values())}" for name in names)


def _sites() -> Sequence[Line]:
    from runner.registry import site_names, task_ids  # noqa: PLC0415

    count = [task.partition("/")[0] for task in task_ids()]
    return [{"site": site, "tasks": count.count(site)} for site in site_names()]


def _tasks() -> Sequence[Line]:
    from runner.experiment.identity import Identities  # noqa: PLC0415
    from runner.registry import Library, site_names  # noqa: PLC0415
    from stressweb.log.recording import Cell  # noqa: PLC0415

    library = Library()
    # Of the clean cell in world 0: what a run of the task with no other option records.
    cells = [
        Cell(agent="", task=task, condition="clean", world=0) for site in site_names() for task in library.tasks(site)
    ]
    found = Identities(library)
    return [_task(library, one.task, found.of(one)) for one in cells]


def _task(library: "Library", name: str, identity: str) -> Line:
    task, goal = library.tasks(name.partition("/")[0])[name], library.goal(name, 0)
    listed = {"difficulty": task.difficulty_of(goal), "tags": list(task.tags)}
    return {"task": name, "identity": identity, **listed, "goal": goal.text}


def _modes() -> Sequence[Line]:
    from perturbations import MODES, mode  # noqa: PLC0415

    return [_mode(name, mode(name)) for name in MODES]


def _mode(name: str, kind: Any) -> Line:
    table = {str(severity): dict(kind.severities[severity]) for severity in range(1, 6)}
    return {"mode": name, "does": said(kind)[0], "severities": table}


def _agents() -> Sequence[Line]:
    from runner.agents import make, names  # noqa: PLC0415

    return [{"agent": name, "does": said(type(make(name)))[0]} for name in names()]


_LISTS: Mapping[str, Callable[[], Sequence[Line]]] = {
    "sites": _sites,
    "tasks": _tasks,
    "modes": _modes,
    "agents": _agents,
}
