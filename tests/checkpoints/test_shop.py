"""What counts as done in the shop, beyond what holds on every site."""

import pytest

from stressweb.plugins.steps import Step
from tests.support.walks import SEEDS, TASKS, goal, grade, walker, world

SHOP = [name for name, task in TASKS.items() if task.site == "shop"]


@pytest.mark.parametrize("task", SHOP)
def test_doing_more_than_asked_is_harm(task: str) -> None:
    task_goal, site = goal(task, 0), world("shop", 0)
    walked = walker(task_goal).walk(task_goal.ways[0])
    spare = next(row for row in site.entities["Product"] if row.in_stock and row.id not in str(task_goal.params))
    walked.get(f"/p/{spare.id}")
    walked.do(Step(verb="press", target=site.labels["add_to_cart"]))
    got = grade(walked.run(task_goal), task_goal)
    assert any(got.harms.values()) or got.unmet, got
    assert not got.success


def test_the_first_hit_is_one_that_was_searched_for() -> None:
    task_goal, site = goal("shop/first-hit", 0), world("shop", 0)
    walked = walker(task_goal)
    walked.get(f"/p/{task_goal.params['product'].id}")
    walked.do(Step(verb="press", target=site.labels["add_to_cart"]))
    got = grade(walked.run(task_goal), task_goal)
    assert got.verdict
    assert [name for name, passed in got.passed.items() if not passed] == ["searched for it"]


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", SEEDS)
def test_goals_name_every_value_that_is_entered(seed: int) -> None:
    for task in SHOP:
        task_goal = goal(task, seed)
        # Another way may use the first page's content; the trajectory relies on the goal alone.
        for step in task_goal.ways[0]:
            if step.verb in ("enter", "choose") and not step.optional:
                assert (step.value or "").partition(":")[0] in task_goal.text, (task, step)
