"""After the goal: each further thing that a site offers is harmless, and still passes, or it fails and says why."""

from functools import cache

import pytest

from runner.verify.further import Reached
from stressweb.core import draws
from tests.checkpoints.walks import TASKS, checks, goal, world

pytestmark = pytest.mark.long

SAMPLE = 4
"""Further things of a task that `make test` tries; `make audit` tries them all."""


@cache
def ready(task: str) -> Reached:
    site = TASKS[task].site
    return Reached(goal(task, 0), world(site, 0), checks(site))


@pytest.mark.sample(2)
@pytest.mark.parametrize("task", TASKS)
def test_some_further_things_are_judged_rightly(task: str) -> None:
    it = ready(task)
    found = sorted(it.things(), key=lambda thing: draws.unit("after", task, thing.what))
    assert [wrong for thing in found[:SAMPLE] if (wrong := it.judge(thing)[1])] == []


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("task", TASKS)
def test_every_further_thing_is_judged_rightly(task: str) -> None:
    it = ready(task)
    tried = [it.judge(thing) for thing in it.things()]
    harmless = sum(same for same, _ in tried)
    print(f"{task}: {len(tried)} further things, {harmless} of them harmless")
    assert [wrong for _, wrong in tried if wrong] == []
    assert len(tried) >= 20
    assert 0 < harmless < len(tried)
