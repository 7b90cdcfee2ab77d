"""Every limiting word of a goal, such as "no other", is covered by a breach, and every breach makes its task fail."""

import pytest

from stressweb.runner.verify.limits import unlimited_words, wrong_limits
from stressweb.runner.verify.walks import TaskWalks
from tests.support.walks import SEEDS, TASKS, checks, goal, world

LIMITED = [name for name, task in TASKS.items() if task.limits]


def undetected(name: str, seed: int) -> list[str]:
    task = TASKS[name]
    return [*wrong_limits(task, TaskWalks(goal(name, seed), world(task.site, seed), checks(task.site)))]


@pytest.mark.parametrize("name", TASKS)
def test_each_limiting_word_of_a_goal_is_covered(name: str) -> None:
    assert [*unlimited_words(TASKS[name])] == []


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_that_is_disregarded_fails(name: str) -> None:
    assert undetected(name, 0) == []


@pytest.mark.audit
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_that_is_disregarded_fails_in_every_world(name: str, seed: int) -> None:
    assert undetected(name, seed) == []
