"""Logic of the calendar: views, constraints of an event, overlaps, batches of events, categories and settings."""

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from stressweb.plugins.query import State
from stressweb.plugins.steps import Step
from stressweb.sites.calendar import spans as calendar_spans
from stressweb.walking.walker import Walker
from tests.support.crawling import site, visitor

pytestmark = pytest.mark.sample(30, "file")

COLUMNS = ("title", "day", "start", "end", "category", "colour", "place", "notes")


@pytest.fixture
def walker() -> Walker:
    return visitor("calendar", 0)


def do(walker: Walker, *steps: tuple[str, str] | tuple[str, str, str], on: str | None = None) -> None:
    """Do steps, each a verb, a label key or text, and a value."""
    labels = walker.world.labels
    for verb, target, *label_key in steps:
        label = labels.get(label_key[0], label_key[0]) if label_key else None
        walker.do(Step(verb=verb, target=labels.get(target, target), value=label, on=on))


def shown_titles(walker: Walker) -> list[str]:
    """Return the titles of the events on the page, in order."""
    return [item["name"] or "" for item in State(walker.url, walker.html).items("Event")]


def planned(walker: Walker, first: date, last: date, category: str = "") -> list[str]:
    """Return the titles of the events between two days, in the order of time."""
    rows = [
        row
        for row in walker.world.entities["Event"]
        if first.isoformat() <= row.day <= last.isoformat() and category in ("", row.category)
    ]
    return [row.title for row in sorted(rows, key=lambda row: (row.day, row.start, row.end, row.id))]


def today(walker: Walker) -> date:
    return walker.world.start.date()


def spans(seed: int) -> Iterator[tuple[str, calendar_spans.Span]]:
    """Yield a path and its span for every kind of view around a few days of a world."""
    start = site("calendar", seed).start.date()
    for ahead in (-40, 0, 1, 33, 110):
        anchor = start + timedelta(days=ahead)
        for kind, path in (("month", f"/month/{anchor:%Y-%m}"), ("week", f"/week/{anchor}"), ("day", f"/day/{anchor}")):
            yield path, calendar_spans.Span.of(kind, anchor, start, "{day}")  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_a_view_shows_the_events_of_its_days_in_order_and_no_others(seed: int) -> None:
    walker = visitor("calendar", seed)
    category = walker.world.entities["Category"][0].id
    for path, span in spans(seed):
        days = [day for week in span.weeks for day in week] if span.kind == "month" else span.days
        walker.get(path)
        assert shown_titles(walker) == planned(walker, days[0], days[-1]), path
        walker.get(f"{path}?category={category}")
        assert shown_titles(walker) == planned(walker, days[0], days[-1], category), path
        walker.get(f"{path}?category=no-such-thing")
        assert shown_titles(walker) == planned(walker, days[0], days[-1]), path


def test_the_feed_of_the_agenda_is_the_fourteen_days_in_order(walker: Walker) -> None:
    for ahead in (0, 10):
        first = today(walker) + timedelta(days=ahead)
        groups = walker.fetch(f"/agenda.json?from={first}").get_json()["groups"]
        items = [item for group in groups for item in group["items"]]
        names = [part["text"] for shown_item in items for part in shown_item["parts"] if part["prop"] == "name"]
        assert names == planned(walker, first, first + timedelta(days=13))
        assert all(group["items"] for group in groups)
    assert walker.fetch("/agenda.json?from=soon").status_code == 404


def test_views_lead_to_each_other_and_keep_the_category(walker: Walker) -> None:
    category = walker.world.entities["Category"][1]
    do(walker, ("choose", "filter_category", category.name), ("press", "apply"))
    do(walker, ("open", "next_month"))
    first = (today(walker).replace(day=1) + timedelta(days=31)).replace(day=1)
    assert walker.url == f"/month/{first:%Y-%m}?category={category.id}"
    do(walker, ("open", "view_week"), ("open", "next_week"))
    assert walker.url == f"/week/{first - timedelta(days=first.weekday() - 7)}?category={category.id}"
    do(walker, ("open", "view_day"), ("open", "previous_day"), ("open", "view_agenda"))
    assert walker.url.startswith("/agenda?from=")
    assert walker.url.endswith(f"&category={category.id}")
    do(walker, ("open", "today"))
    assert walker.url == f"/agenda?from={today(walker)}&category={category.id}"


