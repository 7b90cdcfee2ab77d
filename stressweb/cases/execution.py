"""Executes test cases without a browser: their pages and truths."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from stressweb.cases.bugs import bug_of, with_bug
from stressweb.cases.building import Fault, Played
from stressweb.cases.checking import holds
from stressweb.cases.operators import Vocabulary
from stressweb.cases.rendering import States, grouped, passing_case
from stressweb.cases.sight import Sight, read
from stressweb.core.task_id import TaskId
from stressweb.core.verdict import Cause, Truth
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.plugins.test_case import CaseStep, TestCase
from stressweb.walking.walker import LostError, Walker

NEIGHBOURS = 2
"""Number of further tasks whose pages give words for failing cases: walking the whole site takes seconds."""


def truths(walker: Walker, cases: Sequence[TestCase]) -> list[Truth]:
    """Execute a passing case and the failing ones made from it, and return what is true of each: the first step that
    fails, and why.

    What is before the changed step of a failing case is the same in all of them, and is done once.
    """
    passing, *failing = cases
    truth_of: dict[str, Truth] = {}
    for number, step in enumerate(passing.steps, start=1):
        for case in failing:
            if case.id not in truth_of and case.steps[number - 1] != step:
                with walker.trial():
                    truth_of[case.id] = _truth(walker, case.steps[number - 1 :], number)
        cause = _failure(walker, step)
        if cause is not None:
            failed = Truth(verdict="fail", step=number, cause=cause)
            return [truth_of.get(case.id, failed) for case in cases]
    return [truth_of.get(case.id, Truth(verdict="pass")) for case in cases]


def _truth(walker: Walker, steps: Iterable[CaseStep], first: int) -> Truth:
    for number, step in enumerate(steps, start=first):
        if cause := _failure(walker, step):
            return Truth(verdict="fail", step=number, cause=cause)
    return Truth(verdict="pass")


def _failure(walker: Walker, step: CaseStep) -> Cause | None:
    """Do a step and check it; return why it fails, None if it passes."""
    try:
        walker.walk(step.steps)
    except LostError:
        return "action"
    return None if step.check is None or holds(step.check, sight_of(walker)) else "assertion"


class CaseWorld:
    """A site in one world, with the trajectories of its tasks, each executed on demand."""

    def __init__(self, world: SiteWorld, tasks: Sequence[str], goal: Callable[[str], Goal]) -> None:
        """Take the world, the ids of the site's tasks in the order of their file, and a function that draws their
        goals."""
        self.world, self.goal = world, goal
        self._tasks = tasks
        self._walk = cache(self._walk_of)
        self.with_bug = cache(self._with_bug)

    def played(self, task: str) -> Played:
        """Return the passing case of a task, with its pages.

        Its vocabulary is of its own pages and those of the `NEIGHBOURS` tasks that come next in the file.
        """
        groups, seen, _ = self._walk(task)
        vocabulary, position = Vocabulary(), self._tasks.index(task)
        for neighbour in (self._tasks[(position + more) % len(self._tasks)] for more in range(NEIGHBOURS + 1)):
            for states in self._walk(neighbour)[1]:
                for sight in states:
                    vocabulary.add(sight)
        return Played(self.world.seed, passing_case(task, self.world.seed, groups, seen), seen, vocabulary)

    def truths(self, cases: Sequence[TestCase]) -> list[Truth]:
        """Execute the cases of one task, the passing one first, and return their truths."""
        goal = self.goal(TaskId.read(cases[0].id).task)
        return truths(Walker(self.world, offers=goal.offers), cases)

    def _with_bug(self, task: str, fault: Fault) -> SiteWorld | None:
        """Return the site with a bug that makes the passing case of a task fail at a step; None if there is none."""
        case, goal = self.played(task).case, self.goal(task)
        walk = self._walk(task)
        end_page_paths = [states[-1].path for states in walk.seen]
        bug = bug_of(fault.operator, case.steps, walk.form_paths, end_page_paths, fault.step)
        if bug is None:
            return None
        world = with_bug(self.world, bug)
        (truth,) = truths(Walker(world, offers=goal.offers), [case])
        return world if truth.step == fault.step else None

    def _walk_of(self, task: str) -> "_Walk":
        goal = self.goal(task)
        groups = grouped(goal.ways[0])
        walker = Walker(self.world, offers=goal.offers)
        seen, form_paths = list[States](), list[list[str]]()
        for group in groups:
            walker.sent.clear()
            seen.append(states_of(walker, group))
            form_paths.append([*walker.sent])
        return _Walk(groups, seen, form_paths)


class _Walk(NamedTuple):
    """The trajectory of a task: its steps, the pages of each, and the paths of the forms that each submits."""

    groups: Sequence[tuple[Step, ...]]
    seen: Sequence[States]
    form_paths: Sequence[Sequence[str]]


def states_of(walker: Walker, group: Iterable[Step]) -> States:
    """Do the actions of a step; return the page before it and after each action."""
    states = [sight_of(walker)]
    for step in group:
        walker.do(step)
        states.append(sight_of(walker))
    return tuple(states)


def sight_of(walker: Walker) -> Sight:
    """Return the visible content of a walker's page."""
    return read(walker.url, walker.page)
