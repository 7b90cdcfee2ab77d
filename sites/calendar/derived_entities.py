"""Entities that goals refer to but no table holds: events and days relative to today, overlaps, and new events."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.sites.calendar.hours import singles, table
from stressweb.sites.calendar.plan import FIRST, LAST, Values, at, free_spans, row, span
from stressweb.sites.calendar.spans import overlaps
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.mixins.people.logic import strangers
from stressweb.sites.kit.wording import dates

EMPTY_FORM = {"start": "09:00", "end": "10:00"}
"""Times in the form of a new event."""
_SOON = range(3, 45)
"""Days from today of new events."""
_WEEKEND = (5, 6)
_NEWCOMERS = 12
"""Number of people in new events, the last of those who are in no event."""
_ATTEMPTS = 60


def occasions(drawing: Drawing) -> Iterator[Values]:
    """Yield every event with its number on its day, its overlaps, and its distance from today."""
    events = drawing.made["Event"]
    clashing = Counter(event.id for pair in overlaps(events) for event in pair)
    # Count first, because each event needs the total of its day.
    planned = Counter(event.day for event in events)
    before: Counter[str] = Counter()
    for event in events:
        # Events are in chronological order, so this numbers them as on the page.
        before[event.day] += 1
        position = {"nth": before[event.day], "on_day": planned[event.day], "clashes": clashing[event.id]}
        # An event that was added later has no known hours.
        yield {**event, "hours": event.get("hours", ""), **_in_words(drawing, event), **position}


def _in_words(drawing: Drawing, event: Mapping[str, Any]) -> Values:
    day = date.fromisoformat(event["day"])
    names = {category.id: category.name for category in drawing.made["Category"]}
    said = dates.say(drawing.look.dates, day)
    return {"category_name": names[event["category"]], "said": said, **_place_in_time(drawing, day)}


def _place_in_time(drawing: Drawing, day: date) -> Values:
    """Return a day's weekday, and its distance from today in days and weeks."""
    return {
        "weekday": dates.WEEKDAYS[day.weekday()],
        "weekend": int(day.weekday() in _WEEKEND),
        "ahead": (day - drawing.start.date()).days,
        "weeks": _weeks(drawing, day),
    }