@pytest.mark.parametrize("view", ["month", "week", "day", "agenda"])
def test_going_to_a_date_stays_in_the_view(walker: Walker, view: str) -> None:
    far = "2027-11-09"
    do(walker, ("open", f"view_{view}"), ("enter", "go_date", far), ("press", "go"))
    expected = {
        "month": "/month/2027-11",
        "week": f"/week/{far}",
        "day": f"/day/{far}",
        "agenda": f"/agenda?from={far}",
    }
    assert walker.url == expected[view]
    do(walker, ("enter", "go_date", "someday"), ("press", "go"))
    assert walker.world.labels["error_date"] in walker.html
    assert str(today(walker)) in walker.url or view == "month"


@pytest.mark.parametrize(
    "path",
    ["/month/2025-13", "/month/2025", "/week/today", "/day/2025-02-30", "/day/0001-01-01", "/event/none", "/go/year"],
)
def test_a_day_that_is_none_has_no_page(walker: Walker, path: str) -> None:
    assert walker.get(path).status_code == 404


def test_today_is_marked_and_only_today(walker: Walker) -> None:
    for path, span in spans(0):
        walker.get(path)
        marked = walker.page.xpath("//*[@aria-current='date']")
        weeks = span.weeks if span.kind == "month" else [span.days]
        assert len(marked) == any(today(walker) in week for week in weeks), path


def test_a_new_event_is_saved_with_the_colour_of_its_category(walker: Walker) -> None:
    new = walker.world.entities["NewEvent"][0]
    category = next(row for row in walker.world.entities["Category"] if row.id == new.category)
    walker.get(f"/day/{new.day}")
    do(walker, ("open", "new_here"))
    assert walker.page.xpath("//input[@name='day']/@value") == [new.day]
    do(walker, ("enter", "title", new.title), ("enter", "start", new.start), ("enter", "end", new.end))
    do(walker, ("choose", "category", category.name), ("enter", "place", new.place), ("enter", "notes", new.notes))
    do(walker, ("press", "create_event"))
    assert walker.url == f"/event/{new.id}"
    (row,) = walker.changes()["appointment"].added
    assert {column: row[column] for column in COLUMNS} == {**{column: new[column] for column in COLUMNS}}
    item = State(walker.url, walker.html).item("Event", name=new.title)
    assert item is not None
    assert (item["startDate"], item["endDate"]) == (f"{new.day}T{new.start}", f"{new.day}T{new.end}")
    assert (item["location"], item["about"], item["description"]) == (new.place, category.name, new.notes)
    assert item["color"] == walker.world.labels[category.colour]


def test_a_second_event_of_one_title_has_a_page_of_its_own(walker: Walker) -> None:
    taken = walker.world.entities["Event"][0]
    walker.get("/new")
    do(walker, ("enter", "title", taken.title), ("choose", "category", walker.world.entities["Category"][0].name))
    do(walker, ("press", "create_event"))
    assert walker.url == f"/event/{taken.id}-2"


def test_a_repeating_event_is_saved_on_each_of_its_days(walker: Walker) -> None:
    first = today(walker) + timedelta(days=400)
    do(walker, ("open", "new_event"), ("enter", "title", "Choir practice"), ("enter", "day", first.isoformat()))
    do(walker, ("choose", "category", walker.world.entities["Category"][0].name))
    do(walker, ("choose", "repeat", "repeat_week"), ("enter", "repeat_until", str(first + timedelta(days=20))))
    do(walker, ("press", "create_event"))
    added = walker.changes()["appointment"].added
    assert sorted(row["day"] for row in added) == [str(first + timedelta(days=7 * week)) for week in range(3)]
    assert len({row["id"] for row in added}) == 3
    assert {row["title"] for row in added} == {"Choir practice"}
    assert walker.world.labels["did_repeat"].replace("{count}", "3") in walker.html


