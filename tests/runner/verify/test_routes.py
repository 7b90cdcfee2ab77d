"""Other routes to the goal: a row's page reached through another part of the site, and a dragged card."""

import pytest

from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run
from stressweb.runner.registry import Library
from stressweb.runner.verify.detours import Detours
from stressweb.runner.verify.routes import other_routes
from stressweb.runner.verify.walks import TaskWalks

LIBRARY = Library()


def wrong_routes(task: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the problems of a kind of detours; fails if none of them leads to the goal."""
    site = task.partition("/")[0]
    detours = Detours(TaskWalks(LIBRARY.goal(task, 0), LIBRARY.world(site, 0), LIBRARY.checklist(site)))
    graded: list[Run] = []
    grade = detours._walks.grade

    def counting(run: Run) -> Grade:
        graded.append(run)
        return grade(run)

    monkeypatch.setattr(detours._walks, "grade", counting)
    wrong = [
        detours.wrong(detour) for detour in other_routes(detours._walks.goal, detours._places) if detour.kind == kind
    ]
    assert graded, f"no detour of {task} leads to the goal"
    return [problem for problem in wrong if problem]


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("tasks/longest-overdue", "search in place of links"),
        ("mail/answer-everybody", "links in place of search"),
        # The last row of a list can be searched by name after the list was seen.
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
def test_there_is_no_route_without_a_way_in_goal_or_site(task: str, kind: str) -> None:
    site = task.partition("/")[0]
    detours = Detours(TaskWalks(LIBRARY.goal(task, 0), LIBRARY.world(site, 0), LIBRARY.checklist(site)))
    assert [detour for detour in other_routes(detours._walks.goal, detours._places) if detour.kind == kind] == []
