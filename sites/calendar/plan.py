"""Generates a world's events: recurring courses, single events around them, and a few overlaps."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.sites.calendar.hours import Phrase, series, singles, table
from stressweb.sites.kit import Drawing
from stressweb.sites.kit.wording import dates

FIRST, LAST = -61, 121
"""First and last day with events, in days from the start of the world's time."""

_COURSES = ((7, 12), (14, 12))
"""Days between lessons, and maximum number of lessons, of a category's two courses."""
_LEAST = 8
"""Minimum number of lessons of a course; lessons that do not fit are omitted."""
_SINGLES = 15
"""Number of single events of a category."""
_BUSY = (1, 2, 3)
"""Days from today with at least one event before noon and one after it."""
_FULL = 3
"""Maximum number of events on a day."""
_CLASHES = ((4, 10), (11, 24), (25, 40), (41, 70), (71, 110), (-30, -3))
"""Ranges of days from today with one overlap each."""
_LONG = 60
"""Minimum length in minutes of events during which another one begins."""
_NOTED = 0.3
"""Share of events with a note."""
_ATTEMPTS = 400
_PAIRS = 20
"""Number of attempts to find an event for an overlap, each with another event that begins during it."""

type Values = dict[str, Any]


class Agenda:
    """The events planned so far, by day."""

    def __init__(self) -> None:
        """Begin without events."""
        self.days: defaultdict[str, list[Values]] = defaultdict(list)
        self._titles = set[str]()
        self.kept_free: list[Values] = []
        """Times to which events may be moved by a goal, in which nothing is planned."""

    def add(self, row: Values) -> None:
        """Add an event."""
        self.days[row["day"]].append(row)
        self._titles.add(row["title"])

    def clashing(self, row: Values) -> list[Values]:
        """Return the planned events that overlap with an event."""
        return [other for other in self.days[row["day"]] if _overlap(row, other)]

    def takes(self, row: Values, room: int = 1) -> bool:
        """Return whether an event is new, overlaps with no other, and its day has room for `room` events."""
        kept_free = any(row["day"] == other["day"] and _overlap(row, other) for other in self.kept_free)
        has_room = len(self.days[row["day"]]) <= _FULL - room and not kept_free
        return has_room and self.is_new(row) and not self.clashing(row)

    def is_new(self, row: Values) -> bool:
        """Return whether no event has this title yet."""
        return row["title"] not in self._titles

    @property
    def rows(self) -> list[Values]:
        """All planned events, in chronological order."""
        return sorted((row for day in self.days.values() for row in day), key=lambda row: (row["day"], row["start"]))


def schedule(drawing: Drawing) -> list[Values]:
    """Return the events of all categories, in chronological order."""
    plan = Agenda()
    # Use each person once: a search for the name then finds exactly one event. Titles and keys are unique.
    people = drawing.shuffled(first_names(drawing), "people")
    for category in drawing.made["Category"]:
        # Begin with courses, which are hardest to place: they need the same hour in many weeks.
        for number, phrase in enumerate(drawing.shuffled(series(category), category.id)[: len(_COURSES)]):
            for row in _course(drawing, category, phrase, number, plan):
                plan.add(row)
    for row in _events_of_busy_days(drawing, people, plan):
        plan.add(row)
    for number, span in enumerate(_CLASHES):
        for row in _clash(drawing, number, (people.pop(), people.pop()), plan, span):
            plan.add(row)
    for category in drawing.made["Category"]:
        for number in range(1, _SINGLES + 1):
            plan.add(_single(drawing, [category], people.pop(), plan, (FIRST, LAST), category.id, number))
    return plan.rows


def first_names(drawing: Drawing) -> list[str]:
    """Return the first names of the people of the world without repeats: more than the 108 in events."""
    return list(dict.fromkeys(person.first for person in drawing.made["Person"]))


def at(drawing: Drawing, days_ahead: int) -> date:
    """Return the day `days_ahead` days after the start of the world's time."""
    return drawing.start.date() + timedelta(days=days_ahead)