@pytest.mark.parametrize(
    ("days", "error"), [(-1, "error_until"), (None, "error_until"), (100, "error_often"), (20_000, "error_often")]
)
def test_a_repetition_needs_a_last_day_that_is_not_far(walker: Walker, days: int | None, error: str) -> None:
    first = today(walker) + timedelta(days=400)
    do(walker, ("open", "new_event"), ("enter", "title", "Choir practice"), ("enter", "day", first.isoformat()))
    do(walker, ("choose", "category", walker.world.entities["Category"][0].name))
    do(walker, ("choose", "repeat", "repeat_day"))
    if days is not None:
        do(walker, ("enter", "repeat_until", str(first + timedelta(days=days))))
    do(walker, ("press", "create_event"))
    assert walker.world.labels[error] in walker.html
    assert not walker.changes().get("appointment")


def test_a_duplicate_begins_with_what_the_event_says(walker: Walker) -> None:
    event = walker.world.entities["Event"][3]
    walker.get(f"/event/{event.id}")
    do(walker, ("open", "duplicate_event"), ("press", "create_event"))
    (row,) = walker.changes()["appointment"].added
    assert {name: row[name] for name in COLUMNS} == {name: event[name] for name in COLUMNS}
    assert row["id"] != event.id


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("title", "", "error_required"),
        ("title", "x" * 201, "error_long"),
        ("day", "2025-02-30", "error_date"),
        ("day", "", "error_required"),
        ("start", "25:00", "error_time"),
        ("start", "23:45", "error_end"),
        ("end", "07:00", "error_end"),
        ("end", "soon", "error_time"),
    ],
)
def test_an_event_that_cannot_be_is_refused_at_its_field(walker: Walker, field: str, value: str, error: str) -> None:
    row = next(row for row in walker.world.entities["Event"] if row.start > "09:00")
    walker.get(f"/event/{row.id}/edit")
    do(walker, ("enter", field, value), ("press", "save_event"))
    assert walker.url == f"/event/{row.id}/edit"
    (marked,) = walker.page.xpath("//*[@aria-invalid='true']")
    assert marked.get("name") == ("end" if error == "error_end" else field)
    message = walker.page.get_element_by_id(marked.get("aria-describedby")).text_content()
    assert message == walker.world.labels[error]
    assert walker.page.xpath(f"//input[@name='{field}']/@value") == [value]
    assert set(walker.changes()) <= {"event", "session"}


def test_saving_and_recolouring_change_nothing_else(walker: Walker) -> None:
    row = walker.world.entities["Event"][20]
    walker.get(f"/event/{row.id}")
    other = "colour_teal" if row.colour != "colour_teal" else "colour_red"
    do(walker, ("choose", "colour", other), ("press", "save_colour"))
    ((before, after),) = walker.changes()["appointment"].altered
    assert {**before, "colour": other} == after
    do(walker, ("open", "edit_event"), ("enter", "title", "Something else"), ("press", "save_event"))
    ((before, after),) = walker.changes()["appointment"].altered
    assert {**before, "colour": other, "title": "Something else"} == after
    assert walker.url == f"/event/{row.id}"


def test_an_overlap_is_saved_and_said(walker: Walker) -> None:
    host = next(row for row in walker.world.entities["Occasion"] if not row.clashes and row.ahead > 0)
    other = next(
        row
        for row in walker.world.entities["Occasion"]
        if not row.clashes and not {row.day, row.start, row.end} & {host.day, host.start, host.end}
    )
    walker.get(f"/event/{other.id}/edit")
    do(walker, ("enter", "day", host.day), ("enter", "start", host.start), ("enter", "end", host.end))
    do(walker, ("press", "save_event"))
    assert host.title in walker.page.xpath("string(//*[contains(@class, 'alert-warning')])")
    assert len(walker.changes()["appointment"].altered) == 1


