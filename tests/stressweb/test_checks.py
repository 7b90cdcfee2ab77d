"""Checks: how they are found, and what makes a success."""

from types import ModuleType

import pytest

from stressweb.checks import Checks, checklist, checks, harm, verdict
from stressweb.query import Run
from stressweb.tasks import Goal

GOAL = Goal(task="shop/x", world_seed=0, text="Do it", params={}, ways=(), evidence=())


def module(*results: tuple[str, bool], avoided: bool = True) -> ModuleType:
    made = ModuleType("checkpoints_of_a_test")

    @checks("shop/x")
    def x(run: Run, goal: Goal) -> Checks:
        yield from results
        yield harm("broke something", avoided)

    @verdict("shop/x")
    def reached(run: Run, goal: Goal) -> bool:
        return bool(run.added("cart"))

    made.__dict__.update(x=x, reached=reached, helper=len)
    return made


@pytest.mark.parametrize(
    ("results", "avoided", "success"),
    [
        ((("a", True), ("b", True)), True, True),
        ((("a", True), ("b", False)), True, False),
        ((("a", True), ("b", True)), False, False),
    ],
)
def test_success_takes_every_checkpoint_and_no_harm(
    results: tuple[tuple[str, bool], ...], avoided: bool, success: bool
) -> None:
    grade = checklist([module(*results, avoided=avoided)]).grade(Run([]), GOAL)
    assert grade.success is success
    assert grade.passed == dict(results)
    assert grade.harms == {"broke something": not avoided}
    assert grade.verdict is False


def test_a_task_without_checks_is_our_failure() -> None:
    with pytest.raises(KeyError):
        checklist([module()]).grade(Run([]), GOAL.model_copy(update={"task": "shop/y"}))
