"""Test cases of a site, each with its truth proven by walking it: in three worlds, without a browser and a model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from runner import registry
from stressweb.cases import building
from stressweb.cases.building import Played, Rejection, Spread
from stressweb.cases.execution import played_case, truths
from stressweb.cases.operators import Vocabulary
from stressweb.plugins.site import SiteWorld
from stressweb.plugins.task import Goal
from stressweb.plugins.test_case import TestCase
from stressweb.walking.walker import Walker

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
