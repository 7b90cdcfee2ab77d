"""How a world's events come about: courses that recur, single events around them, and a few that overlap."""

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
"""The days, counted from the start of the world's time, between which everything lies."""
NOTES = (
    "Bring the folder with the papers.", "Ask for the spare key.", "Be there ten minutes early.", "Take an umbrella.",
    "No parking nearby, take the tram.", "Confirm by phone the day before.", "Bring something to eat.",
)  # fmt: skip

_COURSES = ((7, 12), (14, 12))
"""Days from one lesson to the next and the most lessons of a category's two courses."""
_LEAST = 8
"""Fewest lessons of a course; those that do not fit are left out."""
_SINGLES = 15
"""Single events of a category."""
_BUSY = (1, 2, 3)
"""Days on which something is planned in the morning and something in the afternoon."""
_FULL = 3
"""Events of one day, beyond which no more are planned."""
_CLASHES = ((4, 10), (11, 24), (25, 40), (41, 70), (71, 110), (-30, -3))
"""Between which days something is planned at the time of something else."""
_LATEST = "20:00"
# An hour stands twice, which makes it the commonest length.
_LENGTHS = (30, 45, 60, 60, 90, 120)
_LONG = (60, 75, 90)
"""Minutes of an event during which another one begins."""
_NOTED = 0.3
"""Share of the events that have a note."""
_ATTEMPTS = 120

type Values = dict[str, Any]


class Agenda:
    """What is planned so far, by day."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.days: defaultdict[str, list[Values]] = defaultdict(list)

    def add(self, row: Values) -> None:
        """Plan one more event."""
        self.days[row["day"]].append(row)

    def clashing(self, row: Values) -> list[Values]:
        """Return what is planned at the time of an event."""
        # Times are text of equal length, so they compare as times do. One that ends when another begins does not
        # overlap with it.
        return [other for other in self.days[row["day"]] if other["start"] < row["end"] and row["start"] < other["end"]]

    def takes(self, row: Values, room: int = 1) -> bool:
        """Return whether an event overlaps with nothing and its day has room for so many."""
        return len(self.days[row["day"]]) <= _FULL - room and not self.clashing(row)

    @property
    def rows(self) -> list[Values]:
        """Everything that is planned, in the order of time."""
        return sorted((row for day in self.days.values() for row in day), key=lambda row: (row["day"], row["start"]))


def schedule(drawing: Drawing) -> list[Values]:
    """Return the events of all categories, in the order of time."""
    plan = Agenda()
    # Each person is used once: their name leads a search to exactly one event, and makes its title, and so its key,
    # unique.
    people = drawing.shuffled(first_names(drawing), "people")
    for category in drawing.made["Category"]:
        # What is hardest to place comes first: a course needs the same hour free in many weeks, a single event only
        # one.
        for number, series in enumerate(drawing.shuffled(category.series, category.id)[: len(_COURSES)]):
            for row in _course(drawing, category, series, number, plan):
                plan.add(row)
    for ahead in _BUSY:
        for hours in ((8, 12), (12, 20)):
            for row in _filled(drawing, ahead, hours, people, plan):
                plan.add(row)
    for number, span in enumerate(_CLASHES):
        category = drawing.pick(drawing.made["Category"], "clash", number)
        # Numbered downwards from 0, because draws are keyed by category and number, and the category's own singles
        # count up from 1.
        host = _single(drawing, category, -number, people.pop(), plan, span, _LONG, room=2)
        plan.add(host)
        plan.add(_clash(drawing, number, people.pop(), host, plan))
    for category in drawing.made["Category"]:
        for number in range(1, _SINGLES + 1):
            plan.add(_single(drawing, category, number, people.pop(), plan))
    return plan.rows


def first_names(drawing: Drawing) -> list[str]:
    """Return the first names of the people of the world, each once: more than the 108 that have an event."""
    return list(dict.fromkeys(person.first for person in drawing.made["Person"]))


def at(drawing: Drawing, ahead: int) -> date:
    """Return the day that is so many days from the start of the world's time."""
    return drawing.start.date() + timedelta(days=ahead)


def row(drawing: Drawing, category: Entity, title: str, ahead: int, begin: int, length: int) -> Values:
    """Return an event of a category; begin and length are in minutes."""
    start, end = (f"{minutes // 60:02d}:{minutes % 60:02d}" for minutes in (begin, begin + length))
    noted = drawing.unit("noted", title) < _NOTED
    return {
        "title": title,
        "day": at(drawing, ahead).isoformat(),
        "start": start,
        "end": end,
        "category": category.id,
        "colour": category.colour,
        "place": drawing.pick(category.places, "place", title),
        "notes": drawing.pick(NOTES, "notes", title) if noted else "",
    }


