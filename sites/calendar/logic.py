"""Data and actions of the calendar that its spec cannot express: views, checks of events, and batch actions."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any, get_args

from stressweb.core.entity import Entity
from stressweb.sites.calendar import spans
from stressweb.sites.calendar.derived_entities import (
    EMPTY_FORM,
    clashes,
    days,
    new_names,
    new_titles,
    newcomers,
    occasions,
    remarks,
    venues,
)
from stressweb.sites.calendar.plan import schedule
from stressweb.sites.kit import MissingError, RefusedError, Visit
from stressweb.sites.kit.wording import dates

# The spec names functions of this module; those that make the data are defined in other modules.
__all__ = ["clashes", "days", "new_names", "new_titles", "newcomers", "occasions", "remarks", "schedule", "venues"]

_AHEAD = 90
"""Default number of days in the list of events to select from."""
_MOST_REPEATED = 100
"""Most events that a repeated event adds at once."""
_JOIN = {"category": "Category"}
_COLUMNS = ("title", "day", "start", "end", "category", "colour", "place", "notes")


def home(visit: Visit) -> Mapping[str, Any]:
    """Return the view in the settings, at today."""
    setting = _setting(visit)
    return _view(visit, setting.first_view.removeprefix("view_"), visit.today)


def month(visit: Visit) -> Mapping[str, Any]:
    """Return the month of the path."""
    # The path has a month without a day; `_span` refuses invalid months.
    return _view(visit, "month", f"{visit.names['month']}-01")


def week(visit: Visit) -> Mapping[str, Any]:
    """Return the week of the day in the path."""
    return _view(visit, "week", visit.names["day"])


def day(visit: Visit) -> Mapping[str, Any]:
    """Return the day of the path."""
    return _view(visit, "day", visit.names["day"])


def agenda(visit: Visit) -> Mapping[str, Any]:
    """Return an agenda from the day in the query on, by default from today."""
    return _view(visit, "agenda", visit.args.get("from", "") or visit.today)


def go(visit: Visit) -> Mapping[str, Any]:
    """Return the path of the day in the query, in the previous view; an invalid day leads to today."""
    kind = visit.names["view"]
    if kind not in get_args(spans.Kind):
        raise MissingError
    chosen_day = dates.day(visit.args.get("date", "").strip())
    if chosen_day is None:
        visit.session.say(visit.say("error_date"), "danger")
    day = chosen_day or date.fromisoformat(visit.today)
    return {"target": _place(kind, day, _chosen(visit))}


def agenda_feed(visit: Visit) -> Mapping[str, Any]:
    """Return the events of an agenda by day, for the page's script."""
    span = _span(visit, "agenda", visit.args.get("from", "") or visit.today)
    rows = _events(visit, span, _chosen(visit))
    groups = [(day.isoformat(), [row for row in rows if row.day == day.isoformat()]) for day in span.days]
    return {
        "groups": [
            {"name": visit.date(day), "href": f"/day/{day}", "items": [_entry(visit, row) for row in day_rows]}
            for day, day_rows in groups
            if day_rows
        ]
    }


def edit(visit: Visit) -> Mapping[str, Any]:
    """Return the initial values of the form: the event."""
    return {"draft": visit.names["event"]}


def new(visit: Visit) -> Mapping[str, Any]:
    """Return the initial values of the form: an event to copy, or an hour from 09:00 on the day in the query."""
    if original := visit.store.one("Event", visit.args.get("copy", "")):
        return {"draft": original}
    query_day = dates.day(visit.args.get("day", ""))
    blank = dict.fromkeys(_COLUMNS, "")
    day = query_day.isoformat() if query_day else visit.today
    return {"draft": Entity({**blank, "day": day, **EMPTY_FORM})}


def conflicts(visit: Visit) -> Mapping[str, Any]:
    """Return every pair of overlapping events from today on."""
    pairs = _pairs(visit)
    return {
        "pairs": [
            Entity(day=first.day, events=[visit.store.joined(row, _JOIN) for row in (first, other)])
            for first, other in pairs
        ]
    }