def row(
    drawing: Drawing, category: Entity, phrase: Phrase, person: str, days_ahead: int, begin: int, length: int
) -> Values:
    """Return an event of a category; `begin` (from midnight) and `length` are in minutes."""
    title = phrase.title.format(name=person)
    noted = drawing.unit("noted", title) < _NOTED
    return {
        "title": title,
        "day": at(drawing, days_ahead).isoformat(),
        **span(begin, length),
        "category": category.id,
        "colour": category.colour,
        "place": drawing.pick(phrase.places, "place", title),
        "notes": drawing.pick(phrase.times.notes, "notes", title) if noted else "",
        "hours": phrase.hours,
        "is_lesson": 0,
    }


def span(begin: int, length: int) -> Values:
    """Return start and end of an event; `begin` (from midnight) and `length` are in minutes."""
    start, end = (f"{minutes // 60:02d}:{minutes % 60:02d}" for minutes in (begin, begin + length))
    return {"start": start, "end": end}


def free_spans(event: Mapping[str, Any], planned: Iterable[Mapping[str, Any]]) -> Iterator[Values]:
    """Yield the times of an event's day at which it could also be, in chronological order.

    They fit its kind, are as long as the event, and are free of the events in `planned`, the event itself included.
    """
    length = dates.minutes(event["end"]) - dates.minutes(event["start"])
    others = [other for other in planned if other["day"] == event["day"]]
    for begin in table()[event["hours"]].begins:
        times = span(begin, length)
        if not any(_overlap(times, other) for other in others):
            yield times


