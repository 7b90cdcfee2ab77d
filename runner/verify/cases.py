"""Test cases of a site, each with its truth proven by walking it: in three worlds, without a browser and a model."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from runner import registry
from runner.verify.walker import LostError, Walker
from stressweb.cases import building
from stressweb.cases.building import Played, Rejection, Spread
from stressweb.cases.case import CaseStep, TestCase
from stressweb.cases.operators import Vocabulary
from stressweb.cases.rendering import States, grouped, passing_case
from stressweb.cases.sight import Sight, read
from stressweb.cases.verdict import Cause, Truth
from stressweb.plugins.site import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal

WORLDS = (0, 1, 2)
"""World seeds in which the truth of every case is proven."""


@dataclass
class SiteCases:
    """The test cases of a site."""

    cases: list[TestCase] = field(default_factory=list)
    """In the words of the first world."""
    rejections: list[Rejection] = field(default_factory=list)


def site_cases(site: str, library: registry.Library, worlds: Sequence[int] = WORLDS) -> SiteCases:
    """Return the test cases of a site whose truth is proven in every one of some worlds, and what was rejected."""
    built, spread = SiteCases(), Spread()
    played_by_task: dict[str, list[Played]] = {}
    for seed in worlds:
        vocabulary = Vocabulary()
        for task in library.tasks(site):
            played = played_case(library.goal(task, seed), library.world(site, seed), vocabulary)
            played_by_task.setdefault(task, []).append(played)
    for task, every_world in played_by_task.items():
        faults, rejected = building.proven_faults(every_world)
        chosen = spread.choose(task, faults)
        cases = [[played.case, *building.failing_cases(played, chosen)] for played in every_world]
        wrong = {
            index: f"world {played.world_seed}: {reason}"
            for played, of_world in zip(every_world, cases, strict=True)
            for index, reason in _disproven(
                library.goal(task, played.world_seed), library.world(site, played.world_seed), of_world
            )
        }
        built.rejections += rejected
        built.rejections += [
            Rejection(case.id, None, wrong[index]) for index, case in enumerate(cases[0]) if index in wrong
        ]
        # A failing case shares its steps with the passing one: where that is not proven, neither is this.
        if 0 not in wrong:
            built.cases += [case for index, case in enumerate(cases[0]) if index not in wrong]
    return built


def _disproven(goal: Goal, world: SiteWorld, cases: Sequence[TestCase]) -> Iterator[tuple[int, str]]:
    """Execute cases in a world, the passing one first; yield the number of each whose truth differs, and how."""
    for index, (case, truth) in enumerate(zip(cases, truths(Walker(world, offers=goal.offers), cases), strict=True)):
        if truth != case.truth.model_copy(update={"operator": ""}):
            yield index, f"executed, its truth is {truth.verdict}, step {truth.step}, cause {truth.cause}"


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
    return None if step.check is None or step.check.holds(sight_of(walker)) else "assertion"


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
