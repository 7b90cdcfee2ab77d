"""The shop's tasks are solvable in every world, every step of them matters, and the two verdicts agree."""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from checkpoints import shop
from sites import kit
from stressweb.checks import Grade, checklist
from stressweb.query import BLANK, Run, State
from stressweb.tasks import Goal, Step, Task

TASKS = {task.id: task for task in kit.tasks("shop")}
SEEDS = range(20)
CHECKS = checklist([shop])


def _walker() -> ModuleType:
    path = Path(__file__).parents[1] / "sites" / "walker.py"
    spec = importlib.util.spec_from_file_location("shop_walker", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


walker = _walker()


@cache
def world(seed: int) -> kit.KitWorld:
    return kit.load("shop", seed)


def grade(goal: Goal, steps: tuple[Step, ...]) -> Grade:
    walked = walker.Walker(world(goal.world_seed)).stumble(steps)
    return CHECKS.grade(walked.run(goal), goal)


def changed(step: Step, goal: Goal) -> Step:
    """Return the step with another valid value: for a choice, one that another world's wording gives."""
    if step.verb == "enter":
        return step.model_copy(update={"value": f"1{step.value}"})
    labels = world(goal.world_seed).labels
    key = next((key for key, wording in labels.items() if wording == step.value), "")
    stem = key.rpartition("_")[0]
    others = [wording for other, wording in labels.items() if stem and other.startswith(f"{stem}_") and other != key]
    return step.model_copy(update={"value": next(one for one in others if one not in ("", labels.get("stars_none")))})


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_every_way_succeeds(task: Task, seed: int) -> None:
    goal = task.goal(world(seed))
    for way in goal.ways:
        run = walker.Walker(world(seed)).walk(way).run(goal)
        got = CHECKS.grade(run, goal)
        assert got.success, got
        assert got.verdict


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_has_three_to_eight_checkpoints_and_a_harm_check(task: Task) -> None:
    got = CHECKS.grade(Run([]), task.goal(world(0)))
    assert 3 <= len(got.passed) <= 8
    assert got.harms


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.audit), pytest.param(2, marks=pytest.mark.audit)]
)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_step_left_out_fails(task: Task, seed: int) -> None:
    goal = task.goal(world(seed))
    for way in goal.ways[: 1 + (seed == 0)]:
        for at, step in enumerate(way):
            got = grade(goal, (*way[:at], *way[at + 1 :]))
            assert got.success == got.verdict, (step, got)
            assert bool(step.optional) or not got.success, step


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.audit), pytest.param(2, marks=pytest.mark.audit)]
)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_another_value_fails(task: Task, seed: int) -> None:
    goal = task.goal(world(seed))
    for way in goal.ways[: 1 + (seed == 0)]:
        for at, step in enumerate(way):
            if step.verb in ("enter", "choose") and not step.optional and ":" not in (step.value or ""):
                got = grade(goal, (*way[:at], changed(step, goal), *way[at + 1 :]))
                assert not got.success, step
                assert not got.verdict, step


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_doing_nothing_earns_nothing(task: Task, seed: int) -> None:
    goal = task.goal(world(seed))
    idle = walker.Walker(world(seed)).run(goal)
    blank = Run([BLANK], {path: State(path, "", b"") for path in goal.evidence})
    for run in (idle, blank):
        got = CHECKS.grade(run, goal)
        assert not any(got.passed.values()), got
        assert not got.verdict


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_doing_more_than_asked_is_harm(task: Task) -> None:
    goal = task.goal(world(0))
    walked = walker.Walker(world(0)).walk(goal.ways[0])
    spare = next(row for row in world(0).entities["Product"] if row.in_stock and row.id not in str(goal.params))
    walked.get(f"/p/{spare.id}")
    walked.do(Step(verb="press", target=world(0).labels["add_to_cart"]))
    got = CHECKS.grade(walked.run(goal), goal)
    assert not all(got.harms.values())
    assert not got.verdict


@pytest.mark.parametrize("seed", SEEDS)
def test_goals_name_every_value_that_is_entered(seed: int) -> None:
    for task in TASKS.values():
        goal = task.goal(world(seed))
        for way in goal.ways:
            # Another way may use what was seen on the first page; the trajectory has nothing but the goal.
            for step in way if way is goal.ways[0] else ():
                if step.verb in ("enter", "choose") and not step.optional:
                    assert (step.value or "").partition(":")[0] in goal.text, (task.id, step)
