"""Checks of a site that need no browser, as jobs for a pool of processes."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from runner import registry
from runner.verify.cases import disproven
from runner.verify.detours import Detours
from runner.verify.findings import trouble
from runner.verify.forms import wrong_forms
from runner.verify.further import Reached
from runner.verify.limits import kept_limits, unlimited_words
from runner.verify.pages import visitors, wrong_pages
from runner.verify.walks import TaskWalks
from stressweb.cases.bugs import BUGS
from stressweb.core.task_id import TaskId
from stressweb.plugins.task import Task
from stressweb.walking.walker import Walker

type Kind = Literal["walks", "mistakes", "limits", "further", "pages", "forms", "detours", "cases"]
type Found = list[tuple[str, str]]
"""Task or address of a page, and what is wrong with it."""

DETOURS = 12
"""Detours of a task that are walked in a world; which of them, the world draws."""
_LIBRARY = registry.Library()
# Worlds are kept in each process of the pool: a world takes a tenth of a second, a check often less.


class Job(NamedTuple):
    """One check."""

    kind: Kind
    site: str
    task: str
    """Id of the task; "" for a check of the site as a whole."""
    seed: int


def check(job: Job) -> Found:
    """Do one check and return what is wrong; an exception that the site causes is a finding, too."""
    try:
        return [(task, f"world {job.seed}: {what}") for task, what in _CHECKS[job.kind](job)]
    except Exception as error:
        return [(job.task or "/", f"world {job.seed}: {trouble(error)}")]


def _walks(job: Job) -> Found:
    walks = _task_walks(job)
    found = [*walks.ways(others=job.seed == 0), *walks.idle(), *(walks.checkpoints() if job.seed == 0 else ())]
    return [(job.task, what) for what in found]


def _mistakes(job: Job) -> Found:
    walks = _task_walks(job)
    return [(job.task, what) for what in (*walks.left_out(), *walks.other_values())]


def _limits(job: Job) -> Found:
    walks, task = _task_walks(job), _LIBRARY.task(job.task)
    assert isinstance(task, Task)
    first = job.seed == 0
    return [(job.task, what) for what in (*(unlimited_words(task) if first else ()), *kept_limits(task, walks))]


def _further(job: Job) -> Found:
    walks = _task_walks(job)
    reached = Reached(walks.goal, walks.world, _LIBRARY.checklist(job.site))
    return [(job.task, wrong) for thing in reached.things() if (wrong := reached.judge(thing)[1])]


def _pages(job: Job) -> Found:
    world = _LIBRARY.world(job.site, job.seed)
    people = visitors(_LIBRARY.goal(task, job.seed) for task in _LIBRARY.tasks(job.site))
    return [wrong for person in people for wrong in wrong_pages(Walker(world, person))]


def _forms(job: Job) -> Found:
    goals = [_LIBRARY.goal(task, job.seed) for task in _LIBRARY.tasks(job.site)]
    return [*wrong_forms(_LIBRARY.world(job.site, job.seed), goals)]


def _detours(job: Job) -> Found:
    detours = Detours(_task_walks(job))
    return [(job.task, wrong) for detour in detours.drawn(DETOURS) if (wrong := detours.wrong(detour))]


def _task_walks(job: Job) -> TaskWalks:
    goal, world = _LIBRARY.goal(job.task, job.seed), _LIBRARY.world(job.site, job.seed)
    return TaskWalks(goal, world, _LIBRARY.checklist(job.site))


def _cases(job: Job) -> Found:
    """Execute the proven cases of a task in a world, and look whether they are still as their truth says."""
    if f"cases/{job.task}" not in (known := _LIBRARY.cases(job.site)):
        return []
    own = [case for case in known if TaskId.read(case).task == job.task]
    # A bug is proven when it is drawn.
    drawn = [case for name in own if (case := _LIBRARY.goal(name, job.seed).case)]
    cases = [case for case in drawn if case.truth.operator not in BUGS]
    wrong = disproven(_LIBRARY.case_world(job.site, job.seed), cases)
    return [(job.task, f"{cases[index].id}: {reason}") for index, reason in wrong]


_CHECKS: Mapping[Kind, Callable[[Job], Found]] = {
    "walks": _walks,
    "mistakes": _mistakes,
    "limits": _limits,
    "further": _further,
    "pages": _pages,
    "forms": _forms,
    "detours": _detours,
    "cases": _cases,
}
