"""Other routes to the goal: a row's page reached through another part of the site, and a dragged card."""

import pytest

from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run
from stressweb.runner.registry import Library
from stressweb.runner.verify.detours import Detours
from stressweb.runner.verify.walks import TaskWalks

LIBRARY = Library()


class CountingWalks(TaskWalks):
    """Walks that count the runs that were graded."""

    graded = 0

    def grade(self, run: Run) -> Grade:
        self.graded += 1
        return super().grade(run)


def walks_of(task: str) -> CountingWalks:
    site = task.partition("/")[0]
    return CountingWalks(LIBRARY.goal(task, 0), LIBRARY.world(site, 0), LIBRARY.checklist(site))


def wrong_routes(task: str, kind: str) -> list[str]:
    """Return the problems of a kind of detours; fails if none of them leads to the goal."""
    walks = walks_of(task)
    detours = Detours(walks)
    routes = [detour for detour in detours.all() if detour.kind == kind]
    walks.graded = 0
    wrong = [detours.wrong(detour) for detour in routes]
    assert walks.graded, f"no detour of {task} leads to the goal"
    return [problem for problem in wrong if problem]


@pytest.mark.sample(1)
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
def test_another_route_leads_to_the_goal_and_passes(task: str, kind: str) -> None:
    assert wrong_routes(task, kind) == []


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        pytest.param("shop/checkout", "dragged in place of a form", id="a site without a board"),
        pytest.param("calendar/agenda-of-a-category", "links in place of search", id="a goal that asks for the filter"),
    ],
)
def test_there_is_no_route_without_a_way_in_goal_or_site(task: str, kind: str) -> None:
    assert [detour for detour in Detours(walks_of(task)).all() if detour.kind == kind] == []
