"""The goals in a report: those recorded with the run; for runs without them, the current ones."""

from typing import Any

import pytest

from stressweb.runner.outcome.goals import goal_texts, joined
from stressweb.runner.registry import Library, task_ids
from stressweb.runner.registry.about_tasks import GOALS
from stressweb.runner.registry.about_tasks import goals as noted
from tests.support.plans import plan


def test_recorded_goals_are_read_without_drawing_a_world() -> None:
    library, task = Library(), task_ids()[0]
    cells = plan(tasks=(task,), conditions=("clean", "remap@3"), worlds=(0, 1)).cells()
    meta = {GOALS: noted(library, cells)}
    assert [*meta[GOALS]] == [task]
    text = goal_texts(meta)
    assert [text(task, world) for world in (0, 1)] == [library.goal(task, world).text for world in (0, 1)]
    # A world would give another text.
    meta[GOALS][task]["1"] = "As it was then."
    assert goal_texts(meta)(task, 1) == "As it was then."


@pytest.mark.parametrize(
    "meta", [{}, {GOALS: None}, {GOALS: []}, {GOALS: {task_ids()[0]: "0"}}, {GOALS: {task_ids()[0]: {"0": 3}}}]
)
def test_missing_goals_are_the_current_ones(meta: dict[str, Any]) -> None:
    text, task = goal_texts(meta), task_ids()[0]
    assert text(task, 0) == Library().goal(task, 0).text
    assert text("gone/task", 0) == ""


def test_a_recorded_goal_outlives_its_task() -> None:
    assert goal_texts({GOALS: {"gone/task": {"0": "Buy it."}}})("gone/task", 0) == "Buy it."


def test_shards_join_their_recorded_goals() -> None:
    shards: list[dict[str, Any]] = [
        {GOALS: {"a/x": {"0": "one"}}},
        {},
        {GOALS: {"a/x": {"1": "two"}, "b/y": {"0": "three"}}},
    ]
    assert joined(shards) == {"a/x": {"0": "one", "1": "two"}, "b/y": {"0": "three"}}
