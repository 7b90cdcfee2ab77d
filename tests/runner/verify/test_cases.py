"""Test cases of a site, executed: the outcome of each matches its truth."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from scripts.blocking import blocking
from stressweb.cases.building import Fault, Rejection, fault_of
from stressweb.cases.execution import truths
from stressweb.cases.operators import OPERATORS
from stressweb.cases.rendering import case_step
from stressweb.core.task_id import TaskId
from stressweb.core.verdict import Truth
from stressweb.plugins.test_case import Check, TestCase
from stressweb.runner import registry
from stressweb.runner.verify.case_views import BuggyCase
from stressweb.runner.verify.cases import SiteCases, executed_cases, visible_cases
from stressweb.walking.walker import Walker

SITE = "food"
LIBRARY = registry.Library()


# `make test` proves the cases in one world, `make audit` in all three as well.
@pytest.fixture(scope="module", params=["0", pytest.param("0 1 2", marks=pytest.mark.audit)])
def built(request: pytest.FixtureRequest) -> SiteCases:
    return executed_cases(SITE, LIBRARY, [*map(int, request.param.split())])


def walker_of(case: TestCase, world: int = 0) -> Walker:
    read = TaskId.read(case.id)
    goal = LIBRARY.goal(f"{read.site}/{read.name}", world)
    return Walker(LIBRARY.world(SITE, world), offers=goal.offers)


def test_every_task_is_a_passing_case_and_most_have_failing_ones(built: SiteCases) -> None:
    passing = [case for case in built.cases[0] if case.truth.verdict == "pass"]
    assert [case.id for case in passing] == [f"cases/{task}" for task in LIBRARY.tasks(SITE)]
    failing = [case for case in built.cases[0] if case.truth.verdict == "fail"]
    assert len(failing) >= 2.5 * len(passing)
    assert {case.truth.operator for case in failing} == {*OPERATORS}
    steps = Counter(case.truth.step for case in failing)
    assert max(steps.values()) <= len(failing) / 6, "failing steps are spread"
    assert len({case.id for case in built.cases[0]}) == len(built.cases[0])


def test_a_case_executed_alone_matches_its_truth(built: SiteCases) -> None:
    """The proof shares the steps before the changed one; here each case runs by itself."""
    for seed, cases in built.cases.items():
        for case in cases:
            executed = truths(walker_of(case, seed), [case])
            assert executed == [case.truth.model_copy(update={"operator": ""})], (seed, case.id)


def test_rejected_cases_are_left_out_with_a_reason(built: SiteCases) -> None:
    assert built.rejections
    assert all(entry.reason and entry.fault for entry in built.rejections)
    # A reason names the first world that rejects the case; some are sound in the first two.
    assert {f"world {min(built.cases)}:", f"world {max(built.cases)}:"} <= {
        entry.reason[:8] for entry in built.rejections
    }
    assert len({len(cases) for cases in built.cases.values()}) == 1
    rejected = {(entry.case, entry.fault.operator, entry.fault.step) for entry in built.rejections if entry.fault}
    accepted = {(case.id.partition("#")[0], case.truth.operator, case.truth.step) for case in built.cases[0]}
    assert not rejected & accepted


@pytest.mark.audit
def test_another_proof_gives_the_same_cases(built: SiteCases) -> None:
    again = executed_cases(SITE, registry.Library(), [*built.cases])
    assert without_sites(again) == without_sites(built)


def without_sites(proof: SiteCases) -> SiteCases:
    """Return a proof without the sites with bugs, which are equal only to themselves."""
    buggy_cases = {
        seed: [buggy_case._replace(site=LIBRARY.world(SITE, seed)) for buggy_case in cases]
        for seed, cases in proof.buggy_cases.items()
    }
    return replace(proof, buggy_cases=buggy_cases)


def test_a_case_that_a_browser_does_not_show_is_replaced(built: SiteCases) -> None:
    """Rejected are a passing case, a failing case and a bug; all that depends on the passing case goes with it."""
    passing = built.cases[0][0].id
    failing = next(case for case in built.cases[0] if "#" in case.id and not case.id.startswith(passing))
    passing_task, task = TaskId.read(passing).task, TaskId.read(failing.id).task
    bug_task, bug = next((name, fault) for name, fault in built.bugs.items() if name not in (passing_task, task))
    unwanted = {(passing, None), (failing.id.partition("#")[0], fault_of(failing)), (f"cases/{bug_task}", bug)}
    looks = list[tuple[str, Fault | None]]()

    async def look(cases: Sequence[TestCase], bugs: Sequence[BuggyCase], seed: int) -> list[Rejection]:
        assert seed == 0
        candidates = [(case.id, fault_of(case)) for case in cases] + [(buggy.case.id, buggy.fault) for buggy in bugs]
        identities = [(case.partition("#")[0], fault) for case, fault in candidates]
        looks.extend(identities)
        return [
            Rejection(case, fault, "hidden")
            for (case, fault), identity in zip(candidates, identities, strict=True)
            if identity in unwanted
        ]

    again = blocking(visible_cases)(SITE, LIBRARY, look, [0])
    rejected = [entry for entry in again.rejections if entry.reason == "world 0: hidden"]
    assert {(entry.case.partition("#")[0], entry.fault) for entry in rejected} == unwanted
    assert len(rejected) == len(unwanted)
    assert passing_task not in again.faults
    assert not any(case.id.startswith(passing) for case in again.cases[0])
    # Another fault takes the place of the rejected fault.
    assert fault_of(failing) not in again.faults[task]
    assert len(again.faults[task]) == len(executed_cases(SITE, LIBRARY, [0]).faults[task])
    assert again.bugs.get(bug_task) != bug
    # What was accepted once is not looked at again, and nothing is accepted without a look.
    assert max(Counter(looks).values()) == 1
    remaining = {(f"cases/{name}", fault) for name, faults in again.every_fault.items() for fault in (None, *faults)}
    assert remaining <= {*looks}


def test_a_case_that_contradicts_its_truth_is_detected() -> None:
    task = next(iter(LIBRARY.tasks(SITE)))
    world = LIBRARY.world(SITE, 0)
    case = LIBRARY.case_world(SITE, 0).played(task).case
    steps = [*case.steps]
    steps[1] = case_step(steps[1].steps, Check(kind="heading", says="No page of this site"))
    wrong = case.model_copy(update={"id": f"{case.id}#F1", "steps": tuple(steps)})
    assert truths(Walker(world), [wrong]) == [Truth(verdict="fail", step=2, cause="assertion")]
    # Two more defects: a failing case that passes, and one that fails at the wrong step.
    assert truths(Walker(world), [case, wrong, case.model_copy(update={"id": f"{case.id}#F2"})]) == [
        Truth(verdict="pass"), Truth(verdict="fail", step=2, cause="assertion"), Truth(verdict="pass"),
    ]  # fmt: skip
    steps[0] = case_step((steps[0].steps[0].model_copy(update={"target": "No such link"}),), None)
    lost = case.model_copy(update={"steps": tuple(steps)})
    assert truths(Walker(world), [lost]) == [Truth(verdict="fail", step=1, cause="action")]
