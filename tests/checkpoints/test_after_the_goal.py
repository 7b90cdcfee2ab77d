"""After the goal: each further thing that a site offers is harmless, and still passes, or it fails and says why.

The rows of the database alone decide what is harmless, read here without the grader: a thing that leaves them as they
were when the goal was reached must not cost the success, and a thing that changes them must.
"""

from functools import cache

import pytest

from stressweb.core import draws
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from stressweb.plugins.task import Goal
from tests.checkpoints.after import Further, fork, reached, things
from tests.checkpoints.walks import TASKS, goal, grade
from tests.sites.walker import Walker

pytestmark = pytest.mark.long

SAMPLE = 4
"""Further things of a task that `make test` tries; `make audit` tries them all."""


def rows(done: Walker) -> dict[str, TableChange]:
    """Return how the site's own tables differ from the start."""
    return {table: change for table, change in done.changes().items() if table not in done.world.uncounted}


@cache
def ready(task: str) -> tuple[Goal, Walker]:
    made = goal(task, 0)
    return made, reached(made)


def judged(task: str, thing: Further) -> tuple[bool, Grade]:
    """Do one further thing; return whether it left everything as it was, and the grade."""
    made, done = ready(task)
    after = fork(done)
    thing.do(after)
    same = rows(after) == rows(done)
    if not made.expect:
        # The goal is a page that stays open: leaving it undoes what was asked for, whatever the rows hold.
        same = same and after.url.partition("?")[0] == done.url.partition("?")[0]
    return same, grade(after.run(made), made)


def wrong(task: str, thing: Further, same: bool, got: Grade) -> str:
    """Return what is wrong with a grade, in words; nothing if it is right."""
    why = [*got.unmet, *(name for name, done in got.harms.items() if done)]
    missed = [name for name, passed in got.passed.items() if not passed]
    if same and not got.success:
        return f"{thing.what}: harmless, and fails for {missed} {why}"
    if not same and got.success:
        return f"{thing.what}: changed what was reached, and passes"
    if not same and not why and ready(task)[0].expect:
        return f"{thing.what}: fails without a reason in the database, for {missed}"
    return ""


@pytest.mark.sample(2)
@pytest.mark.parametrize("task", TASKS)
def test_some_further_things_are_judged_rightly(task: str) -> None:
    found = sorted(things(*ready(task)), key=lambda thing: draws.unit("after", task, thing.what))
    said = [wrong(task, thing, *judged(task, thing)) for thing in found[:SAMPLE]]
    assert [*filter(None, said)] == []


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("task", TASKS)
def test_every_further_thing_is_judged_rightly(task: str) -> None:
    tried = [(thing, *judged(task, thing)) for thing in things(*ready(task))]
    harmless = sum(same for _, same, _ in tried)
    print(f"{task}: {len(tried)} further things, {harmless} of them harmless")
    assert [*filter(None, (wrong(task, *one) for one in tried))] == []
    assert len(tried) >= 20
    assert 0 < harmless < len(tried)
