"""A way that a person would take, and that leaves what the goal asks for, passes as the trajectory does."""

from collections import Counter
from dataclasses import replace

import pytest

from runner.registry import Library, task_ids
from runner.verify.checks import DETOURS
from runner.verify.detours import Detours
from runner.verify.walks import TaskWalks
from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run

LIBRARY = Library()


def detours(task: str, seed: int = 0) -> Detours:
    site = task.partition("/")[0]
    return Detours(TaskWalks(LIBRARY.goal(task, seed), LIBRARY.world(site, seed), LIBRARY.checklist(site)))


def test_detours_are_of_many_kinds_and_repeat() -> None:
    kinds = Counter(one.kind for one in detours("shop/checkout").all())
    assert {"look", "second tab", "typed anew", "sent empty first", "other order", "by address"} <= kinds.keys()
    some, again = ([one.what for one in detours("shop/checkout").drawn(DETOURS)] for _ in range(2))
    assert some == again
    assert len(some) == DETOURS


def test_something_is_done_and_undone_by_the_site_s_own_buttons() -> None:
    undone = [one.what for one in detours("files/bring-back").all() if one.kind == "done and undone"]
    assert undone
    assert any("/star" in what and "/unstar" in what for what in undone), undone


def test_what_was_removed_is_restored_from_the_trash_and_from_its_own_page() -> None:
    kinds = {one.kind for one in detours("notes/write-a-document").all()}
    assert {"restored in a list", "restored on its page"} <= kinds


def test_a_disputed_grade_of_a_detour_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    it = detours("shop/two-of-a-named-product")
    grade = it._walks.grade
    monkeypatch.setattr(it._walks, "grade", lambda run: replace(grade(run), contradictions=["they disagree"]))
    (saved, *_) = [one for one in it.all() if one.kind == "saved wrongly and corrected"]
    assert it.wrong(saved).endswith("(disputed)")


def test_a_checkpoint_that_asks_for_the_route_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes on the trajectory alone: whoever looks at the help first sees one page more."""
    it = detours("shop/checkout")
    most = len(it._walks.walker().walk(it._walks.goal.ways[0]).run(it._walks.goal).states)
    grade = it._walks.grade

    def counting(run: Run) -> Grade:
        got = grade(run)
        return Grade({**got.passed, "took the short way": len(run.states) <= most}, got.harms, got.verdict, got.unmet)

    monkeypatch.setattr(it._walks, "grade", counting)
    looks = [one for one in it.all() if one.kind == "look"]
    assert looks
    assert any("missed 'took the short way'" in it.wrong(one) for one in looks)


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("task", task_ids())
def test_no_detour_changes_the_grade(task: str, seed: int) -> None:
    it = detours(task, seed)
    assert [wrong for one in it.drawn(DETOURS) if (wrong := it.wrong(one))] == []


@pytest.mark.parametrize("task", ["tasks/finish-what-is-due", "tasks/finish-three-checklists"])
def test_a_card_may_be_dropped_at_any_place_of_the_column_that_a_goal_names(task: str) -> None:
    walks = TaskWalks(LIBRARY.goal(task, 0), LIBRARY.world("tasks", 0), LIBRARY.checklist("tasks"))
    walked = walks.walker().walk(walks.goal.ways[0])
    for _, card in walked.changes()["item"].altered:
        walked.database.execute("UPDATE item SET position = position + 0.5 WHERE id = ?", (card["id"],))
    assert walks.grade(walked.run(walks.goal)).success
