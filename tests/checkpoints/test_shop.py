"""What counts as done in the shop, beyond what holds on every site."""

import pytest

from stressweb.plugins.steps import Step
from tests.checkpoints.walks import SEEDS, TASKS, goal, grade, walker, world

SHOP = [name for name, task in TASKS.items() if task.site == "shop"]


@pytest.mark.parametrize("task", SHOP)
def test_doing_more_than_asked_is_harm(task: str) -> None:
    made, site = goal(task, 0), world("shop", 0)
    walked = walker(made).walk(made.ways[0])
    spare = next(row for row in site.entities["Product"] if row.in_stock and row.id not in str(made.params))
    walked.get(f"/p/{spare.id}")
    walked.do(Step(verb="press", target=site.labels["add_to_cart"]))
    got = grade(walked.run(made), made)
    assert any(got.harms.values()) or got.unmet, got
    assert not got.success


def test_the_first_hit_is_one_that_was_searched_for() -> None:
    made, site = goal("shop/first-hit", 0), world("shop", 0)
    walked = walker(made)
    walked.get(f"/p/{made.params['product'].id}")
    walked.do(Step(verb="press", target=site.labels["add_to_cart"]))
    got = grade(walked.run(made), made)
    assert got.verdict
    assert [name for name, passed in got.passed.items() if not passed] == ["searched for it"]


@pytest.mark.parametrize("seed", SEEDS)
def test_goals_name_every_value_that_is_entered(seed: int) -> None:
    for task in SHOP:
        made = goal(task, seed)
        # Another way may use what was seen on the first page; the trajectory has nothing but the goal.
        for step in made.ways[0]:
            if step.verb in ("enter", "choose") and not step.optional:
                assert (step.value or "").partition(":")[0] in made.text, (task, step)
