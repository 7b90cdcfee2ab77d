"""Routes that no step of a trajectory can say: a card that is dragged, a file by its address, a page in another tab."""

import dataclasses

import pytest

from stressweb.plugins.task import Goal
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import strings
from tests.checkpoints.walks import TASKS, goal, grade, walker, world

LOOKS = [name for name, task in TASKS.items() if task.site in ("calendar", "mail", "files", "notes", "tasks")
         and not goal(name, 0).expect]  # fmt: skip


def drag(walked: Walker, card: str, state: str, before: str) -> None:
    """Drop a card above another one of a column, as the board does."""
    walked.get(f"/i/{card}")
    (token, *_) = strings(walked.page, "//input[@name='csrf_token']/@value")
    walked.post("/move-item", {"csrf_token": token, "item": card, "to": state, "before": before})


def finished_card(made: Goal, project: str) -> str:
    cards = world("tasks", made.world_seed).entities["Card"]
    return str(next(card.id for card in cards if card.project == project and card.state == "state_done"))


@pytest.mark.parametrize("task", ["tasks/finish-what-is-due", "tasks/finish-three-checklists"])
def test_a_card_that_is_dragged_to_its_column_is_done_as_well(task: str) -> None:
    made = goal(task, 0)
    card = made.cards[-1] if "cards" in made.params else made.c
    walked = walker(made).walk(made.ways[0][:-1])
    drag(walked, card.id, "state_done", finished_card(made, card.project))
    got = grade(walked.run(made), made)
    assert got.success, got


def test_a_file_that_is_downloaded_by_its_address_leaves_a_trace() -> None:
    made = goal("files/download-the-first", 0)
    other = next(row for row in world("files", 0).entities["Paper"] if row.id != made.file.id and row.size <= 4000)
    walked = walker(made).walk(made.ways[0])
    walked.get(f"/file/{made.file.id}/content")
    assert grade(walked.run(made), made).success, "twice the right one is the right one"
    walked.get(f"/file/{other.id}/content")
    got = grade(walked.run(made), made)
    assert [name for name, passed in got.passed.items() if not passed] == ["and no other file"]
    assert any(got.harms.values())


@pytest.mark.parametrize("task", LOOKS)
def test_a_page_that_is_left_open_in_another_tab_is_left_open(task: str) -> None:
    made = goal(task, 0)
    walked = walker(made).walk(made.ways[0])
    target = walked.run(made).last
    walked.get("/")
    away = walked.run(made)
    assert not grade(away, made).success
    beside = dataclasses.replace(away, open_pages=[target, away.last])
    assert grade(beside, made).success


def test_what_was_done_by_another_person_is_told_apart() -> None:
    """The second person writes the comment; the first one has moved the card."""
    made = goal("tasks/two-people-take-turns", 0)
    way, labels = made.ways[0], world("tasks", 0).labels
    moving = next(step for step in way if step.target == labels["state_doing"])
    switch = next(number for number, step in enumerate(way) if step.target == made.two.name)
    walked = walker(made).walk([*way[: switch - 1], moving, *(step for step in way[switch - 1 :] if step != moving)])
    got = grade(walked.run(made), made)
    assert [name for name, passed in got.passed.items() if not passed] == ["moved it as the second"]
