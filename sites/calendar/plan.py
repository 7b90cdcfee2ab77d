"""Generates a world's events: recurring courses, single events around them, and a few overlaps."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.sites.calendar.spans import QUARTER
from stressweb.sites.kit import Drawing
from stressweb.sites.kit.wording import dates

FIRST, LAST = -61, 121
"""First and last day with events, in days from the start of the world's time."""
NOTES = (
    "Bring the folder with the papers.", "Ask for the spare key.", "Be there ten minutes early.", "Take an umbrella.",
    "No parking nearby, take the tram.", "Confirm by phone the day before.", "Bring something to eat.",
)  # fmt: skip

_COURSES = ((7, 12), (14, 12))
"""Days between lessons, and maximum number of lessons, of a category's two courses."""
_LEAST = 8
"""Minimum number of lessons of a course; lessons that do not fit are omitted."""
_SINGLES = 15
"""Number of single events of a category."""
_BUSY = (1, 2, 3)
"""Days from today with at least one event in the morning and one in the afternoon."""
_FULL = 3
"""Maximum number of events on a day."""
_CLASHES = ((4, 10), (11, 24), (25, 40), (41, 70), (71, 110), (-30, -3))
"""Ranges of days from today with one overlap each."""
_LATEST = "20:00"
# An hour is listed twice, so that it is the most common length.
_LENGTHS = (30, 45, 60, 60, 90, 120)
_LONG = (60, 75, 90)
"""Lengths in minutes of events during which another one begins."""
_NOTED = 0.3
"""Share of events with a note."""
_ATTEMPTS = 120

type Values = dict[str, Any]


class Agenda:
    """The events planned so far, by day."""

    def __init__(self) -> None:
        """Begin without events."""
        self.days: defaultdict[str, list[Values]] = defaultdict(list)

    def add(self, row: Values) -> None:
        """Add an event."""
        self.days[row["day"]].append(row)

    def clashing(self, row: Values) -> list[Values]:
        """Return the planned events that overlap with an event."""
        # Times are texts of equal length, so they can be compared as text. An event that ends when another begins does
        # not overlap with it.
        return [other for other in self.days[row["day"]] if other["start"] < row["end"] and row["start"] < other["end"]]

    def takes(self, row: Values, room: int = 1) -> bool:
        """Return whether an event overlaps with no other, and its day has room for `room` events."""
        return len(self.days[row["day"]]) <= _FULL - room and not self.clashing(row)

    @property
    def rows(self) -> list[Values]:
        """All planned events, in chronological order."""
        return sorted((row for day in self.days.values() for row in day), key=lambda row: (row["day"], row["start"]))


def schedule(drawing: Drawing) -> list[Values]:
    """Return the events of all categories, in chronological order."""
    plan = Agenda()
    # Use each person once: a search for the name then finds exactly one event, and titles and keys are unique.
    people = drawing.shuffled(first_names(drawing), "people")
    for category in drawing.made["Category"]:
        # Begin with courses, which are hardest to place: they need the same hour in many weeks.
        for number, series in enumerate(drawing.shuffled(category.series, category.id)[: len(_COURSES)]):
            for row in _course(drawing, category, series, number, plan):
                plan.add(row)
    for days_ahead in _BUSY:
        for hours in ((8, 12), (12, 20)):
            for row in _events_in_hours(drawing, days_ahead, hours, people, plan):
                plan.add(row)
    for number, span in enumerate(_CLASHES):
        category = drawing.pick(drawing.made["Category"], "clash", number)
        # The number is 0 or negative, because it is part of the draw's key, and the category's other single events
        # are numbered from 1.
        host = _single(drawing, category, -number, people.pop(), plan, span, _LONG, room=2)
        plan.add(host)
        plan.add(_clash(drawing, number, people.pop(), host, plan))
    for category in drawing.made["Category"]:
        for number in range(1, _SINGLES + 1):
            plan.add(_single(drawing, category, number, people.pop(), plan))
    return plan.rows


def first_names(drawing: Drawing) -> list[str]:
    """Return the first names of the people of the world without repeats: more than the 108 in events."""
    return list(dict.fromkeys(person.first for person in drawing.made["Person"]))


def at(drawing: Drawing, days_ahead: int) -> date:
    """Return the day `days_ahead` days after the start of the world's time."""
    return drawing.start.date() + timedelta(days=days_ahead)


def row(drawing: Drawing, category: Entity, title: str, days_ahead: int, begin: int, length: int) -> Values:
    """Return an event of a category; `begin` (from midnight) and `length` are in minutes."""
    start, end = (f"{minutes // 60:02d}:{minutes % 60:02d}" for minutes in (begin, begin + length))
    noted = drawing.unit("noted", title) < _NOTED
    return {
        "title": title,
        "day": at(drawing, days_ahead).isoformat(),
        "start": start,
        "end": end,
        "category": category.id,
        "colour": category.colour,
        "place": drawing.pick(category.places, "place", title),
        "notes": drawing.pick(NOTES, "notes", title) if noted else "",
    }


