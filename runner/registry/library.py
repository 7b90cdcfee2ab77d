"""Sites, their tasks and checkpoints, and the chains of several tasks."""

import functools
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from stressweb import checkpoints
from stressweb import sites as shipped_sites
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.task_id import CASES, CHAINS, TaskId, is_case, is_chain, site_of
from stressweb.plugins.registry import Kind, Registry
from stressweb.plugins.site import Site
from stressweb.plugins.task import refuse_twice
from stressweb.runner.registry.own_cases import OWN_CASES

if TYPE_CHECKING:
    from stressweb.cases.case_task import CaseTask
    from stressweb.cases.execution import CaseWorld
    from stressweb.cases.own_case import OwnCase
    from stressweb.plugins.chain import Chain
    from stressweb.plugins.checks import Checklist
    from stressweb.plugins.site_world import SiteWorld
    from stressweb.plugins.task import Goal, Task
    from stressweb.runner.registry.derived_tasks import Chains

_TASK_ID = re.compile(r"""^\s*-\s+id:\s*["']?([\w./-]+)["']?\s*(?:#.*)?$""", re.MULTILINE)


@cache
def _shipped(name: str) -> Site:
    from stressweb.sites.kit import shipped_site  # noqa: PLC0415 - needs Flask

    return shipped_site(name, checks=checkpoints.module_name(name))


SITES: Registry[Site] = Registry(
    Kind("sites", "site", Site, listed="sites", objects=True), shipped_sites.names, _shipped
)
"""All sites by name."""
site_names = SITES.names


def task_ids() -> list[str]:
    """Return the ids of all tasks, as `site/name`, without those of sites that cannot be imported.

    Raises UserError if two tasks have the same id.
    """
    files = [shipped_sites.folder_of(name) / "tasks.yaml" for name in shipped_sites.names()]
    tasks_in_files = [
        (task, path, index) for path in files for index, task in enumerate(_TASK_ID.findall(path.read_text("utf-8")))
    ]
    ids = [task for task, _, _ in tasks_in_files]
    # Tables would merge tasks with the same id.
    if len(set(ids)) < len(ids):
        refuse_twice(tasks_in_files)
    for name in SITES.names()[len(files) :]:
        try:
            ids += [task.id for task in SITES.get(name).tasks()]
        # A broken plug-in must not hide the tasks of other sites; `broken` reports it.
        except UserError:
            continue
    return ids


@cache
def chain_ids() -> list[str]:
    """Return the ids of all chains. They are not in `task_ids`: a run includes them only if the user names them."""
    return _TASK_ID.findall(shipped_sites.CHAINS_FILE.read_text(encoding="utf-8"))


