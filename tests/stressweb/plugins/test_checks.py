"""Checks: how they are found, refused checks, and the conditions of success."""

from types import ModuleType

import pytest

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.plugins.checks import Check, Checks, Grade, checklist, checks, harm
from stressweb.plugins.database import TableChange
from stressweb.plugins.query import Run, State, has_item
from stressweb.plugins.task import Goal
from tests.stressweb.plugins.shop_pattern import expected

ADD: dict[str, object] = {"cart": {"added": [{"owner": "ann", "product": "p1", "quantity": 1}]}}
LINE = Entity(id="ann/p1", owner="ann", product="p1", quantity=1)


def goal(expect: dict[str, object], task: str = "shop/x") -> Goal:
    expectation = expected(expect)
    return Goal(task=task, world_seed=0, text="Do it", params={}, ways=(), evidence=(), expect=expectation)


def function(*results: tuple[str, bool], harmed: bool = False, task: str = "shop/x") -> Check:
    @checks(task)
    def x(run: Run, goal: Goal) -> Checks:
        yield from results
        yield harm("changed the sort order", harmed)

    return x


def module(*functions: Check) -> ModuleType:
    checkpoints_module = ModuleType("checkpoints_of_a_test")
    checkpoints_module.__dict__.update({f"check_{number}": check for number, check in enumerate(functions)}, helper=len)
    return checkpoints_module


def run(*added: Entity) -> Run:
    return Run([], tables={"cart": TableChange(("id",), added=added)})


@pytest.mark.parametrize(
    ("results", "harmed", "added", "success", "disputed"),
    [
        ((True, True), False, (LINE,), True, False),
        ((True, False), False, (LINE,), False, True),
        ((True, False), True, (LINE,), False, False),
        ((True, False), False, (LINE, Entity(LINE, id="ann/p2", product="p2")), False, False),
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


def seen(path: str, body: str) -> State:
    return State(path, f"<html><body><main>{body}</main></body></html>")


def line(quantity: int, name: str = "Lamp") -> str:
    return (
        '<div itemscope itemtype="https://schema.org/OrderItem">'
        f'<b itemprop="name">{name}</b><i itemprop="orderQuantity">{quantity}</i></div>'
    )


@pytest.mark.parametrize(
    ("quantity", "owner", "quantity_shown", "visited", "passed", "disputed"),
    [
        # Pages and database agree.
        (1, "ann", 1, True, True, False),
        (2, "ann", 2, True, False, False),
        # The page shows a number that differs from the database.
        (2, "ann", 1, True, True, True),
        (1, "ann", 2, True, False, True),
        # No checkpoint checks the owner.
        (1, "bob", 1, True, True, False),
        # The database does not record which pages the agent saw.
        (1, "ann", 1, False, False, False),
        (1, "ann", 2, False, False, True),
    ],
)
def test_a_grade_is_disputed_only_about_facts_that_both_check(
    quantity: int, owner: str, quantity_shown: int, visited: bool, passed: bool, disputed: bool
) -> None:
    @checks("shop/x")
    def x(run: Run, goal: Goal) -> Checks:
        item = run.closing("/cart").item("OrderItem")
        yield "saw the product", run.ever(has_item("OrderItem", name="Lamp"))
        yield "in the right number", item is not None and item.number("orderQuantity") == 1

    added = Entity(LINE, quantity=quantity, owner=owner)
    states = [seen("/p/lamp", line(9))] if visited else []
    episode = Run(
        states, {"/cart": seen("/cart", line(quantity_shown))}, {"cart": TableChange(("id",), added=(added,))}
    )
    grade = checklist([module(x)]).grade(episode, goal(ADD))
    assert (all(grade.passed.values()), grade.disputed) == (passed, disputed), grade
    assert grade.disputed is bool(grade.contradictions)


def test_without_expected_changes_there_is_no_verdict() -> None:
    graded = checklist([module(function(("saw it", False)))])
    assert graded.grade(Run([]), goal({})) == Grade({"saw it": False}, {"changed the sort order": False}, None)
    assert not graded.grade(Run([]), goal({})).disputed
    seen = checklist([module(function(("saw it", True)))])
    assert seen.grade(Run([]), goal({})).success
    harmed = seen.grade(run(LINE), goal({}))
    assert (harmed.success, harmed.harms["added to cart: ann/p1"]) == (False, True)


def test_a_task_without_checks_raises() -> None:
    with pytest.raises(KeyError):
        checklist([module(function(("a", True)))]).grade(Run([]), goal(ADD, "shop/y"))


@pytest.mark.parametrize(
    ("check_functions", "message"),
    [
        ([function(("a", True), ("a", False))], "shop/x has two checkpoints named 'a'"),
        ([function(("changed the sort order", True))], "two checkpoints named 'changed the sort order'"),
        ([function()], "shop/x has no checkpoint"),
        ([function(("a", True), task="shop/y")], "task shop/x has no checkpoints"),
    ],
)
def test_malformed_checkpoints_are_refused(check_functions: list[Check], message: str) -> None:
    with pytest.raises(UserError, match=message):
        checklist([module(*check_functions)]).check(goal(ADD))


def test_two_functions_for_one_task_are_refused() -> None:
    with pytest.raises(UserError, match="two functions define the checkpoints of task shop/x"):
        checklist([module(function(("a", True)), function(("b", True)))])


@pytest.mark.parametrize(
    ("grade", "outcome"),
    [
        (Grade({}, {}, None, unobserved=["saw it"]), None),
        # One checkpoint was observed, and there is no verdict: the other decides.
        (Grade({"searched": True}, {}, None, unobserved=["saw it"]), None),
        (Grade({"searched": False}, {}, None, unobserved=["saw it"]), False),
        (Grade({}, {"lost a row": True}, None, unobserved=["saw it"]), False),
        (Grade({}, {}, verdict=True, unobserved=["saw it"]), True),
        (Grade({}, {}, verdict=False, unobserved=["saw it"]), False),
        (Grade({"saw it": True}, {}, None), True),
        (Grade({}, {}, None), False),
    ],
)
def test_an_unobserved_outcome_is_neither_success_nor_failure(grade: Grade, outcome: bool | None) -> None:
    assert (grade.outcome, grade.success, grade.undecided) == (outcome, outcome is True, outcome is None)
