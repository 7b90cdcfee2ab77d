"""Test cases of a site, executed: the outcome of each matches its truth."""

from collections import Counter

import pytest

from stressweb.cases.execution import truths
from stressweb.cases.operators import OPERATORS
from stressweb.cases.rendering import case_step
from stressweb.core.task_id import TaskId
from stressweb.core.verdict import Truth
from stressweb.plugins.test_case import Check, TestCase
from stressweb.runner import registry
from stressweb.runner.verify.cases import SiteCases, executed_cases
from stressweb.walking.walker import Walker

SITE = "food"
LIBRARY = registry.Library()


@pytest.fixture(scope="module")
def built() -> SiteCases:
    return executed_cases(SITE, LIBRARY)


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


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_case_executed_alone_matches_its_truth(built: SiteCases, seed: int) -> None:
    """The proof shares the steps before the changed one; here each case runs by itself."""
    for case in built.cases[seed]:
        executed = truths(walker_of(case, seed), [case])
        assert executed == [case.truth.model_copy(update={"operator": ""})], case.id


def test_rejected_cases_are_left_out_with_a_reason(built: SiteCases) -> None:
    assert built.rejections
    assert all(entry.reason and entry.fault for entry in built.rejections)
    # A reason names the first world that rejects the case; some are sound in the first two.
    assert {"world 0:", "world 2:"} <= {entry.reason[:8] for entry in built.rejections}
    assert {seed: len(cases) for seed, cases in built.cases.items()} == dict.fromkeys((0, 1, 2), len(built.cases[0]))
    rejected = {(entry.case, entry.fault.operator, entry.fault.step) for entry in built.rejections if entry.fault}
    accepted = {(case.id.partition("#")[0], case.truth.operator, case.truth.step) for case in built.cases[0]}
    assert not rejected & accepted


@pytest.mark.audit
def test_another_proof_gives_the_same_cases(built: SiteCases) -> None:
    again = executed_cases(SITE, registry.Library())
    assert again == built


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
