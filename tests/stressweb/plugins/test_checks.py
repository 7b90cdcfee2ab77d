"""Checks: how they are found, what is refused, and what makes a success."""

from types import ModuleType

import pytest

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.plugins.checks import Check, Checks, Grade, checklist, checks, harm
from stressweb.plugins.database import TableChange
from stressweb.plugins.query import Run
from stressweb.plugins.task import Goal
from tests.stressweb.plugins.test_expected import expected

ADD = {"cart": {"added": [{"owner": "ann", "product": "p1", "quantity": 1}]}}
LINE = Entity(id="ann/p1", owner="ann", product="p1", quantity=1)


def goal(expect: dict[str, object], task: str = "shop/x") -> Goal:
    made = expected(expect)
    return Goal(task=task, world_seed=0, text="Do it", params={}, ways=(), evidence=(), expect=made)


def function(*results: tuple[str, bool], harmed: bool = False, task: str = "shop/x") -> Check:
    @checks(task)
    def x(run: Run, goal: Goal) -> Checks:
        yield from results
        yield harm("changed the sort order", harmed)

    return x


def module(*found: Check) -> ModuleType:
    made = ModuleType("checkpoints_of_a_test")
    made.__dict__.update({f"check_{at}": one for at, one in enumerate(found)}, helper=len)
    return made


def run(*added: Entity) -> Run:
    return Run([], tables={"cart": TableChange(("id",), added=added)})


@pytest.mark.parametrize(
    ("results", "harmed", "added", "success", "disputed"),
    [
        ((True, True), False, (LINE,), True, False),
        ((True, False), False, (LINE,), False, True),
        ((True, True), False, (), False, True),
        ((True, False), False, (), False, False),
        ((True, True), True, (LINE,), False, False),
        ((True, True), False, (LINE, Entity(LINE, id="ann/p2", product="p2")), False, False),
    ],
)
def test_success_takes_every_checkpoint_the_verdict_and_no_harm(
    results: tuple[bool, bool], harmed: bool, added: tuple[Entity, ...], success: bool, disputed: bool
) -> None:
    named = list(zip("ab", results, strict=True))
    grade = checklist([module(function(*named, harmed=harmed))]).grade(run(*added), goal(ADD))
    assert (grade.success, grade.disputed) == (success, disputed)
    assert grade.passed == dict(named)
    assert grade.verdict is bool(added)
    assert bool(grade.unmet) is not grade.verdict
    spare = {f"added to cart: {row.id}": True for row in added[1:]}
    assert grade.harms == {"changed the sort order": harmed, **spare}


def test_the_database_has_no_say_where_a_goal_changes_nothing() -> None:
    graded = checklist([module(function(("saw it", False)))])
    assert graded.grade(Run([]), goal({})) == Grade({"saw it": False}, {"changed the sort order": False}, None)
    assert not graded.grade(Run([]), goal({})).disputed
    seen = checklist([module(function(("saw it", True)))])
    assert seen.grade(Run([]), goal({})).success
    harmed = seen.grade(run(LINE), goal({}))
    assert (harmed.success, harmed.harms["added to cart: ann/p1"]) == (False, True)


def test_a_task_without_checks_is_our_failure() -> None:
    with pytest.raises(KeyError):
        checklist([module(function(("a", True)))]).grade(Run([]), goal(ADD, "shop/y"))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([function(("a", True), ("a", False))], "shop/x has two checkpoints named 'a'"),
        ([function(("changed the sort order", True))], "two checkpoints named 'changed the sort order'"),
        ([function()], "shop/x has no checkpoint"),
        ([function(("a", True), task="shop/y")], "task shop/x has no checkpoints"),
    ],
)
def test_malformed_checkpoints_are_refused(found: list[Check], said: str) -> None:
    with pytest.raises(UserError, match=said):
        checklist([module(*found)]).check(goal(ADD))


def test_two_functions_for_one_task_are_refused() -> None:
    with pytest.raises(UserError, match="two functions define the checkpoints of task shop/x"):
        checklist([module(function(("a", True)), function(("b", True)))])