def _weeks(drawing: Drawing, day: date) -> int:
    """Return the number of weeks from the current one to that of a day."""
    today = drawing.start.date()
    # Weeks begin on Monday, as in the calendar: next week may begin tomorrow.
    return ((day - today).days + today.weekday()) // 7


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield every day between the first and the last event."""
    today = drawing.start.date()
    planned = Counter(event.day for event in drawing.made["Event"])
    clashing = Counter(first.day for first, _ in overlaps(drawing.made["Event"]))
    for days_ahead in range(FIRST, LAST + 1):
        day = at(drawing, days_ahead)
        yield {
            "id": day.isoformat(),
            "name": dates.say(drawing.look.dates, day),
            "month": day.isoformat()[:7],
            **_place_in_time(drawing, day),
            "months": (day.year - today.year) * 12 + day.month - today.month,
            "events": planned[day.isoformat()],
            "clashes": clashing[day.isoformat()],
        }


def clashes(drawing: Drawing) -> Iterator[Values]:
    """Yield every pair of overlapping events, the earlier one first, with another time for the later one."""
    hours = {event.id: event.get("hours") for event in drawing.made["Event"]}
    for first, second in overlaps(drawing.made["Event"]):
        # Only events on the same day overlap.
        days_ahead = (date.fromisoformat(first.day) - drawing.start.date()).days
        # The plan keeps a time free for each; an event that was added later has no known hours.
        free = free_spans(second, drawing.made["Event"]) if hours[second.id] else iter(())
        yield {
            "id": f"{first.id}/{second.id}",
            "day": first.day,
            "ahead": days_ahead,
            "first": first.id,
            "second": second.id,
            **next(free, {"start": "", "end": ""}),
        }


def venues(drawing: Drawing) -> Iterator[Values]:
    """Yield every place with the category of its first event, and its number of events, in total and from today on."""
    today = drawing.start.date().isoformat()
    events = Counter(event.place for event in drawing.made["Event"])
    upcoming = Counter(event.place for event in drawing.made["Event"] if event.day >= today)
    categories = {event.place: event.category for event in reversed(drawing.made["Event"])}
    # Sort, because the order of a set of texts differs between processes.
    for place in sorted(events.keys() - {""}):
        yield {"id": place, "category": categories[place], "events": events[place], "upcoming": upcoming[place]}


def remarks(_: Drawing) -> Iterator[Values]:
    """Yield what people note for events of each kind of hours."""
    for name, hours in table().items():
        for number, text in enumerate(hours.notes):
            yield {"id": f"{name}-{number}", "hours": name, "text": text}


def new_titles(drawing: Drawing) -> Iterator[Values]:
    """Yield another title for every single event: of its category and its hours, with a person who is in no event."""
    phrases = {
        category.id: [phrase for phrase in singles(category) if phrase.has_person]
        for category in drawing.made["Category"]
    }
    people = _unmet(drawing)[:-_NEWCOMERS]
    for number, event in enumerate(drawing.made["Event"]):
        titles = [phrase.title for phrase in phrases[event.category] if phrase.hours == event.get("hours")]
        if titles and not event.is_lesson:
            title = drawing.pick(titles, "new title", event.id).format(name=people[number % len(people)])
            yield {"id": slug(title), "event": event.id, "title": title}


def new_names(drawing: Drawing) -> Iterator[Values]:
    """Yield other names for every category."""
    for category in drawing.made["Category"]:
        for name in category.names:
            if name != category.name:
                yield {"id": slug(name), "category": category.id, "name": name}


def _unmet(drawing: Drawing) -> list[str]:
    """Return first names of people who are in no event."""
    # A title may contain a name as "Sam's", which must also count as taken.
    used_words = " ".join(event.title for event in drawing.made["Event"]).replace("'", " ").split()
    return [person["first"] for person in strangers(drawing) if person["first"] not in used_words]


def newcomers(drawing: Drawing) -> Iterator[Values]:
    """Yield new events for goals to add, with people who appear in no event, at times when nothing else is planned.

    The second half is in next week, but not on its Monday.
    """
    people = _unmet(drawing)
    categories = drawing.made["Category"]
    tuesday = 8 - drawing.start.weekday()
    for number, category in enumerate([*categories] * 2):
        days_ahead = _SOON if number < len(categories) else range(tuesday, tuesday + 6)
        event = _newcomer(drawing, category, people.pop(), days_ahead, "newcomer", number)
        note = drawing.pick(table()[event["hours"]].notes, "newcomer", number, "notes")
        yield {"id": slug(event["title"]), **event, "notes": note, **_in_words(drawing, event)}


def _newcomer(drawing: Drawing, category: Entity, person: str, days: range, *key: Any) -> Values:
    """Return an event with a place on one of these days, at hours that fit its kind."""
    phrases = [phrase for phrase in singles(category) if phrase.has_person and any(phrase.places)]
    for attempt in range(_ATTEMPTS):
        about = (*key, attempt)
        phrase, days_ahead = drawing.pick(phrases, *about, "phrase"), drawing.pick(days, *about, "day")
        hours = phrase.times
        length, begin = drawing.pick(hours.lengths, *about, "length"), drawing.pick(hours.begins, *about, "begin")
        event = row(drawing, category, phrase, person, days_ahead, begin, length)
        free = span(begin, length) in free_spans(event, drawing.made["Event"])
        # A goal must not ask for times that an empty form already has.
        typed = event["start"] != EMPTY_FORM["start"] and event["end"] != EMPTY_FORM["end"]
        if free and typed and phrase.suits(at(drawing, days_ahead)):
            return {**event, "place": drawing.pick([place for place in phrase.places if place], *about, "place")}
    raise UserError(f"the calendar has no time for a new event of {category.id} in {_ATTEMPTS} draws")
