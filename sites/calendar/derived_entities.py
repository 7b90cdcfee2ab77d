"""Entities that goals refer to but no table holds: events and days relative to today, overlaps, and new events."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from stressweb.sites.calendar.plan import FIRST, LAST, NOTES, Values, at, row
from stressweb.sites.calendar.spans import overlaps
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.mixins.people.logic import strangers
from stressweb.sites.kit.wording import dates

_ODD_TIMES = (390, 405, 420, 1215, 1230, 1260)
"""Minutes from midnight at which new events begin: earlier or later than all planned events."""


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
        yield {**event, **_in_words(drawing, event), **position}


def _in_words(drawing: Drawing, event: Mapping[str, Any]) -> Values:
    day = date.fromisoformat(event["day"])
    names = {category.id: category.name for category in drawing.made["Category"]}
    return {
        "category_name": names[event["category"]],
        "said": dates.say(drawing.look.dates, day),
        "weekday": dates.WEEKDAYS[day.weekday()],
        "ahead": (day - drawing.start.date()).days,
    }


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
            "weekday": dates.WEEKDAYS[day.weekday()],
            "month": day.isoformat()[:7],
            "ahead": days_ahead,
            # Weeks begin on Monday, as in the calendar: next week may begin tomorrow.
            "weeks": (days_ahead + today.weekday()) // 7,
            "months": (day.year - today.year) * 12 + day.month - today.month,
            "events": planned[day.isoformat()],
            "clashes": clashing[day.isoformat()],
        }


def clashes(drawing: Drawing) -> Iterator[Values]:
    """Yield every pair of overlapping events, the earlier one first."""
    for first, second in overlaps(drawing.made["Event"]):
        # Only events on the same day overlap.
        days_ahead = (date.fromisoformat(first.day) - drawing.start.date()).days
        yield {
            "id": f"{first.id}/{second.id}",
            "day": first.day,
            "ahead": days_ahead,
            "first": first.id,
            "second": second.id,
        }


def venues(drawing: Drawing) -> Iterator[Values]:
    """Yield every place with its number of events, in total and from today on."""
    today = drawing.start.date().isoformat()
    events = Counter(event.place for event in drawing.made["Event"])
    upcoming = Counter(event.place for event in drawing.made["Event"] if event.day >= today)
    # Sort, because the order of a set of texts differs between processes.
    for place in sorted(events.keys() - {""}):
        yield {"id": place, "events": events[place], "upcoming": upcoming[place]}


def newcomers(drawing: Drawing) -> Iterator[Values]:
    """Yield new events for goals to add, with people who appear in no event, at times when nothing else is planned."""
    # A title may contain a name as "Sam's", which must also count as taken.
    used_words = " ".join(event.title for event in drawing.made["Event"]).replace("'", " ").split()
    people = [person["first"] for person in strangers(drawing) if person["first"] not in used_words]
    for number, category in enumerate([*drawing.made["Category"]] * 2):
        key = ("newcomer", number)
        title = drawing.pick(category.singles, *key).format(name=people.pop())
        days_ahead = 3 + int(drawing.unit(*key, "day") * 42)
        event = row(drawing, category, title, days_ahead, drawing.pick(_ODD_TIMES, *key, "begin"), 45)
        place = drawing.pick([place for place in category.places if place], *key, "place")
        note = drawing.pick(NOTES, *key, "notes")
        yield {"id": slug(title), **event, "place": place, "notes": note, **_in_words(drawing, event)}
