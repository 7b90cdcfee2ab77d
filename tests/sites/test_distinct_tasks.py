"""No two tasks of a site ask for the same work: they differ in what they change, or in the way there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from stressweb.plugins.expect import TablePatterns
from stressweb.plugins.steps import VERBS, StepSpec
from stressweb.plugins.task import Task
from stressweb.sites import kit
from tests.support.crawling import SITES


def shape(expect: dict[str, TablePatterns]) -> frozenset[Any]:
    """Return the changes of a task without their values: table, kind of change, columns, and number of rows."""
    effects = []
    for table, changes in expect.items():
        rows: list[tuple[Any, ...]] = [("removed", False, tuple(sorted(where))) for where in changes.removed]
        for kind in ("added", "altered"):
            rows += [(kind, bool(pattern.each), tuple(sorted(pattern.values))) for pattern in getattr(changes, kind)]
        effects += [(table, *row, rows.count(row)) for row in rows]
    return frozenset(effects)


def skeleton(steps: Iterable[StepSpec]) -> Iterator[str]:
    """Yield the steps of a way without drawn values: verbs and labels, and whether a label is on an item."""
    for step in steps:
        if step.each:
            yield from ("each", *skeleton(step.steps), "end")
            continue
        for verb in VERBS:
            target_spec = getattr(step, verb)
            for target in target_spec if isinstance(target_spec, dict) else [target_spec] if target_spec else []:
                yield f"{verb} {'{}' if '{' in target else target}{' on' if step.on else ''}"


def twins(tasks: Iterable[Task]) -> list[list[str]]:
    """Return the groups of tasks with the same changes and steps."""
    alike = defaultdict(list)
    for task in tasks:
        alike[shape(task.expect), tuple(skeleton(task.steps))].append(task.id)
    return [ids for ids in alike.values() if len(ids) > 1]


@pytest.mark.parametrize("name", SITES)
def test_no_two_tasks_ask_for_the_same_work(name: str) -> None:
    assert twins(kit.tasks(name)) == []


@pytest.mark.parametrize("name", SITES)
def test_every_task_names_its_family(name: str) -> None:
    assert [task.id for task in kit.tasks(name) if not task.family] == []


def test_a_task_that_only_draws_other_values_is_found() -> None:
    task = next(task for task in kit.tasks("shop") if task.id == "shop/two-of-a-named-product")
    other = task.model_copy(update={"id": "shop/three-of-it", "given": {}, "goal_text": "Something else"})
    assert twins([task, other]) == [["shop/two-of-a-named-product", "shop/three-of-it"]]
    # Another column, another way or another number of rows makes another task.
    assert twins([task, task.model_copy(update={"expect": {}})]) == []
    assert twins([task, task.model_copy(update={"steps": task.steps[1:]})]) == []
    twice = {"cart": task.expect["cart"].model_copy(update={"added": task.expect["cart"].added * 2})}
    assert twins([task, task.model_copy(update={"expect": twice})]) == []
