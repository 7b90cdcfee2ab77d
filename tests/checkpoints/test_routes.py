"""Routes that no trajectory step can express: a dragged card, a file by its address, a page in another tab."""

import dataclasses

import pytest

from stressweb.plugins.task import Goal
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import strings
from tests.support.walks import TASKS, goal, grade, walker, world

LOOKS = [name for name, task in TASKS.items() if task.site in ("calendar", "mail", "files", "notes", "tasks")
         and not task.expect]  # fmt: skip


def drag(walked: Walker, card: str, state: str, before: str) -> None:
    """Drop a card above another card of a column, as the board does."""
    walked.get(f"/i/{card}")
    (token, *_) = strings(walked.page, "//input[@name='csrf_token']/@value")
    walked.post("/move-item", {"csrf_token": token, "item": card, "to": state, "before": before})


def finished_card(task_goal: Goal, project: str) -> str:
    cards = world("tasks", task_goal.world_seed).entities["Card"]
    return str(next(card.id for card in cards if card.project == project and card.state == "state_done"))


@pytest.mark.parametrize("task", ["tasks/finish-what-is-due", "tasks/finish-three-checklists"])
def test_a_card_that_is_dragged_to_its_column_is_done_as_well(task: str) -> None:
    task_goal = goal(task, 0)
    card = task_goal.cards[-1] if "cards" in task_goal.params else task_goal.c
    walked = walker(task_goal).walk(task_goal.ways[0][:-1])
    drag(walked, card.id, "state_done", finished_card(task_goal, card.project))
    got = grade(walked.run(task_goal), task_goal)
    assert got.success, got


def test_a_file_that_is_downloaded_by_its_address_leaves_a_trace() -> None:
    task_goal = goal("files/download-the-first", 0)
    another_file = next(
        row for row in world("files", 0).entities["Paper"] if row.id != task_goal.file.id and row.size <= 4000
    )
    walked = walker(task_goal).walk(task_goal.ways[0])
    walked.get(f"/file/{task_goal.file.id}/content")
    assert grade(walked.run(task_goal), task_goal).success, "twice the right one is the right one"
    walked.get(f"/file/{another_file.id}/content")
    got = grade(walked.run(task_goal), task_goal)
    assert [name for name, passed in got.passed.items() if not passed] == ["and no other file"]
    assert any(got.harms.values())


@pytest.mark.parametrize("task", LOOKS)
def test_a_page_that_is_left_open_in_another_tab_is_left_open(task: str) -> None:
    task_goal = goal(task, 0)
    walked = walker(task_goal).walk(task_goal.ways[0])
    target = walked.run(task_goal).last
    walked.get("/")
    run_elsewhere = walked.run(task_goal)
    assert not grade(run_elsewhere, task_goal).success
    run_in_two_tabs = dataclasses.replace(run_elsewhere, open_pages=[target, run_elsewhere.last])
    assert grade(run_in_two_tabs, task_goal).success


def test_actions_of_another_person_are_distinguished() -> None:
    """The second person writes the comment; the first one has moved the card."""
    task_goal = goal("tasks/two-people-take-turns", 0)
    way, labels = task_goal.ways[0], world("tasks", 0).labels
    moving = next(step for step in way if step.target == labels["state_doing"])
    switch = next(number for number, step in enumerate(way) if step.target == task_goal.two.name)
    walked = walker(task_goal).walk(
        [*way[: switch - 1], moving, *(step for step in way[switch - 1 :] if step != moving)]
    )
    got = grade(walked.run(task_goal), task_goal)
    assert [name for name, passed in got.passed.items() if not passed] == ["moved it as the second"]