def conflict_count(visit: Visit) -> Mapping[str, Any]:
    """Return the number of conflicts."""
    return {"count": len(_pairs(visit))}


def batch(visit: Visit) -> Mapping[str, Any]:
    """Return the events of a category in a range of days, to select from."""
    first = dates.day(visit.args.get("from", "").strip()) or date.fromisoformat(visit.today)
    last = dates.day(visit.args.get("to", "").strip()) or first + timedelta(days=_AHEAD)
    chosen = _chosen(visit)
    rows = visit.store.where("Event", {"category": chosen} if chosen else {})
    in_range = [row for row in _sorted(rows) if first.isoformat() <= row.day <= last.isoformat()]
    return {
        "events": [visit.store.joined(row, _JOIN) for row in in_range],
        "chosen": chosen,
        "from": first.isoformat(),
        "to": last.isoformat(),
    }


def categories(visit: Visit) -> Mapping[str, Any]:
    """Return the categories with the number of their events."""
    events = visit.store.where("Event", {})
    rows = visit.store.where("Category", {})
    return {
        "categories": [Entity({**row, "events": sum(event.category == row.id for event in events)}) for row in rows]
    }


def create_event(visit: Visit) -> Mapping[str, Any]:
    """Add an event on each of its days; keys are made of its title."""
    columns = _event_columns(visit)
    rows = []
    for day in _event_days(visit):
        row = Entity(id=visit.store.free_key("Event", columns), **columns | {"day": day})
        visit.store.put("Event", row)
        rows.append(row)
    if len(rows) > 1:
        visit.session.say(visit.say("did_repeat", {"count": len(rows)}), "success")
    # Warn only about the first event; the page of conflicts lists all overlaps.
    _warn(visit, rows[0].id)
    return {"made": rows[0]}


def save_event(visit: Visit) -> None:
    """Change an event; its key stays the same."""
    key = visit.values["event"].id
    visit.store.change("Event", {"id": key}, _event_columns(visit))
    _warn(visit, key)


def batch_recolour(visit: Visit) -> Mapping[str, Any]:
    """Set the colour of all ticked events."""
    return _each(visit, colour=visit.values["batch_colour"])


def batch_move(visit: Visit) -> Mapping[str, Any]:
    """Move all ticked events to a category; their colours stay the same."""
    return _each(visit, category=visit.values["batch_category"])


def batch_delete(visit: Visit) -> Mapping[str, Any]:
    """Delete all ticked events."""
    rows = _ticked_events(visit)
    for row in rows:
        visit.store.drop("Event", {"id": row.id})
    return {"count": len(rows)}


def _setting(visit: Visit) -> Entity:
    (setting,) = visit.store.where("Setting", {})
    return setting


def _chosen(visit: Visit) -> str:
    """Return the category that filters the view; empty if the query has none, or an unknown one."""
    category = visit.args.get("category", "")
    return category if category and visit.store.one("Category", category) else ""


def _span(visit: Visit, kind: spans.Kind, text: str) -> spans.Span:
    day = dates.day(text)
    if day is None:
        raise MissingError
    return spans.Span.of(kind, day, date.fromisoformat(visit.today), visit.look.dates)


def _sorted(rows: Sequence[Entity]) -> list[Entity]:
    return sorted(rows, key=lambda row: (row.day, row.start, row.end, row.id))


def _events(visit: Visit, span: spans.Span, category: str) -> list[Entity]:
    rows = visit.store.where("Event", {"category": category} if category else {})
    in_span = _sorted([row for row in rows if span.holds(row.day)])
    return [visit.store.joined(row, _JOIN) for row in in_span]


def _place(kind: spans.Kind, day: date, category: str) -> str:
    """Return the path of a day in a view."""
    if kind == "agenda":
        return f"/agenda?from={day}" + (f"&category={category}" if category else "")
    name = day.isoformat()[:7] if kind == "month" else day.isoformat()
    return f"/{kind}/{name}" + (f"?category={category}" if category else "")


