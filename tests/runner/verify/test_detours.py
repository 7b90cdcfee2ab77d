"""Detours that a person would take, and that still reach the goal, pass like the trajectory."""

from collections import Counter
from dataclasses import replace

import pytest

from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run
from stressweb.runner.registry import Library, task_ids
from stressweb.runner.verify.checks import DETOURS
from stressweb.runner.verify.detours import Detours
from stressweb.runner.verify.walks import TaskWalks

LIBRARY = Library()


def walks(task: str, seed: int = 0, kind: type[TaskWalks] = TaskWalks) -> TaskWalks:
    site = task.partition("/")[0]
    return kind(LIBRARY.goal(task, seed), LIBRARY.world(site, seed), LIBRARY.checklist(site))


def detours(task: str, seed: int = 0) -> Detours:
    return Detours(walks(task, seed))


def test_detours_are_of_many_kinds_and_repeat() -> None:
    kinds = Counter(detour.kind for detour in detours("shop/checkout").all())
    assert {"look", "second tab", "typed anew", "sent empty first", "other order", "by address"} <= kinds.keys()
    some, again = ([detour.what for detour in detours("shop/checkout").drawn(DETOURS)] for _ in range(2))
    assert some == again
    assert len(some) == DETOURS


def test_something_is_done_and_undone_by_the_site_s_own_buttons() -> None:
    undone = [detour.what for detour in detours("files/bring-back").all() if detour.kind == "done and undone"]
    assert undone
    assert any("/star" in what and "/unstar" in what for what in undone), undone


def test_removed_rows_are_restored_from_the_trash_and_from_their_page() -> None:
    kinds = {detour.kind for detour in detours("notes/write-a-document").all()}
    assert {"restored in a list", "restored on its page"} <= kinds


def test_a_disputed_grade_of_a_detour_is_found() -> None:
    class Disputed(TaskWalks):
        def grade(self, run: Run) -> Grade:
            return replace(super().grade(run), contradictions=["they disagree"])

    task_detours = Detours(walks("shop/two-of-a-named-product", kind=Disputed))
    (saved, *_) = [detour for detour in task_detours.all() if detour.kind == "saved wrongly and corrected"]
    assert task_detours.wrong(saved).endswith("(disputed)")


def test_a_checkpoint_that_asks_for_the_route_is_found() -> None:
    """The checkpoint passes only on the trajectory: a look at the help adds a page."""
    plain = walks("shop/checkout")
    most = len(plain.walker().walk(plain.goal.ways[0]).run(plain.goal).states)

    class ShortWay(TaskWalks):
        def grade(self, run: Run) -> Grade:
            own_grade = super().grade(run)
            return replace(own_grade, passed={**own_grade.passed, "took the short way": len(run.states) <= most})

    task_detours = Detours(walks("shop/checkout", kind=ShortWay))
    looks = [detour for detour in task_detours.all() if detour.kind == "look"]
    assert looks
    assert any("missed 'took the short way'" in task_detours.wrong(detour) for detour in looks)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("task", task_ids())
def test_no_detour_changes_the_grade(task: str, seed: int) -> None:
    task_detours = detours(task, seed)
    assert [wrong for detour in task_detours.drawn(DETOURS) if (wrong := task_detours.wrong(detour))] == []


@pytest.mark.parametrize("task", ["tasks/finish-what-is-due", "tasks/finish-three-checklists"])
def test_a_card_may_be_dropped_at_any_place_of_the_column_that_a_goal_names(task: str) -> None:
    walks = TaskWalks(LIBRARY.goal(task, 0), LIBRARY.world("tasks", 0), LIBRARY.checklist("tasks"))
    walked = walks.walker().walk(walks.goal.ways[0])
    for _, card in walked.changes()["item"].altered:
        walked.database.execute("UPDATE item SET position = position + 0.5 WHERE id = ?", (card["id"],))
    assert walks.grade(walked.run(walks.goal)).success
