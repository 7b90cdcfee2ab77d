"""A row's page that is reached by another part of the site, and a card that is dragged, are ways to the goal too."""

import pytest

from runner.registry import Library
from runner.verify.detours import Detours
from runner.verify.routes import other_routes
from runner.verify.walks import TaskWalks
from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run

LIBRARY = Library()


def wrong_routes(task: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is wrong with the detours of a kind; fails if none of them leads to the goal."""
    site = task.partition("/")[0]
    it = Detours(TaskWalks(LIBRARY.goal(task, 0), LIBRARY.world(site, 0), LIBRARY.checklist(site)))
    graded: list[Run] = []
    grade = it._walks.grade

    def counting(run: Run) -> Grade:
        graded.append(run)
        return grade(run)

    monkeypatch.setattr(it._walks, "grade", counting)
    wrong = [it.wrong(one) for one in other_routes(it._walks.goal, it._places) if one.kind == kind]
    assert graded, f"no detour of {task} leads to the goal"
    return [one for one in wrong if one]


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("tasks/longest-overdue", "search in place of links"),
        ("mail/answer-everybody", "links in place of search"),
        # The last of a list is searched for by its name once the list has shown it.
        ("reservation/last-of-the-list", "search in place of links"),
        ("tasks/finish-what-is-due", "dragged in place of a form"),
    ],
)
def test_another_route_leads_to_the_goal_and_passes(task: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong_routes(task, kind, monkeypatch) == []


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        pytest.param("shop/checkout", "dragged in place of a form", id="a site without a board"),
        pytest.param("calendar/agenda-of-a-category", "links in place of search", id="a goal that asks for the filter"),
    ],
)
def test_no_route_is_made_where_the_goal_or_the_site_has_none(task: str, kind: str) -> None:
    site = task.partition("/")[0]
    it = Detours(TaskWalks(LIBRARY.goal(task, 0), LIBRARY.world(site, 0), LIBRARY.checklist(site)))
    assert [one for one in other_routes(it._walks.goal, it._places) if one.kind == kind] == []
