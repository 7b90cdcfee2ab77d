"""Test cases of a site with proven truth: executed in three worlds, and checked in a browser."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stressweb.cases import building
from stressweb.cases.bugs import BUGS
from stressweb.cases.building import Fault, Rejection, Spread
from stressweb.cases.execution import CaseWorld
from stressweb.core.task_id import TaskId
from stressweb.plugins.test_case import TestCase
from stressweb.runner import registry
from stressweb.runner.episode.playground import playground
from stressweb.runner.verify.case_views import BuggyCase, unseen, unseen_bugs

WORLDS = (0, 1, 2)
"""World seeds in which the truth of every case is proven."""


@dataclass
class SiteCases:
    """The test cases of a site."""

    faults: dict[str, list[Fault]] = field(default_factory=dict)
    """Faults of the failing cases, by the id of each task with a passing case."""
    bugs: dict[str, Fault] = field(default_factory=dict)
    """Bug of the site in case `#B1`, by task id."""
    cases: dict[int, list[TestCase]] = field(default_factory=dict)
    """The cases without bugs in the wording of each world, by seed."""
    buggy_cases: dict[int, list[BuggyCase]] = field(default_factory=dict)
    """The cases of bugs in each world, by seed."""
    rejections: list[Rejection] = field(default_factory=list)

    def count(self) -> int:
        """Return the number of cases."""
        return sum(1 + len(faults) for faults in self.faults.values()) + len(self.bugs)

    @property
    def every_fault(self) -> dict[str, list[Fault]]:
        """All faults by task id: first those of the text, then the bug."""
        return {
            task: [*faults, *([self.bugs[task]] if task in self.bugs else [])] for task, faults in self.faults.items()
        }


def executed_cases(
    site: str,
    library: registry.Library,
    worlds: Sequence[int] = WORLDS,
    without: Mapping[str, Collection[Fault | None]] = {},
) -> SiteCases:
    """Return the test cases of a site whose truth is confirmed by execution in all `worlds`.

    `without` has faults to leave out, by task id; None is the passing case.
    """
    built, spread = SiteCases(cases={seed: [] for seed in worlds}, buggy_cases={seed: [] for seed in worlds}), Spread()
    case_worlds = [library.case_world(site, seed) for seed in worlds]
    for task in library.tasks(site):
        if None in (excluded := without.get(task, ())):
            continue
        every_world = [case_world.played(task) for case_world in case_worlds]
        faults, rejected = building.proven_faults(every_world)
        chosen = spread.choose(task, [fault for fault in faults if fault not in excluded])
        built.rejections += rejected
        cases = [[world_cases.case, *building.failing_cases(world_cases, chosen)] for world_cases in every_world]
        wrong = {
            index: f"world {case_world.world.seed}: {reason}"
            for case_world, of_world in zip(case_worlds, cases, strict=True)
            for index, reason in disproven(case_world, of_world)
        }
        built.rejections += [
            Rejection(cases[0][0].id, building.fault_of(case), wrong[index])
            for index, case in enumerate(cases[0])
            if index in wrong
        ]
        # A failing case shares its steps with the passing case, so it cannot be proven without it.
        if 0 in wrong:
            continue
        # Built again, because cases are numbered by the remaining faults.
        built.faults[task] = [fault for index, fault in enumerate(chosen, start=1) if index not in wrong]
        if bug := _bug(spread, task, case_worlds, excluded):
            built.bugs[task] = bug
            for case_world, world_cases in zip(case_worlds, every_world, strict=True):
                site_with_bug = case_world.with_bug(task, bug)
                assert site_with_bug is not None
                built.buggy_cases[case_world.world.seed].append(BuggyCase(world_cases.case, bug, site_with_bug))
        for seed, world_cases in zip(worlds, every_world, strict=True):
            built.cases[seed] += [world_cases.case, *building.failing_cases(world_cases, built.faults[task])]
    return built


def _bug(
    spread: Spread, task: str, case_worlds: Sequence[CaseWorld], excluded: Collection[Fault | None]
) -> Fault | None:
    """Return a bug of the site that makes the passing case of a task fail at the same step in every world."""
    steps = min(len(case_world.played(task).case.steps) for case_world in case_worlds)
    candidates = [Fault(bug, step) for bug in BUGS for step in range(1, steps + 1)]
    for fault in spread.ordered(task, candidates):
        if fault not in excluded and all(case_world.with_bug(task, fault) for case_world in case_worlds):
            spread.count(fault)
            return fault
    return None


def disproven(case_world: CaseWorld, cases: Sequence[TestCase]) -> Iterator[tuple[int, str]]:
    """Execute cases in a world, the passing case first; yield index and problem of each case with another truth."""
    for index, (case, truth) in enumerate(zip(cases, case_world.truths(cases), strict=True)):
        if truth != case.truth.model_copy(update={"operator": ""}):
            yield index, f"execution gives {truth.verdict}, step {truth.step}, cause {truth.cause}"


type Look = Callable[[Sequence[TestCase], Sequence[BuggyCase], int], Awaitable[list[Rejection]]]
"""Checks cases without and with bugs in a world of this seed; returns those whose truth is not visible."""


async def proven_cases(site: str, library: registry.Library, worlds: Sequence[int] = WORLDS) -> SiteCases:
    """Return the test cases of a site with proven truth: executed, and checked in a browser at two widths.

    A case that fails the check in the browser is replaced by another one, if there is any.
    """
    async with playground() as ground:

        async def look(cases: Sequence[TestCase], bugs: Sequence[BuggyCase], seed: int) -> list[Rejection]:
            return await unseen(ground, library, cases, seed) + await unseen_bugs(ground, library, bugs, seed)

        return await visible_cases(site, library, look, worlds)


async def visible_cases(site: str, library: registry.Library, look: Look, worlds: Sequence[int] = WORLDS) -> SiteCases:
    """Return the test cases of a site that are confirmed by execution and by `look`, each looked at once per world."""
    without: dict[str, set[Fault | None]] = {}
    looked_at: set[tuple[str, Fault | None]] = set()
    rejections: list[Rejection] = []
    while True:
        built = executed_cases(site, library, worlds, without)
        wrong = list[Rejection]()
        for seed in worlds:
            cases = [case for case in built.cases[seed] if _identity(case.id, building.fault_of(case)) not in looked_at]
            bugs = [
                buggy for buggy in built.buggy_cases[seed] if _identity(buggy.case.id, buggy.fault) not in looked_at
            ]
            rejected = await look(cases, bugs, seed)
            wrong += [Rejection(case, fault, f"world {seed}: {reason}") for case, fault, reason in rejected]
        looked_at |= {_identity(case.id, building.fault_of(case)) for case in built.cases[worlds[0]]}
        looked_at |= {_identity(buggy.case.id, buggy.fault) for buggy in built.buggy_cases[worlds[0]]}
        rejections += wrong
        if not wrong:
            built.rejections += rejections
            return built
        for rejection in wrong:
            without.setdefault(TaskId.read(rejection.case).task, set()).add(rejection.fault)


def _identity(case: str, fault: Fault | None) -> tuple[str, Fault | None]:
    """Return an identity of a case that does not depend on its number."""
    return TaskId.read(case).task, fault
