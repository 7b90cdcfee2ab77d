"""After the goal, each further action that a site offers either still passes or fails with a reason."""

from functools import cache

import pytest

from stressweb.core import draws
from stressweb.runner.verify.further import Reached
from tests.support.walks import TASKS, checks, goal, world

pytestmark = pytest.mark.long

SAMPLE = 4
"""Further actions per task that `make test` tries; `make audit` tries them all."""


@cache
def ready(task: str) -> Reached:
    site = TASKS[task].site
    return Reached(goal(task, 0), world(site, 0), checks(site))


@pytest.mark.sample(2)
@pytest.mark.parametrize("task", TASKS)
def test_some_further_actions_are_graded_correctly(task: str) -> None:
    reached = ready(task)
    extras = sorted(reached.further_actions(), key=lambda extra: draws.unit("after", task, extra.what))
    assert [wrong for extra in extras[:SAMPLE] if (wrong := reached.judge(extra)[1])] == []


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("task", TASKS)
def test_every_further_action_is_graded_correctly(task: str) -> None:
    reached = ready(task)
    tried = [reached.judge(extra) for extra in reached.further_actions()]
    harmless = sum(same for same, _ in tried)
    print(f"{task}: {len(tried)} further things, {harmless} of them harmless")
    assert [wrong for _, wrong in tried if wrong] == []
    assert len(tried) >= 20
    assert 0 < harmless < len(tried)
