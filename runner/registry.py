"""What there is to run: sites, tasks, modes, agents; each is found by listing its folder, and loaded once."""

import importlib
import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from perturbations import MODES, perturbations
from runner.commands import precheck
from stressweb.core.address import check_model
from stressweb.core.choices import unknown
from stressweb.core.chosen import chosen, without
from stressweb.core.conditions import LONGEST, Condition, parse, split
from stressweb.core.errors import UserError
from stressweb.core.source import imports

if TYPE_CHECKING:
    from stressweb.plugins.checks import Checklist
    from stressweb.plugins.site import SiteWorld
    from stressweb.plugins.task import Goal, Task


def modes() -> Sequence[str]:
    """Return the names of the modes, in the order in which a gesture meets them."""
    return MODES


def task_ids() -> list[str]:
    """Return the ids of all tasks, as `site/name`; nothing is imported. Raises UserError for an id of two tasks."""
    found = precheck.tasks()
    if len(set(found)) < len(found):
        from stressweb.plugins.task import refuse_twice  # noqa: PLC0415 - only for its message

        files = sorted((precheck.ROOT / "sites").glob("*/tasks.yaml"))
        refuse_twice((task, path, at) for path in files for at, task in enumerate(precheck.tasks_in(path)))
    return found


def site_names() -> list[str]:
    """Return the names of the sites; nothing is imported."""
    return sorted(path.parent.name for path in (precheck.ROOT / "sites").glob("*/site.yaml"))


def conditions(text: str) -> list[Condition]:
    """Return the conditions that a user lists, with their parameters checked; raises UserError."""
    found = parse(text, modes())
    for one in found:
        perturbations(one)
    return found


def condition(label: str) -> Condition:
    """Return the one condition of a label."""
    (one,) = parse(label, modes())
    return one


def chosen_tasks(text: str | None, exclude: str | None = None) -> list[str]:
    """Return the ids of the tasks that a user lists, also as patterns; all of them if nothing is given.

    What `exclude` matches is left out. Raises UserError, also if nothing is left.
    """
    found = chosen(text, task_ids()) if text else task_ids()
    return without(found, exclude) if exclude else found


def chosen_agents(text: str, model: str | None = None) -> list[str]:
    """Return the agents that a user lists, each once, with their options checked; raises UserError.

    `model` is the option of that name of every agent that has one and does not set it.
    """
    from runner.agents import make, with_option  # noqa: PLC0415 - agents bring their own imports

    if model and (problem := check_model(model)):
        raise UserError(f"model {problem}")
    specs = list(dict.fromkeys(with_option(one, "model", model) if model else one for one in split(text)))
    if not specs:
        raise UserError(f"agent is empty; choose from {', '.join(precheck.agents())}")
    for spec in specs:
        if len(spec) > LONGEST:
            raise UserError(f"agent {spec[:40]!r}... has {len(spec)} characters; an agent has at most {LONGEST}")
        make(spec)
    return specs


class Library:
    """Sites, tasks and checkpoints, each loaded when first asked for and kept."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self.world = cache(self._world)
        self.tasks = cache(self._tasks)
        self.checklist = cache(self._checklist)
        self.sources = cache(self._sources)

    def goal(self, task: str, seed: int) -> "Goal":
        """Return a task's goal at one world seed; raises UserError for an unknown task."""
        site = task.partition("/")[0]
        known = self.tasks(site)
        if task not in known:
            raise UserError(unknown("task", task, known, command="stressweb list tasks"))
        return known[task].goal(self.world(site, seed))

    @staticmethod
    def _world(site: str, seed: int) -> "SiteWorld":
        from sites.kit import catalogue  # noqa: PLC0415 - needs Flask

        return catalogue.load(site, seed)

    @staticmethod
    def _tasks(site: str) -> "dict[str, Task]":
        from sites.kit import catalogue  # noqa: PLC0415 - needs Flask

        return {task.id: task for task in catalogue.tasks(site)}

    @staticmethod
    def _checklist(site: str) -> "Checklist":
        from stressweb.plugins.checks import checklist  # noqa: PLC0415 - needs lxml

        return checklist([importlib.import_module(f"checkpoints.{site}")])

    @staticmethod
    def _sources(site: str) -> dict[str, str]:
        """Return the source of a site's checkpoints and of what they import from our checkpoints, by module."""
        left, found = [f"checkpoints.{site}"], dict[str, str]()
        while left:
            name = left.pop()
            if name not in found and (spec := importlib.util.find_spec(name)) and spec.origin:
                found[name] = Path(spec.origin).read_text(encoding="utf-8")
                left += [one for one in imports(found[name]) if one in _modules("checkpoints")]
        return found


def _modules(package: str) -> set[str]:
    folder = precheck.ROOT / package
    return {f"{package}.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"}
