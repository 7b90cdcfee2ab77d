"""Every site's tasks are solvable in every world, every step of them matters, and the two verdicts agree."""

import pytest

from stressweb.runner.verify.walks import TaskWalks
from tests.support.walks import SEEDS, TASKS, checks, goal, world

EACH = pytest.mark.parametrize("task", TASKS)
WORLDS = pytest.mark.parametrize("seed", [0, 1, 2])


def walks(task: str, seed: int) -> TaskWalks:
    site = TASKS[task].site
    return TaskWalks(goal(task, seed), world(site, seed), checks(site))


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", SEEDS)
@EACH
def test_every_way_succeeds_and_expect_is_complete(task: str, seed: int) -> None:
    assert [*walks(task, seed).ways(others=seed == 0)] == []


@EACH
def test_has_three_to_eight_checkpoints(task: str) -> None:
    assert [*walks(task, 0).checkpoints()] == []


@pytest.mark.sample(1, "mutations")
@WORLDS
@EACH
def test_a_step_left_out_fails(task: str, seed: int) -> None:
    assert [*walks(task, seed).left_out()] == []


@pytest.mark.sample(1, "mutations")
@WORLDS
@EACH
def test_another_value_fails(task: str, seed: int) -> None:
    assert [*walks(task, seed).other_values()] == []


@pytest.mark.sample(7)
@pytest.mark.parametrize("seed", SEEDS)
@EACH
def test_doing_nothing_earns_nothing(task: str, seed: int) -> None:
    assert [*walks(task, seed).idle()] == []
