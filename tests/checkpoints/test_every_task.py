"""Every site's tasks are solvable in every world, every step of them matters, and the two verdicts agree."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest
from lxml.html import HtmlElement

from stressweb.plugins.query import BLANK, Run, State
from stressweb.plugins.task import Goal, Step
from tests.checkpoints.walks import SEEDS, TASKS, goal, grade, stumbled, walker, world

EACH = pytest.mark.parametrize("task", TASKS)
WORLDS = pytest.mark.parametrize("seed", [0, 1, 2])

type Way = tuple[Step, ...]


def ways(task: str, seed: int) -> Iterator[tuple[Goal, Way]]:
    """Yield each way of a task in the first world, and the trajectory alone in the others."""
    made = goal(task, seed)
    for way in made.ways if seed == 0 else made.ways[:1]:
        yield made, way


def others(goal: Goal, way: Way) -> Iterator[tuple[Step, Way]]:
    """Yield each step with a value that matters, and the way with another valid value in its place."""
    walked = walker(goal)
    for at, step in enumerate(way):
        if step.value is not None and not step.optional:
            other = step.model_copy(update={"value": _other(walked.find(step), step.value)})
            yield step, (*way[:at], other, *way[at + 1 :])
        walked.do(step)


def _other(field: HtmlElement, value: str) -> str:
    if field.tag == "select":
        rest = (option for option in field.iter("option") if option.get("value") and option.get("selected") is None)
        return next(text for option in rest if (text := option.text_content().strip()) != value)
    if field.get("type") == "date":
        return (date.fromisoformat(value) + timedelta(days=1)).isoformat()
    if field.get("type") == "time":
        return (datetime.fromisoformat(f"2025-01-01T{value}") + timedelta(minutes=15)).strftime("%H:%M")
    return f"1{value}"


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", SEEDS)
@EACH
def test_every_way_succeeds(task: str, seed: int) -> None:
    for made, way in ways(task, seed):
        got = grade(walker(made).walk(way).run(made), made)
        assert got.success, got
        assert got.verdict is (True if made.expect else None)


@EACH
def test_has_three_to_eight_checkpoints(task: str) -> None:
    assert 3 <= len(grade(Run([]), goal(task, 0)).passed) <= 8


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", SEEDS)
@EACH
def test_expect_names_every_column_that_the_trajectory_changes(task: str, seed: int) -> None:
    for made, way in ways(task, seed):
        assert made.expect is not None
        site, changes = world(made.task.partition("/")[0], seed), walker(made).walk(way).run(made).tables
        for table in changes.keys() - site.uncounted:
            free = site.generated[table]
            added, altered = made.expect.named(table)
            for row in changes[table].added:
                assert row.keys() - free == added, table
            for before, after in changes[table].altered:
                changed = {column for column, value in before.items() if after[column] != value}
                assert changed <= altered[changes[table].key_of(after)] | free, (table, before, after)


@pytest.mark.sample(1, "mutations")
@WORLDS
@EACH
def test_a_step_left_out_fails(task: str, seed: int) -> None:
    for made, way in ways(task, seed):
        for at, step in enumerate(way):
            got = stumbled(made, (*way[:at], *way[at + 1 :]))
            assert not got.disputed, (step, got)
            assert bool(step.optional) or not got.success, step


@pytest.mark.sample(1, "mutations")
@WORLDS
@EACH
def test_another_value_fails(task: str, seed: int) -> None:
    for made, way in ways(task, seed):
        for step, steps in others(made, way):
            got = stumbled(made, steps)
            assert not got.success, step
            assert not got.disputed, (step, got)


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", SEEDS)
@EACH
def test_doing_nothing_earns_nothing(task: str, seed: int) -> None:
    made = goal(task, seed)
    idle = walker(made).run(made)
    blank = Run([BLANK], {path: State(path, "", b"") for path in made.evidence})
    for run in (idle, blank):
        got = grade(run, made)
        assert not any(got.passed.values()), got
        assert not any(got.harms.values()), got
        assert not got.verdict
        assert not got.success