@pytest.mark.parametrize("seed", range(6))
def test_conflicts_are_the_pairs_that_overlap_from_today_on(seed: int) -> None:
    walker = visitor("calendar", seed)
    walker.get("/conflicts")
    titles = {row.id: row.title for row in walker.world.entities["Event"]}
    pairs = [row for row in walker.world.entities["Clash"] if row.ahead >= 0]
    lists = State(walker.url, walker.html).items("ItemList")
    assert [[event["name"] for event in day_list.items("Event")] for day_list in lists] == [
        [titles[pair.first], titles[pair.second]] for pair in pairs
    ]
    assert walker.page.xpath("string(//header//*[contains(@class, 'badge')])") == str(len(pairs))
    late = next(row for row in walker.world.entities["Event"] if row.id == pairs[0].second)
    walker.get(f"/event/{late.id}/edit")
    do(walker, ("enter", "start", pairs[0].start), ("enter", "end", pairs[0].end), ("press", "save_event"))
    assert not walker.page.xpath("//*[contains(@class, 'alert-warning')]")
    walker.get("/conflicts")
    assert len(State(walker.url, walker.html).items("ItemList")) == len(pairs) - 1


def test_deleting_asks_first(walker: Walker) -> None:
    row = walker.world.entities["Event"][30]
    walker.get(f"/event/{row.id}")
    do(walker, ("press", "delete_event"), ("open", "keep_event"))
    assert "appointment" not in walker.changes()
    do(walker, ("press", "delete_event"), ("press", "confirm_delete"))
    assert [gone.id for gone in walker.changes()["appointment"].removed] == [row.id]
    assert walker.url == f"/day/{row.day}"
    assert walker.get(f"/event/{row.id}").status_code == 404


@pytest.mark.parametrize(
    ("button", "choice", "value"),
    [
        ("batch_recolour", "batch_colour", "colour_violet"),
        ("batch_move", "batch_category", ""),
        ("batch_delete", "", ""),
    ],
)
def test_a_batch_changes_what_is_ticked_and_nothing_else(walker: Walker, button: str, choice: str, value: str) -> None:
    category, other = walker.world.entities["Category"][:2]
    do(walker, ("open", "link_batch"), ("choose", "filter_category", category.name), ("press", "show_events"))
    first = today(walker)
    titles = planned(walker, first, first + timedelta(days=90), category.id)
    assert shown_titles(walker) == titles
    listing = walker.url
    wanted = titles[1:6:2]
    do(walker, *(("tick", title) for title in wanted))
    if choice:
        do(walker, ("choose", choice, value or other.name))
    do(walker, ("press", button))
    assert walker.url == listing
    (table,) = set(walker.changes()) - {"event", "session"}
    change = walker.changes()[table]
    if button == "batch_delete":
        assert {row.title for row in change.removed} == set(wanted)
    else:
        column, new = ("colour", value) if value else ("category", other.id)
        assert {before.title for before, _ in change.altered} == set(wanted)
        assert all({**before, column: new} == after for before, after in change.altered)
    (entry,) = [
        json.loads(detail)
        for (detail,) in walker.database.execute("SELECT detail FROM event WHERE kind = ?", (button,))
    ]
    assert len(entry["sent"]["events"]) == len(wanted)


def test_a_batch_of_nothing_is_refused(walker: Walker) -> None:
    do(walker, ("open", "link_batch"), ("press", "batch_delete"))
    assert walker.world.labels["error_none"] in walker.html
    assert set(walker.changes()) <= {"event", "session"}


def test_a_batch_page_is_long_and_takes_its_days_from_the_query(walker: Walker) -> None:
    first, last = today(walker) + timedelta(days=10), today(walker) + timedelta(days=70)
    walker.get(f"/batch?from={first}&to={last}")
    assert shown_titles(walker) == planned(walker, first, last)
    assert len(shown_titles(walker)) >= 40


def test_a_category_recolours_its_events_and_can_be_renamed(walker: Walker) -> None:
    category, other = walker.world.entities["Category"][:2]
    events = [row for row in walker.world.entities["Event"] if row.category == category.id]
    colour = "colour_grey" if category.colour != "colour_grey" else "colour_red"
    do(walker, ("open", "link_categories"))
    do(walker, ("choose", "category_colour", colour), ("press", "save_category_colour"), on=category.name)
    altered = walker.changes()["appointment"].altered
    assert {row.id for row, _ in altered} == {row.id for row in events if row.colour != colour}
    assert all({**before, "colour": colour} == after for before, after in altered)
    do(walker, ("enter", "category_name", other.name.upper()), ("press", "rename_category"), on=category.name)
    assert walker.world.labels["error_unique"] in walker.html
    do(walker, ("enter", "category_name", "Beekeeping"), ("press", "rename_category"), on=category.name)
    ((_, after),) = walker.changes()["category"].altered
    assert (after.id, after.name, after.colour) == (category.id, "Beekeeping", colour)
    do(walker, ("enter", "new_category", "Travel"), ("choose", "new_colour", "colour_teal"), ("press", "add_category"))
    assert walker.changes()["category"].added == ({"id": "travel", "name": "Travel", "colour": "colour_teal"},)