def _overlap(first: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two events of a day overlap; one that ends when the other begins does not."""
    # Times are texts of equal length, so they can be compared as text.
    return bool(first["start"] < other["end"] and other["start"] < first["end"])


def _course(drawing: Drawing, category: Entity, phrase: Phrase, number: int, plan: Agenda) -> list[Values]:
    """Return the lessons of a course, named alike, on the same weekday at the same time and place, in free slots."""
    every, most = _COURSES[number]
    hours, topics = phrase.times, drawing.shuffled(phrase.topics, "topics", category.id, number)
    free_slots: list[Values] = []
    for attempt in range(_ATTEMPTS):
        key = ("course", category.id, number, attempt)
        length, begin = drawing.pick(hours.lengths, *key, "length"), drawing.pick(hours.begins, *key, "begin")
        weekday = drawing.pick(sorted(hours.weekdays), *key, "weekday")
        # Begin on this weekday, on or after the first day.
        first = FIRST + (weekday - at(drawing, FIRST).weekday()) % 7
        first += every * int(drawing.unit(*key, "first") * max(1, (LAST - first) // every - most))
        slots = [
            row(drawing, category, phrase, "", days_ahead, begin, length)
            for days_ahead in range(first, LAST + 1, every)
        ]
        # Leave room for a single event on each day.
        free_slots = [slot for slot in slots if plan.takes(slot, room=2)][:most]
        if len(free_slots) >= _LEAST:
            break
    else:
        raise _full(phrase.title)
    # A course has a place and no notes, so its lessons differ only in title and day.
    place = drawing.pick(phrase.places, "course", category.id, number, "place")
    shape = drawing.pick(phrase.shapes, "course", category.id, number, "shape")
    columns = {"place": place, "notes": "", "is_lesson": 1}
    return [
        {**slot, **columns, "title": phrase.lesson(shape, topic, nth, len(free_slots))}
        for nth, (slot, topic) in enumerate(zip(free_slots, topics, strict=False), 1)
    ]


def _single(
    drawing: Drawing,
    categories: Sequence[Entity],
    person: str,
    plan: Agenda,
    days: tuple[int, int],
    *about: Any,
    least: int = 0,
    room: int = 1,
) -> Values:
    """Return an event in a free slot, of `least` minutes or more. If it has a person, no other event has the same."""
    low, high = days
    phrases = {category.id: singles(category) for category in categories}
    for attempt in range(_ATTEMPTS):
        key = ("single", *about, attempt)
        category = drawing.pick(categories, *key, "category")
        phrase = drawing.pick(phrases[category.id], *key, "phrase")
        hours = phrase.times
        days_ahead = [ahead for ahead in range(low, high + 1) if phrase.suits(at(drawing, ahead))]
        lengths = [length for length in hours.lengths if length >= least]
        if days_ahead and lengths:
            begin, length = drawing.pick(hours.begins, *key, "begin"), drawing.pick(lengths, *key, "length")
            event = row(drawing, category, phrase, person, drawing.pick(days_ahead, *key, "day"), begin, length)
            if plan.takes(event, room):
                return event
    raise _full(f"{about}")


def _events_of_busy_days(drawing: Drawing, people: list[str], plan: Agenda) -> Iterator[Values]:
    """Yield an event for each half of a busy day in which none begins; the caller adds each before the next."""
    for days_ahead in _BUSY:
        for minutes in (range(12 * 60), range(12 * 60, 24 * 60)):
            yield from _events_in_hours(drawing, days_ahead, minutes, people, plan)


def _events_in_hours(
    drawing: Drawing, days_ahead: int, minutes: range, people: list[str], plan: Agenda
) -> Iterator[Values]:
    """Yield an event that begins in these minutes of a day, unless one begins in them already."""
    planned = plan.days[at(drawing, days_ahead).isoformat()]
    if any(dates.minutes(other["start"]) in minutes for other in planned):
        return
    person = people.pop()
    choices = [
        (category, phrase, begin)
        for category in drawing.made["Category"]
        for phrase in singles(category)
        for begin in phrase.times.begins
        if phrase.suits(at(drawing, days_ahead)) and begin in minutes
    ]
    for attempt in range(_ATTEMPTS):
        category, phrase, begin = drawing.pick(choices, "filled", days_ahead, minutes.start, attempt)
        event = row(drawing, category, phrase, person, days_ahead, begin, min(phrase.times.lengths))
        # Check only for overlaps: `takes` would be too strict, because these days are filled on purpose.
        if plan.is_new(event) and not plan.clashing(event):
            yield event
            return
    raise _full(f"day {days_ahead}")


def _clash(
    drawing: Drawing, number: int, people: tuple[str, str], plan: Agenda, days: tuple[int, int]
) -> tuple[Values, Values]:
    """Return two events of different categories that overlap with each other alone, the one that begins first first.

    The second can also be at another time of its day, which is kept free for it.
    """
    categories = drawing.made["Category"]
    for pair in range(_PAIRS):
        host = _single(drawing, categories, people[0], plan, days, "clash", number, pair, least=_LONG, room=2)
        others = [category for category in categories if category.id != host["category"]]
        for attempt in range(_ATTEMPTS):
            event = _during(drawing, others, people[1], host, "clash", number, pair, attempt)
            # Only with its host, because goals are about exactly two overlapping events.
            if event is None or plan.clashing(event) or not plan.is_new(event):
                continue
            free = next(free_spans(event, [*plan.days[host["day"]], host, event]), None)
            if free:
                plan.kept_free.append({"day": host["day"], **free})
                return host, event
    raise _full(f"overlap {number}")


def _during(drawing: Drawing, categories: Sequence[Entity], person: str, host: Values, *key: Any) -> Values | None:
    """Return an event that begins during another one; nothing if its kind does not begin then."""
    day, category = date.fromisoformat(host["day"]), drawing.pick(categories, *key, "category")
    phrase = drawing.pick(singles(category), *key, "phrase")
    hours = phrase.times
    begin = dates.minutes(host["start"]) + drawing.pick((15, 30), *key, "later")
    if begin not in hours.begins or not phrase.suits(day):
        return None
    days_ahead = (day - drawing.start.date()).days
    return row(drawing, category, phrase, person, days_ahead, begin, drawing.pick(hours.lengths, *key, "length"))


def _full(wanted: str) -> UserError:
    # Fail rather than put an event in the wrong place, which could silently make goals ambiguous.
    return UserError(f"the calendar has no time for {wanted} in {_ATTEMPTS} draws")