def _view(visit: Visit, kind: spans.Kind, text: str) -> Mapping[str, Any]:
    """Return the content of a view, and what its links and forms pass on."""
    span, chosen = _span(visit, kind, text), _chosen(visit)
    return {
        "span": span,
        # A script draws the agenda's events, which it gets from the feed.
        "events": [] if kind == "agenda" else _events(visit, span, chosen),
        "is": {kind: True},
        "current": f"view_{kind}",
        "chosen": chosen,
        "keep": f"?category={chosen}" if chosen else "",
        "also": f"&category={chosen}" if chosen else "",
        "from": span.first.isoformat() if kind == "agenda" else "",
        # A GET form replaces the query of its address, so hidden fields pass it on.
        "place_of_view": _place(kind, span.first, "").partition("?")[0],
        "today": visit.today,
        "this_month": visit.today[:7],
        "setting": _setting(visit),
    }


def _entry(visit: Visit, row: Entity) -> Mapping[str, Any]:
    """Return an event for the agenda's script."""
    parts = [
        {"prop": "startDate", "text": row.start, "value": f"{row.day}T{row.start}"},
        {"prop": "endDate", "text": row.end, "value": f"{row.day}T{row.end}", "style": "kit-until"},
        {"prop": "name", "text": row.title, "href": f"/event/{row.id}", "style": "kit-name"},
        {"prop": "about", "text": row.category.name, "style": f"badge kit-tag {row.colour}"},
        {"prop": "location", "text": row.place, "style": "text-body-secondary"},
    ]
    style = f"kit-entry {visit.look.own.chip} {row.colour}"
    return {"type": "Event", "style": style, "parts": [part for part in parts if part["text"]]}


def _pairs(visit: Visit) -> list[tuple[Entity, Entity]]:
    rows = visit.store.where("Event", {})
    return spans.overlaps(row for row in rows if row.day >= visit.today)


def _event_columns(visit: Visit) -> dict[str, Any]:
    """Return the columns of an event from its form; raises RefusedError if it does not end after its start."""
    columns = {column: visit.values[column] for column in _COLUMNS}
    # Times can be compared as text, because the form accepts only hours with two digits.
    if columns["end"] <= columns["start"]:
        raise RefusedError("error_end", "end")
    category = visit.store.one("Category", columns["category"])
    # Copy the colour, because an event keeps it when it moves to another category.
    return {**columns, "colour": columns["colour"] or (category.colour if category else "")}


def _event_days(visit: Visit) -> list[str]:
    """Return the days of a new event; raises RefusedError if its last day is missing or too early, or for too many."""
    step, first, last = visit.values["repeat"], visit.values["day"], visit.values["until"]
    if step == "repeat_never":
        return [first]
    if last < first:
        raise RefusedError("error_until", "until")
    every_day = spans.repeated(step.removeprefix("repeat_"), date.fromisoformat(first), date.fromisoformat(last))
    # Stop after one day too many, because an event could repeat until a far year.
    days = [*islice(every_day, _MOST_REPEATED + 1)]
    if len(days) > _MOST_REPEATED:
        raise RefusedError("error_often", "until")
    return [day.isoformat() for day in days]


def _warn(visit: Visit, key: str) -> None:
    """Show a warning for each event that overlaps with this one."""
    # Warn instead of refusing: people do plan two things at once, and tasks are about that.
    for pair in spans.overlaps(visit.store.where("Event", {})):
        if key in (pair[0].id, pair[1].id):
            other = pair[1] if pair[0].id == key else pair[0]
            visit.session.say(visit.say("warn_overlap", {"other": other}), "warning")


def _ticked_events(visit: Visit) -> list[Entity]:
    rows: list[Entity] = visit.values["events"]
    if not rows:
        raise RefusedError("error_none")
    return rows


def _each(visit: Visit, **values: Any) -> Mapping[str, Any]:
    rows = _ticked_events(visit)
    for row in rows:
        visit.store.change("Event", {"id": row.id}, values)
    return {"count": len(rows)}