def test_settings_choose_the_first_view_and_number_the_weeks(walker: Walker) -> None:
    numbers = "//*[contains(@class, 'kit-number')]"
    do(walker, ("open", "view_month"))
    assert not walker.page.xpath(f"{numbers}[normalize-space()]")
    do(walker, ("open", "link_settings"), ("choose", "first_view", "view_week"), ("tick", "week_numbers"))
    do(walker, ("press", "save_settings"))
    item = State(walker.url, walker.html).item("Thing", firstView=walker.world.labels["view_week"])
    assert item is not None
    assert item["weekNumbers"] is not None
    walker.get("/")
    monday = today(walker) - timedelta(days=today(walker).weekday())
    assert shown_titles(walker) == planned(walker, monday, monday + timedelta(days=6))
    do(walker, ("open", "view_month"))
    assert len(walker.page.xpath(f"{numbers}[number(.) > 0]")) >= 4


def test_search_reads_title_place_and_notes_in_the_order_of_time(walker: Walker) -> None:
    noted = next(row for row in walker.world.entities["Event"] if row.notes and row.place)
    for words in (noted.title, noted.place, noted.notes):
        do(walker, ("enter", "search_field", words), ("press", "search"))
        assert noted.title in shown_titles(walker)
    place = noted.place
    do(walker, ("enter", "search_field", place), ("press", "search"))
    rows = [row for row in walker.world.entities["Event"] if row.place == place]
    assert shown_titles(walker) == [row.title for row in sorted(rows, key=lambda row: (row.day, row.start))][:24]


@pytest.mark.parametrize("seed", range(20))
def test_the_plan_holds_what_tasks_need(seed: int) -> None:
    world = site("calendar", seed)
    events, days = world.entities["Occasion"], {day.ahead: day for day in world.entities["Day"]}
    assert len({(row.day, row.start) for row in events}) == len({row.title for row in events}) == len(events)
    assert all("08:00" <= row.start < row.end <= "23:00" for row in events)
    assert all(row.start[3:] in ("00", "15", "30", "45") for row in events)
    assert sum(row.ahead < 0 for row in events) > len(events) / 5
    assert min(row.ahead for row in events) < -50
    assert max(row.ahead for row in events) > 100
    ahead = [row.ahead for row in world.entities["Clash"]]
    assert len(ahead) == 6
    assert all(days[day].clashes == 1 and days[day].events <= 3 for day in ahead)
    assert sum(0 < day <= 24 for day in ahead) == 2
    for near in (1, 2, 3):
        starts = [row.start for row in events if row.ahead == near]
        assert min(starts) < "12:00" <= max(starts)
    assert any(not row.place for row in events)
    assert sum(row.events >= 3 for row in world.entities["Venue"]) >= 3
    for new in world.entities["NewEvent"]:
        assert not [row for row in events if row.day == new.day and row.start < new.end and new.start < row.end]
    assert sum(new.weeks == 1 and new.weekday != "Monday" for new in world.entities["NewEvent"]) >= 3
    assert not {row.title for row in world.entities["NewEvent"]} & {row.title for row in events}


EVENING = re.compile(r"evening|night|quiz|dinner|supper|concert|opera|theatre|cinema|drinks|babysit|birthday|housewarm")
TIMES = {
    EVENING: ("17:00", "20:30", range(7)),
    re.compile(r"lunch"): ("12:00", "13:30", range(7)),
    re.compile(r"brunch|breakfast"): ("09:00", "11:30", range(5, 7)),
    re.compile(r"coffee with"): ("14:00", "17:00", range(7)),
    re.compile(r"dentist|check-up|vaccination|blood test|doctor|post a parcel|call with|interview"): (
        "08:00", "16:30", range(5)
    ),
    re.compile(r"wedding"): ("11:00", "16:00", range(4, 6)),
    re.compile(r"hike|bike ride|plant trees|flea market"): ("08:00", "13:00", range(5, 7)),
}  # fmt: skip
"""The earliest and the latest start, and the weekdays, of events whose titles have these words."""


