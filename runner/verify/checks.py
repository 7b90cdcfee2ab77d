"""Checks of a site that need no browser, as jobs for a pool of processes."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from stressweb.cases.bugs import BUGS
from stressweb.core.task_id import TaskId
from stressweb.plugins.task import Task
from stressweb.runner import registry
from stressweb.runner.verify.cases import disproven
from stressweb.runner.verify.detours import Detours
from stressweb.runner.verify.findings import trouble
from stressweb.runner.verify.forms import wrong_forms
from stressweb.runner.verify.further import Reached
from stressweb.runner.verify.limits import unlimited_words, wrong_limits
from stressweb.runner.verify.pages import visitors, wrong_pages
from stressweb.runner.verify.walks import TaskWalks
from stressweb.walking.walker import Walker

type Kind = Literal["tasks", "mistakes", "limits", "further", "pages", "forms", "detours", "cases"]
type Problems = list[tuple[str, str]]
"""Pairs of a task or a page's address, and its problem."""

DETOURS = 12
"""Maximum number of detours per task and world, drawn by the world's seed."""
# Each process of the pool caches worlds, because drawing a world takes longer than most checks.
_LIBRARY = registry.Library()


class Job(NamedTuple):
    """One check."""

    kind: Kind
    site: str
    task: str
    """Id of the task; "" for a check of the whole site."""
    seed: int


def check(job: Job) -> Problems:
    """Do one check and return the problems; an exception is a finding, too."""
    try:
        return [(task, f"world {job.seed}: {problem}") for task, problem in _CHECKS[job.kind](job)]
    except Exception as error:
        return [(job.task or "/", f"world {job.seed}: {trouble(error)}")]


def _walks(job: Job) -> Problems:
    walks = _task_walks(job)
    problems = [*walks.ways(others=job.seed == 0), *walks.idle(), *(walks.checkpoints() if job.seed == 0 else ())]
    return [(job.task, problem) for problem in problems]


def _mistakes(job: Job) -> Problems:
    walks = _task_walks(job)
    return [(job.task, problem) for problem in (*walks.left_out(), *walks.other_values())]


def _limits(job: Job) -> Problems:
    walks, task = _task_walks(job), _LIBRARY.task(job.task)
    assert isinstance(task, Task)
    problems = [*(unlimited_words(task) if job.seed == 0 else ()), *wrong_limits(task, walks)]
    return [(job.task, problem) for problem in problems]


def _further(job: Job) -> Problems:
    walks = _task_walks(job)
    reached = Reached(walks.goal, walks.world, _LIBRARY.checklist(job.site))
    return [(job.task, wrong) for action in reached.further_actions() if (wrong := reached.judge(action)[1])]


def _pages(job: Job) -> Problems:
    world = _LIBRARY.world(job.site, job.seed)
    people = visitors(_LIBRARY.goal(task, job.seed) for task in _LIBRARY.tasks(job.site))
    return [wrong for person in people for wrong in wrong_pages(Walker(world, person))]


def _forms(job: Job) -> Problems:
    goals = [_LIBRARY.goal(task, job.seed) for task in _LIBRARY.tasks(job.site)]
    return [*wrong_forms(_LIBRARY.world(job.site, job.seed), goals)]


def _detours(job: Job) -> Problems:
    detours = Detours(_task_walks(job))
    return [(job.task, wrong) for detour in detours.drawn(DETOURS) if (wrong := detours.wrong(detour))]


def _task_walks(job: Job) -> TaskWalks:
    goal, world = _LIBRARY.goal(job.task, job.seed), _LIBRARY.world(job.site, job.seed)
    return TaskWalks(goal, world, _LIBRARY.checklist(job.site))


def _cases(job: Job) -> Problems:
    """Execute the proven cases of a task in a world, and compare them with their truth."""
    if f"cases/{job.task}" not in (known := _LIBRARY.cases(job.site)):
        return []
    own = [case for case in known if TaskId.read(case).task == job.task]
    # Without cases of bugs, which are proven when they are drawn.
    drawn = [case for name in own if (case := _LIBRARY.goal(name, job.seed).case)]
    cases = [case for case in drawn if case.truth.operator not in BUGS]
    wrong = disproven(_LIBRARY.case_world(job.site, job.seed), cases)
    return [(job.task, f"{cases[index].id}: {reason}") for index, reason in wrong]


_CHECKS: Mapping[Kind, Callable[[Job], Problems]] = {
    "tasks": _walks,
    "mistakes": _mistakes,
    "limits": _limits,
    "further": _further,
    "pages": _pages,
    "forms": _forms,
    "detours": _detours,
    "cases": _cases,
}
