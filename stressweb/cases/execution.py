"""Test cases executed without a browser: their pages, and what is true of them."""

from collections.abc import Iterable, Sequence

from stressweb.cases.building import Played
from stressweb.cases.checking import holds
from stressweb.cases.operators import Vocabulary
from stressweb.cases.rendering import States, grouped, passing_case
from stressweb.cases.sight import Sight, read
from stressweb.core.verdict import Cause, Truth
from stressweb.plugins.site import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.plugins.test_case import CaseStep, TestCase
from stressweb.walking.walker import LostError, Walker


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
    """Do a step and check it; return why it fails, None if it does not."""
    try:
        walker.walk(step.steps)
    except LostError:
        return "action"
    return None if step.check is None or holds(step.check, sight_of(walker)) else "assertion"


def played_case(goal: Goal, world: SiteWorld, vocabulary: Vocabulary) -> Played:
    """Walk the trajectory of a task, and return it as a passing case; its pages go into the vocabulary."""
    groups = grouped(goal.ways[0])
    walker = Walker(world, offers=goal.offers)
    seen = [states_of(walker, group) for group in groups]
    for states in seen:
        for sight in states:
            vocabulary.add(sight)
    return Played(goal.world_seed, passing_case(goal.task, goal.world_seed, groups, seen), seen, vocabulary)


def states_of(walker: Walker, group: Iterable[Step]) -> States:
    """Do the actions of a step; return the page before it and after each of them."""
    states = [sight_of(walker)]
    for step in group:
        walker.do(step)
        states.append(sight_of(walker))
    return tuple(states)


def sight_of(walker: Walker) -> Sight:
    """Return what is seen where a walker stands."""
    return read(walker.url, walker.page)