class Library:
    """Sites, tasks and checkpoints, loaded on first use and cached."""

    def __init__(self, chains: Path = shipped_sites.CHAINS_FILE) -> None:
        """Take the file of the chains; nothing is loaded yet."""
        self._chains_file = chains
        # Per object: a decorator's cache would belong to the class and keep every world.
        self.world = cache(self._world)
        self.world_of = cache(self._world_of)
        self.tasks = cache(self._tasks)
        self.checklist = cache(self._checklist)
        self.checkpoint_sources = cache(self._checkpoint_sources)
        self.goal = cache(self._goal)
        self.cases = cache(self._cases)
        self.case_world = cache(self._case_world)

    def case_ids(self) -> list[str]:
        """Return the ids of all test cases. Like chains, a run includes them only if the user names them."""
        return [case for name in SITES.working() for case in self.cases(name)]

    def _goal(self, task: str, seed: int) -> "Goal":
        """Return a task's goal at one world seed; raises UserError for an unknown task."""
        if is_case(task):
            return cast("CaseTask | OwnCase", self.task(task)).goal(self.case_world(site_of(task), seed))
        spec, world = self.task(task), self.world_of(task, seed)
        if is_chain(task):
            return self._chains.goal(cast("Chain", spec), world, lambda part: cast("Task", self.task(part)))
        return cast("Task", spec).goal(world)

    def parts(self, task: str) -> tuple[str, ...]:
        """Return the ids of the tasks in a chain; for any other task, its own id."""
        return tuple(getattr(self.task(task), "tasks", (task,)))

    def sites(self, task: str) -> tuple[str, ...]:
        """Return the sites of a task or a chain, each once."""
        return tuple(dict.fromkeys(site_of(part) for part in self.parts(task)))

    def hosts(self, task: str, seed: int) -> Mapping[str, str]:
        """Return the sites of a chain by host; empty for any other task."""
        if not is_chain(task):
            return {}
        return {part.host: part.site for part in self.world_of(task, seed).parts}

    def task(self, task: str) -> "Task | Chain | CaseTask | OwnCase":
        """Return a task, a chain or a test case; raises UserError for an unknown id."""
        read = TaskId.read(task)
        known = self.cases(read.site) if read.kind == CASES else self.tasks(read.site)
        if task not in known:
            if read.kind != CASES:
                raise UserError(unknown("task", task, known, command="stressweb list tasks"))
            nearest = unknown("test case", task, known, command=f"stressweb list cases --site {read.site}")
            raise UserError(f"{nearest}; --load adds a file of your own")
        return known[task]

    def check(self, task: str, seed: int) -> None:
        """Draw a task in a world and try its checkpoints; raises UserError for an invalid spec or task."""
        goal = self.goal(task, seed)
        # A test case has no checkpoints; its verdict is graded.
        if goal.case is None:
            self.checklist(site_of(task)).check(goal)

    def families(self, tasks: Iterable[str]) -> int:
        """Return the number of families of these tasks; each task without a family counts as one."""
        return len({(site_of(task), self.task(task).family or task) for task in tasks})

    @staticmethod
    def _world(name: str, seed: int) -> "SiteWorld":
        return SITES.get(name).world(seed)

    def _world_of(self, task: str, seed: int) -> "SiteWorld":
        """Return the world in which an episode of a task or a chain runs."""
        if is_case(task):
            return cast("CaseTask | OwnCase", self.task(task)).world(self.case_world(site_of(task), seed))
        sites = [self.world(name, seed) for name in self.sites(task)]
        return self._chains.world(sites) if is_chain(task) else sites[0]

    def _tasks(self, name: str) -> "Mapping[str, Task | Chain]":
        if name == CHAINS:
            return self._chains.tasks
        return {task.id: task for task in SITES.get(name).tasks()}

    def _cases(self, name: str) -> "Mapping[str, CaseTask | OwnCase]":
        """Return the test cases of a site, by id: the proven ones, then the user's own."""
        proven: Mapping[str, CaseTask] = self._derived_tasks.case_tasks(SITES.get(name))
        return {**proven, **OWN_CASES.of_site(name, proven)}

    def rejected_cases(self, name: str) -> Mapping[str, str]:
        """Return the test cases of a site that could not be proven, each with the reason."""
        rejected: Mapping[str, str] = self._derived_tasks.rejected_cases(SITES.get(name))
        return rejected

    def _case_world(self, name: str, seed: int) -> "CaseWorld":
        """Return a site in a world, with its tasks and goals, to draw test cases from."""
        goal = functools.partial(self.goal, seed=seed)
        case_world: CaseWorld = self._derived_tasks.CaseWorld(self.world(name, seed), [*self.tasks(name)], goal)
        return case_world

    @cached_property
    def _chains(self) -> "Chains":
        chains: Chains = self._derived_tasks.Chains(self._chains_file, task_ids())
        return chains

    @cached_property
    def _derived_tasks(self) -> ModuleType:
        from stressweb.runner.registry import derived_tasks  # noqa: PLC0415 - slow to import

        return derived_tasks

    def _checklist(self, name: str) -> "Checklist":
        if name == CHAINS:
            return self._chains.checklist(self.checklist)
        return SITES.get(name).checklist()

    @staticmethod
    def _checkpoint_sources(name: str) -> Mapping[str, str]:
        return SITES.get(name).sources()
