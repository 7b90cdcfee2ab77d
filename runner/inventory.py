"""What there is to run, as a user reads it: sites, tasks, modes, agents, observation sources.

Plug-ins that do not import are left out.
"""

from typing import Any

from runner import registry
from stressweb.core.words import paragraphs

type Line = dict[str, Any]


def sites() -> list[Line]:
    """Return every site: its name and how many tasks it has."""
    count = [task.partition("/")[0] for task in registry.task_ids()]
    return [{"site": site, "tasks": count.count(site)} for site in registry.working("sites")]


def tasks() -> list[Line]:
    """Return every task: its id, identity, difficulty, family, tags, number of checkpoints, and goal."""
    from runner.experiment.identity import Identities  # noqa: PLC0415
    from stressweb.core.conditions import CLEAN  # noqa: PLC0415
    from stressweb.log.recording import Cell  # noqa: PLC0415

    library = registry.Library()
    # Of the clean cell in world 0: what a run of the task with no other option records.
    cells = [
        Cell(agent="", task=task, condition=CLEAN.label, world=0)
        for site in registry.working("sites")
        for task in library.tasks(site)
    ]
    found = Identities(library, [CLEAN])
    return [_task(library, one.task, found.of(one)) for one in cells]


def chains() -> list[Line]:
    """Return every chain: its id, the identity of its clean cell in world 0, and its tasks."""
    from runner.experiment.identity import Identities  # noqa: PLC0415
    from stressweb.core.conditions import CLEAN  # noqa: PLC0415
    from stressweb.log.recording import Cell  # noqa: PLC0415

    library = registry.Library()
    found = Identities(library, [CLEAN])
    cells = (Cell(agent="", task=chain, condition=CLEAN.label, world=0) for chain in registry.chain_ids())
    return [
        {"chain": one.task, "identity": found.of(one), "horizon": len(library.parts(one.task)),
         "tasks": list(library.parts(one.task))}
        for one in cells
    ]  # fmt: skip


def _task(library: registry.Library, name: str, identity: str) -> Line:
    task, goal = library.tasks(name.partition("/")[0])[name], library.goal(name, 0)
    listed: Line = {"difficulty": task.difficulty_of(goal), "family": task.family or "-", "tags": list(task.tags)}
    listed["checkpoints"] = library.checklist(name.partition("/")[0]).count(goal)
    return {"task": name, "identity": identity, **listed, "goal": goal.text}


def modes() -> list[Line]:
    """Return every mode: its name, what it does, and its parameters at severities 1 to 5."""
    return [_mode(name, registry.mode(name)) for name in registry.working("perturbations")]


def _mode(name: str, kind: Any) -> Line:
    table = {str(severity): dict(kind.severities[severity]) for severity in range(1, 6)}
    return {"mode": name, "does": paragraphs(kind)[0], "severities": table}


def agents() -> list[Line]:
    """Return every agent: its name and what it does."""
    from runner.agents import kind  # noqa: PLC0415

    return [{"agent": name, "does": paragraphs(kind(name))[0]} for name in registry.working("agents")]


def observations() -> list[Line]:
    """Return every observation source: its name, where it comes from, and what it reads."""
    from runner.observations import source  # noqa: PLC0415

    return [
        {"source": name, "from": registry.origin("observations", name), "reads": paragraphs(source(name))[0]}
        for name in registry.working("observations")
    ]
