"""What counts as done in the calendar, beyond what holds on every site."""

from datetime import date

import pytest

from checkpoints.events import monday_of, shows, shows_agenda
from stressweb.core.entity import Entity
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.walking.walker import Walker
from tests.checkpoints.walks import SEEDS, TASKS, goal, grade, walker, world

pytestmark = pytest.mark.sample(20, "file")

CALENDAR = [name for name, task in TASKS.items() if task.site == "calendar"]
LOOKS = ["calendar/week-view", "calendar/month-view", "calendar/day-view", "calendar/agenda-of-a-category"]


def recolour_another(walked: Walker, made: Goal) -> None:
    """Give an event that the goal does not speak of another colour."""
    site = world("calendar", made.world_seed)
    named = [row for row in site.entities["Event"] if row.id not in str(made.params)]
    spare = next(row for row in named if row.category not in str(made.params))
    walked.get(f"/event/{spare.id}")
    colour = next(key for key in ("colour_red", "colour_teal") if key != spare.colour)
    walked.do(Step(verb="choose", target=site.labels["colour"], value=site.labels[colour]))
    walked.do(Step(verb="press", target=site.labels["save_colour"]))


@pytest.mark.parametrize("task", CALENDAR)
def test_doing_more_than_asked_is_harm(task: str) -> None:
    made = goal(task, 0)
    walked = walker(made).walk(made.ways[0])
    recolour_another(walked, made)
    got = grade(walked.run(made), made)
    assert got.harms
    assert all(name.startswith("changed appointment") for name in got.harms), got.harms
    assert not got.success


@pytest.mark.parametrize("task", LOOKS)
def test_a_look_ends_on_the_page_of_the_event(task: str) -> None:
    """The page of another event, opened last, undoes what was seen before; so does a view that was never open."""
    made = goal(task, 0)
    done = walker(made).walk(made.ways[0])
    other = next(row for row in world("calendar", 0).entities["Event"] if row.id != made.event.id)
    done.get(f"/event/{other.id}")
    away = grade(done.run(made), made)
    direct = walker(made)
    direct.get(f"/event/{made.event.id}")
    straight = grade(direct.run(made), made)
    for got, missed in ((away, "left its page open"), (straight, next(iter(away.passed)))):
        assert [name for name, passed in got.passed.items() if not passed] == [missed]
        assert not got.success


@pytest.mark.parametrize("seed", SEEDS)
def test_goals_name_every_value_that_is_entered(seed: int) -> None:
    for task in CALENDAR:
        made = goal(task, seed)
        names = {day.id: (day.name, day.weekday) for day in world("calendar", seed).entities["Day"]}
        for step in made.ways[0]:
            if step.value is not None and not step.optional:
                said = names.get(step.value, (step.value,))
                assert any(one in made.text for one in said), (task, step)


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
