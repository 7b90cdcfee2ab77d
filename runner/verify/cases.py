"""Test cases of a site, each with its truth proven by walking it: in three worlds, without a browser and a model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from runner import registry
from stressweb.cases import building
from stressweb.cases.building import Rejection, Spread
from stressweb.cases.execution import CaseWorld
from stressweb.plugins.test_case import TestCase

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
    case_worlds = [library.case_world(site, seed) for seed in worlds]
    played_by_task = {task: [case_world.played(task) for case_world in case_worlds] for task in library.tasks(site)}
    for task, every_world in played_by_task.items():
        faults, rejected = building.proven_faults(every_world)
        chosen = spread.choose(task, faults)
        cases = [[played.case, *building.failing_cases(played, chosen)] for played in every_world]
        wrong = {
            index: f"world {case_world.world.seed}: {reason}"
            for case_world, of_world in zip(case_worlds, cases, strict=True)
            for index, reason in _disproven(case_world, of_world)
        }
        built.rejections += rejected
        built.rejections += [
            Rejection(case.id, None, wrong[index]) for index, case in enumerate(cases[0]) if index in wrong
        ]
        # A failing case shares its steps with the passing one: where that is not proven, neither is this.
        if 0 not in wrong:
            built.cases += [case for index, case in enumerate(cases[0]) if index not in wrong]
    return built


def _disproven(case_world: CaseWorld, cases: Sequence[TestCase]) -> Iterator[tuple[int, str]]:
    """Execute cases in a world, the passing one first; yield the number of each whose truth differs, and how."""
    for index, (case, truth) in enumerate(zip(cases, case_world.truths(cases), strict=True)):
        if truth != case.truth.model_copy(update={"operator": ""}):
            yield index, f"executed, its truth is {truth.verdict}, step {truth.step}, cause {truth.cause}"