def out_of_hours(title: str, day: str, start: str) -> bool:
    """Return whether people would not hold an event at that time."""
    words = re.sub(r"birthday tea|brunch(?! with)", "", title.lower())
    return any(
        not (first <= start <= last and date.fromisoformat(day).weekday() in weekdays)
        for pattern, (first, last, weekdays) in TIMES.items()
        if pattern.search(words)
    )


@pytest.mark.parametrize("seed", range(30))
def test_events_are_at_hours_at_which_people_hold_them(seed: int) -> None:
    entities = site("calendar", seed).entities
    events = [*entities["Event"], *entities["NewEvent"]]
    assert [(row.title, row.day, row.start) for row in events if out_of_hours(row.title, row.day, row.start)] == []
    assert any(EVENING.search(row.title.lower()) for row in events)
    titles = {row.id: row.title for row in entities["Event"]}
    pairs = entities["Clash"]
    assert [pair for pair in pairs if out_of_hours(titles[pair.second], pair.day, pair.start)] == []


# In the last worlds, later events would take the time if the plan did not keep it free.
@pytest.mark.parametrize("seed", [*range(26), 53, 56, 64, 72])
def test_the_later_of_two_overlapping_events_has_another_free_time(seed: int) -> None:
    entities = site("calendar", seed).entities
    rows = {row.id: row for row in entities["Event"]}
    for pair in entities["Clash"]:
        later = rows[pair.second]
        assert "08:00" <= pair.start != later.start
        assert pair.end != later.end
        assert not [
            row
            for row in rows.values()
            if row.day == pair.day and row.id != later.id and row.start < pair.end and pair.start < row.end
        ]


@pytest.mark.parametrize("seed", range(20))
def test_titles_have_many_shapes_and_none_holds_another(seed: int) -> None:
    world = site("calendar", seed)
    titles = [row.title.casefold() for row in world.entities["Event"]]
    assert not [(title, other) for title in titles for other in titles if title != other and title in other]
    for mark in (": ", " ("):
        assert sum(mark in title for title in titles) < len(titles) / 2
    bare = [title for title in titles if re.fullmatch(r"[\w'!-]+( [\w'!-]+)?", title)]
    assert len(titles) / 12 < len(bare) < len(titles) / 2


@pytest.mark.parametrize("seed", range(4))
def test_notes_fit_the_hours_of_their_event(seed: int) -> None:
    world = site("calendar", seed)
    fitting = {(row.hours, row.text) for row in world.entities["Remark"]}
    noted = [row for row in world.entities["Occasion"] if row.notes]
    assert len(noted) > 20
    assert all((row.hours, row.notes) in fitting for row in noted)


@pytest.mark.parametrize("seed", range(20))
def test_events_are_in_their_seasons(seed: int) -> None:
    months = {
        "Skating": {11, 12, 1, 2},
        "Sledging": {12, 1, 2},
        "Canoeing": {*range(5, 10)},
        "Plant trees": {10, 11, 3, 4},
    }
    rows = [*site("calendar", seed).entities["Event"], *site("calendar", seed).entities["NewEvent"]]
    for row in rows:
        for words, suitable in months.items():
            assert not row.title.startswith(words) or int(row.day[5:7]) in suitable, (row.title, row.day)


@pytest.mark.parametrize("seed", range(4))
def test_a_new_title_is_one_of_the_category_and_the_hours_of_its_event(seed: int) -> None:
    world = site("calendar", seed)
    events = {row.id: row for row in world.entities["Occasion"]}
    taken = {row.title for row in events.values()}
    titles = world.entities["NewTitle"]
    assert len(titles) > 40
    for row in titles:
        event = events[row.event]
        assert row.title not in taken
        assert not out_of_hours(row.title, event.day, event.start), (row.title, event.start)
