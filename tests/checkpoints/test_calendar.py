"""What counts as done in the calendar, beyond what holds on every site."""

from datetime import date

import pytest

from stressweb.checkpoints.events import monday_of, shows, shows_agenda
from stressweb.core.entity import Entity
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.walking.walker import Walker
from tests.support.walks import SEEDS, TASKS, goal, grade, walker, world

pytestmark = pytest.mark.sample(20, "file")

CALENDAR = [name for name, task in TASKS.items() if task.site == "calendar"]
LOOKS = ["calendar/week-view", "calendar/month-view", "calendar/day-view", "calendar/agenda-of-a-category"]


def recolour_another(walked: Walker, task_goal: Goal) -> None:
    """Recolour an event that the goal does not mention."""
    site = world("calendar", task_goal.world_seed)
    named = [row for row in site.entities["Event"] if row.id not in str(task_goal.params)]
    spare = next(row for row in named if row.category not in str(task_goal.params))
    walked.get(f"/event/{spare.id}")
    colour = next(key for key in ("colour_red", "colour_teal") if key != spare.colour)
    walked.do(Step(verb="choose", target=site.labels["colour"], value=site.labels[colour]))
    walked.do(Step(verb="press", target=site.labels["save_colour"]))


@pytest.mark.parametrize("task", CALENDAR)
def test_doing_more_than_asked_is_harm(task: str) -> None:
    task_goal = goal(task, 0)
    walked = walker(task_goal).walk(task_goal.ways[0])
    recolour_another(walked, task_goal)
    got = grade(walked.run(task_goal), task_goal)
    assert got.harms
    assert all(name.startswith("changed appointment") for name in got.harms), got.harms
    assert not got.success


@pytest.mark.parametrize("task", LOOKS)
def test_a_look_ends_on_the_page_of_the_event(task: str) -> None:
    """Opening another event last fails; so does going to the event without the view."""
    task_goal = goal(task, 0)
    done = walker(task_goal).walk(task_goal.ways[0])
    another_event = next(row for row in world("calendar", 0).entities["Event"] if row.id != task_goal.event.id)
    done.get(f"/event/{another_event.id}")
    later_grade = grade(done.run(task_goal), task_goal)
    direct = walker(task_goal)
    direct.get(f"/event/{task_goal.event.id}")
    straight = grade(direct.run(task_goal), task_goal)
    for got, missed in ((later_grade, "left its page open"), (straight, next(iter(later_grade.passed)))):
        assert [name for name, passed in got.passed.items() if not passed] == [missed]
        assert not got.success


@pytest.mark.parametrize("seed", SEEDS)
def test_goals_name_every_value_that_is_entered(seed: int) -> None:
    for task in CALENDAR:
        task_goal = goal(task, seed)
        names = {day.id: (day.name, day.weekday) for day in world("calendar", seed).entities["Day"]}
        for step in task_goal.ways[0]:
            if step.value is not None and not step.optional:
                accepted = names.get(step.value, (step.value,))
                assert any(word in task_goal.text for word in accepted), (task, step)


@pytest.mark.parametrize(
    ("url", "monday"),
    [
        ("http://www.opendiary.net/week/2025-03-05?category=work", "2025-03-03"),
        ("/week/2025-03-03", "2025-03-03"),
        ("/week/2025-03-09", "2025-03-03"),
        ("/day/2025-03-05", ""),
        ("/week/2025-02-30", ""),
        ("/week/soon", ""),
        ("/", ""),
    ],
)
def test_which_week_a_url_shows(url: str, monday: str) -> None:
    assert monday_of(url) == monday
    assert not monday or date.fromisoformat(monday).weekday() == 0


def test_which_view_is_limited_to_a_category() -> None:
    category = world("calendar", 0).entities["Category"][0]
    today = Entity(id="2025-03-03")
    limited = shows_agenda(today, category)
    assert limited(f"http://www.opendiary.net/agenda?from=2025-03-03&category={category.id}")
    assert limited(f"/agenda?category={category.id}")
    wrong = ("/agenda?from=2025-03-03", "/agenda?category=x", f"/day?category={category.id}", "")
    assert not any(map(limited, (*wrong, f"/agenda?from=2025-03-04&category={category.id}")))
    assert shows("/agenda")("/agenda?from=2025-03-03")