def _begin(drawing: Drawing, hours: Sequence[int], length: int, *key: Any) -> int:
    low, high = hours
    # Everything begins at a quarter of an hour, which is a row of the grid.
    slots = (high * 60 - low * 60 - length) // QUARTER + 1
    return int(low * 60 + int(drawing.unit(*key, "begin") * slots) * QUARTER)


def _course(drawing: Drawing, category: Entity, series: Values, number: int, plan: Agenda) -> list[Values]:
    """Return events that recur on one weekday at one time in one place, at times that are free."""
    every, most = _COURSES[number]
    name, topics = series["name"], drawing.shuffled(series["topics"], "topics", category.id, number)
    free_slots: list[Values] = []
    for attempt in range(_ATTEMPTS):
        key = ("course", category.id, number, attempt)
        length = drawing.pick((45, 60, 90), *key, "length")
        begin = _begin(drawing, category.hours, length, *key)
        weekday = drawing.pick(category.weekdays, *key, "weekday")
        # The first such weekday on or after the first day.
        first = FIRST + (weekday - at(drawing, FIRST).weekday()) % 7
        first += every * int(drawing.unit(*key, "first") * max(1, (LAST - first) // every - most))
        slots = [row(drawing, category, name, ahead, begin, length) for ahead in range(first, LAST + 1, every)]
        # Room for two: a day that a course fills could hold no single event any more.
        free_slots = [slot for slot in slots if plan.takes(slot, room=2)][:most]
        if len(free_slots) >= _LEAST:
            break
    else:
        raise _full(name)
    # A course has a place and no notes, so that its lessons differ in topic and day alone.
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
    """Return one event with somebody who appears nowhere else, at a time that is free."""
    title = drawing.pick(category.singles, "single", category.id, number).format(name=person)
    low, high = days
    for attempt in range(_ATTEMPTS):
        key = ("single", category.id, number, attempt)
        ahead = low + int(drawing.unit(*key, "day") * (high - low + 1))
        length = drawing.pick(lengths, *key, "length")
        event = row(drawing, category, title, ahead, _begin(drawing, category.hours, length, *key), length)
        # After half of the attempts any weekday will do: those of the category may be full.
        usual = at(drawing, ahead).weekday() in category.weekdays or attempt > _ATTEMPTS // 2
        if usual and plan.takes(event, room):
            return event
    raise _full(title)


def _filled(drawing: Drawing, ahead: int, hours: tuple[int, int], people: list[str], plan: Agenda) -> Iterator[Values]:
    """Yield an event for a part of a day in which none begins."""
    there = plan.days[at(drawing, ahead).isoformat()]
    low, high = (f"{hour:02d}:00" for hour in hours)
    if any(low <= other["start"] < high for other in there):
        return
    # A category has to have an hour left in this part of the day, in which 45 minutes fit.
    categories = [category for category in drawing.made["Category"] if category.hours[0] < hours[1] - 1]
    person = people.pop()
    for attempt in range(_ATTEMPTS):
        key = ("filled", ahead, hours[0], attempt)
        category = drawing.pick(categories, *key, "category")
        title = drawing.pick(category.singles, *key, "title").format(name=person)
        within = (max(hours[0], category.hours[0]), min(hours[1], category.hours[1]))
        event = row(drawing, category, title, ahead, _begin(drawing, within, 45, *key), 45)
        # Only the time has to be free: these days are filled on purpose, so `takes` would be too strict.
        if not plan.clashing(event):
            yield event
            return
    raise _full(f"day {ahead}")


def _clash(drawing: Drawing, number: int, person: str, host: Values, plan: Agenda) -> Values:
    """Return an event of another category that begins while `host`, and nothing else, goes on."""
    others = [category for category in drawing.made["Category"] if category.id != host["category"]]
    ahead = (date.fromisoformat(host["day"]) - drawing.start.date()).days
    for attempt in range(_ATTEMPTS):
        key = ("clash", number, attempt)
        category = drawing.pick(others, *key, "category")
        title = drawing.pick(category.singles, *key, "title").format(name=person)
        begin = dates.minutes(host["start"]) + drawing.pick((15, 15, 30), *key, "later")
        event = row(drawing, category, title, ahead, begin, drawing.pick((30, 45, 60, 90), *key, "length"))
        # Overlapping with its host alone, or a goal about two events that overlap would have three. The latest end
        # leaves the evening to events that tasks add.
        if plan.clashing(event) == [host] and event["end"] <= _LATEST:
            return event
    raise _full(f"an overlap with {host['title']}")


def _full(what: str) -> UserError:
    # Rather no world than one with an event in the wrong place: its goals would be ambiguous without a sign of it.
    return UserError(f"the calendar has no time for {what} in {_ATTEMPTS} draws")