def _begin(drawing: Drawing, hours: Sequence[int], length: int, *key: Any) -> int:
    low, high = hours
    # Events begin at quarters of an hour, which are the rows of the grid.
    slots = (high * 60 - low * 60 - length) // QUARTER + 1
    return int(low * 60 + int(drawing.unit(*key, "begin") * slots) * QUARTER)


def _course(drawing: Drawing, category: Entity, series: Values, number: int, plan: Agenda) -> list[Values]:
    """Return the lessons of a course, on the same weekday at the same time and place, in free slots."""
    every, most = _COURSES[number]
    name, topics = series["name"], drawing.shuffled(series["topics"], "topics", category.id, number)
    free_slots: list[Values] = []
    for attempt in range(_ATTEMPTS):
        key = ("course", category.id, number, attempt)
        length = drawing.pick((45, 60, 90), *key, "length")
        begin = _begin(drawing, category.hours, length, *key)
        weekday = drawing.pick(category.weekdays, *key, "weekday")
        # Begin on this weekday, on or after the first day.
        first = FIRST + (weekday - at(drawing, FIRST).weekday()) % 7
        first += every * int(drawing.unit(*key, "first") * max(1, (LAST - first) // every - most))
        slots = [
            row(drawing, category, name, days_ahead, begin, length) for days_ahead in range(first, LAST + 1, every)
        ]
        # Leave room for a single event on each day.
        free_slots = [slot for slot in slots if plan.takes(slot, room=2)][:most]
        if len(free_slots) >= _LEAST:
            break
    else:
        raise _full(name)
    # A course has a place and no notes, so its lessons differ only in topic and day.
    place = drawing.pick([place for place in category.places if place], "course", category.id, number, "place")
    lessons = zip(free_slots, topics, strict=False)
    return [{**lesson, "title": f"{name}: {topic}", "place": place, "notes": ""} for lesson, topic in lessons]


def _single(
    drawing: Drawing,
    category: Entity,
    number: int,
    person: str,
    plan: Agenda,
    days: tuple[int, int] = (FIRST, LAST),
    lengths: Sequence[int] = _LENGTHS,
    room: int = 1,
) -> Values:
    """Return an event with a person who is in no other event, in a free slot."""
    title = drawing.pick(category.singles, "single", category.id, number).format(name=person)
    low, high = days
    for attempt in range(_ATTEMPTS):
        key = ("single", category.id, number, attempt)
        days_ahead = low + int(drawing.unit(*key, "day") * (high - low + 1))
        length = drawing.pick(lengths, *key, "length")
        event = row(drawing, category, title, days_ahead, _begin(drawing, category.hours, length, *key), length)
        # After half of the attempts, allow any weekday: those of the category may be full.
        usual = at(drawing, days_ahead).weekday() in category.weekdays or attempt > _ATTEMPTS // 2
        if usual and plan.takes(event, room):
            return event
    raise _full(title)


def _events_in_hours(
    drawing: Drawing, days_ahead: int, hours: tuple[int, int], people: list[str], plan: Agenda
) -> Iterator[Values]:
    """Yield an event in these hours of a day, unless one begins in them already."""
    planned = plan.days[at(drawing, days_ahead).isoformat()]
    low, high = (f"{hour:02d}:00" for hour in hours)
    if any(low <= other["start"] < high for other in planned):
        return
    # Use only categories with at least an hour in this part of the day, so that 45 minutes fit.
    categories = [category for category in drawing.made["Category"] if category.hours[0] < hours[1] - 1]
    person = people.pop()
    for attempt in range(_ATTEMPTS):
        key = ("filled", days_ahead, hours[0], attempt)
        category = drawing.pick(categories, *key, "category")
        title = drawing.pick(category.singles, *key, "title").format(name=person)
        common_hours = (max(hours[0], category.hours[0]), min(hours[1], category.hours[1]))
        event = row(drawing, category, title, days_ahead, _begin(drawing, common_hours, 45, *key), 45)
        # Check only for overlaps: `takes` would be too strict, because these days are filled on purpose.
        if not plan.clashing(event):
            yield event
            return
    raise _full(f"day {days_ahead}")


def _clash(drawing: Drawing, number: int, person: str, host: Values, plan: Agenda) -> Values:
    """Return an event of another category that overlaps only with `host`, and begins during it."""
    others = [category for category in drawing.made["Category"] if category.id != host["category"]]
    days_ahead = (date.fromisoformat(host["day"]) - drawing.start.date()).days
    for attempt in range(_ATTEMPTS):
        key = ("clash", number, attempt)
        category = drawing.pick(others, *key, "category")
        title = drawing.pick(category.singles, *key, "title").format(name=person)
        begin = dates.minutes(host["start"]) + drawing.pick((15, 15, 30), *key, "later")
        event = row(drawing, category, title, days_ahead, begin, drawing.pick((30, 45, 60, 90), *key, "length"))
        # Only with its host, because goals are about exactly two overlapping events. The latest end leaves the evening
        # free for events that tasks add.
        if plan.clashing(event) == [host] and event["end"] <= _LATEST:
            return event
    raise _full(f"an overlap with {host['title']}")


def _full(wanted: str) -> UserError:
    # Fail rather than put an event in the wrong place, which could silently make goals ambiguous.
    return UserError(f"the calendar has no time for {wanted} in {_ATTEMPTS} draws")
