"""Tasks derived from other tasks: chains of several tasks, and test cases."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from stressweb.cases.case_file import read_cases
from stressweb.cases.case_task import CaseTask
from stressweb.cases.execution import CaseWorld
from stressweb.core import yaml_models
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId
from stressweb.plugins.chain import Chain, chained, load_chains
from stressweb.plugins.chain_world import ChainWorld
from stressweb.plugins.checks import Checklist
from stressweb.plugins.site import Site
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Goal, Task

__all__ = ["CaseWorld", "Chains", "case_tasks", "rejected_cases"]


class Chains:
    """The chains of a file."""

    def __init__(self, path: Path, known: Collection[str]) -> None:
        """Take the file and the ids of all tasks; the file is read on first use."""
        self._path = path
        self._known = known

    @cached_property
    def tasks(self) -> dict[str, Chain]:
        """Chains by id; raises UserError for an unknown task in a chain."""
        chains = load_chains(self._path)
        for index, chain in enumerate(chains):
            for number, part in enumerate(chain.tasks):
                if part not in self._known:
                    reason = unknown("task", part, self._known, command="stressweb list tasks")
                    line = yaml_models.line_of(self._path, (index, "tasks", number))
                    raise UserError(f"{line}: {chain.id}: {reason}")
        return {chain.id: chain for chain in chains}

    def goal(self, chain: Chain, world: SiteWorld, task: Callable[[str], Task]) -> Goal:
        """Return the goal of a chain in a world; `task` returns a task by its id."""
        assert isinstance(world, ChainWorld)
        return chain.goal(world, {part: task(part) for part in chain.tasks})

    def world(self, sites: Sequence[SiteWorld]) -> SiteWorld:
        """Return the world of a chain."""
        return ChainWorld(sites)

    def checklist(self, checklist: Callable[[str], Checklist]) -> Checklist:
        """Return the checkpoints of all chains; `checklist` returns those of a site."""
        return chained(list(self.tasks.values()), checklist)


def rejected_cases(site: Site) -> Mapping[str, str]:
    """Return the cases of a site that could not be proven, each with the reason."""
    folder: Path | None = getattr(site, "folder", None)
    return read_cases(folder).rejected if folder else {}


def case_tasks(site: Site) -> Mapping[str, CaseTask]:
    """Return the proven test cases of a site by id, each passing case followed by its failing variants.

    Raises UserError for a malformed file.
    """
    folder: Path | None = getattr(site, "folder", None)
    if folder is None:
        return {}
    tasks = {TaskId.read(task.id).name: task for task in site.tasks()}
    proven = read_cases(folder)
    cases = [case for name in proven.cases if name in tasks for case in CaseTask.of(tasks[name], proven.faults(name))]
    return {case.id: case for case in cases}
