"""What the calendar's spec cannot say: what views show, what an event must satisfy, what several undergo at once."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any, get_args

from stressweb.core.entity import Entity
from stressweb.sites.calendar import spans
from stressweb.sites.calendar.derived_entities import clashes, days, newcomers, occasions, venues
from stressweb.sites.calendar.plan import schedule
from stressweb.sites.kit import MissingError, RefusedError, Visit
from stressweb.sites.kit.wording import dates

# The spec names functions of this module; those that make the data live in modules of their own.
__all__ = ["clashes", "days", "newcomers", "occasions", "schedule", "venues"]

_AHEAD = 90
"""Days from the first that a list of events to choose from shows if nothing else is asked for."""
_MOST_REPEATED = 100
"""Events that are added at once, at most."""
_JOIN = {"category": "Category"}
_COLUMNS = ("title", "day", "start", "end", "category", "colour", "place", "notes")


def home(visit: Visit) -> Mapping[str, Any]:
    """Return the view that the settings ask for, at today."""
    setting = _setting(visit)
    return _view(visit, setting.first_view.removeprefix("view_"), visit.today)


def month(visit: Visit) -> Mapping[str, Any]:
    """Return the month of the path."""
    # The path holds a month without a day; `_span` refuses the whole if it is none.
    return _view(visit, "month", f"{visit.names['month']}-01")


def week(visit: Visit) -> Mapping[str, Any]:
    """Return the week of the day in the path."""
    return _view(visit, "week", visit.names["day"])


def day(visit: Visit) -> Mapping[str, Any]:
    """Return the day of the path."""
    return _view(visit, "day", visit.names["day"])


def agenda(visit: Visit) -> Mapping[str, Any]:
    """Return the days that the query asks for, from today on if it asks for none."""
    return _view(visit, "agenda", visit.args.get("from", "") or visit.today)


def go(visit: Visit) -> Mapping[str, Any]:
    """Return where a day is in the view that was left; what is no day leads back to today."""
    kind = visit.names["view"]
    if kind not in get_args(spans.Kind):
        raise MissingError
    chosen_day = dates.day(visit.args.get("date", "").strip())
    if chosen_day is None:
        visit.session.say(visit.say("error_date"), "danger")
    day = chosen_day or date.fromisoformat(visit.today)
    return {"target": _place(kind, day, _chosen(visit))}


def agenda_feed(visit: Visit) -> Mapping[str, Any]:
    """Return the events of an agenda by day, as the page's script draws them."""
    span = _span(visit, "agenda", visit.args.get("from", "") or visit.today)
    rows = _events(visit, span, _chosen(visit))
    groups = [(day.isoformat(), [row for row in rows if row.day == day.isoformat()]) for day in span.days]
    return {
        "groups": [
            {"name": visit.date(day), "href": f"/day/{day}", "items": [_entry(visit, row) for row in there]}
            for day, there in groups
            if there
        ]
    }


def edit(visit: Visit) -> Mapping[str, Any]:
    """Return what stands in the form at first: the event."""
    return {"draft": visit.names["event"]}


def new(visit: Visit) -> Mapping[str, Any]:
    """Return what stands in the form at first: the event to copy, or the day that was asked for, an hour at nine."""
    if original := visit.store.one("Event", visit.args.get("copy", "")):
        return {"draft": original}
    day_asked_for = dates.day(visit.args.get("day", ""))
    blank = dict.fromkeys(_COLUMNS, "")
    day = day_asked_for.isoformat() if day_asked_for else visit.today
    return {"draft": Entity({**blank, "day": day, "start": "09:00", "end": "10:00"})}


def conflicts(visit: Visit) -> Mapping[str, Any]:
    """Return every two events that overlap from today on."""
    pairs = _pairs(visit)
    return {
        "pairs": [
            Entity(day=first.day, events=[visit.store.joined(row, _JOIN) for row in (first, other)])
            for first, other in pairs
        ]
    }


def conflict_count(visit: Visit) -> Mapping[str, Any]:
    """Return how many conflicts there are."""
    return {"count": len(_pairs(visit))}


def batch(visit: Visit) -> Mapping[str, Any]:
    """Return the events of a category and a time, to choose from."""
    first = dates.day(visit.args.get("from", "").strip()) or date.fromisoformat(visit.today)
    last = dates.day(visit.args.get("to", "").strip()) or first + timedelta(days=_AHEAD)
    chosen = _chosen(visit)
    rows = visit.store.where("Event", {"category": chosen} if chosen else {})
    in_time = [row for row in _sorted(rows) if first.isoformat() <= row.day <= last.isoformat()]
    return {
        "events": [visit.store.joined(row, _JOIN) for row in in_time],
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
    """Add an event to the calendar, on each day on which it repeats; keys are made of its title."""
    columns = _checked(visit)
    rows = []
    for day in _repeated(visit):
        row = Entity(id=visit.store.free_key("Event", columns), **columns | {"day": day})
        visit.store.put("Event", row)
        rows.append(row)
    if len(rows) > 1:
        visit.session.say(visit.say("did_repeat", {"count": len(rows)}), "success")
    # What the others overlap with is among the conflicts: a page with a warning for each could not be read.
    _warn(visit, rows[0].id)
    return {"made": rows[0]}


def save_event(visit: Visit) -> None:
    """Change an event; its key stays."""
    key = visit.values["event"].id
    visit.store.change("Event", {"id": key}, _checked(visit))
    _warn(visit, key)


def batch_recolour(visit: Visit) -> Mapping[str, Any]:
    """Give all events that are ticked one colour."""
    return _each(visit, colour=visit.values["batch_colour"])


def batch_move(visit: Visit) -> Mapping[str, Any]:
    """Move all events that are ticked to one category; their colours stay."""
    return _each(visit, category=visit.values["batch_category"])


def batch_delete(visit: Visit) -> Mapping[str, Any]:
    """Delete all events that are ticked."""
    rows = _ticked(visit)
    for row in rows:
        visit.store.drop("Event", {"id": row.id})
    return {"count": len(rows)}


def _setting(visit: Visit) -> Entity:
    (setting,) = visit.store.where("Setting", {})
    return setting


def _chosen(visit: Visit) -> str:
    """Return the category that the query limits a view to, if there is such a one."""
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
    """Return where a day is in a view."""
    if kind == "agenda":
        return f"/agenda?from={day}" + (f"&category={category}" if category else "")
    where = day.isoformat()[:7] if kind == "month" else day.isoformat()
    return f"/{kind}/{where}" + (f"?category={category}" if category else "")


def _view(visit: Visit, kind: spans.Kind, text: str) -> Mapping[str, Any]:
    """Return what a view shows, and what its links and forms keep."""
    span, chosen = _span(visit, kind, text), _chosen(visit)
    return {
        "span": span,
        # The agenda's events are drawn by a script, which asks the feed for them.
        "events": [] if kind == "agenda" else _events(visit, span, chosen),
        "is": {kind: True},
        "current": f"view_{kind}",
        "chosen": chosen,
        "keep": f"?category={chosen}" if chosen else "",
        "also": f"&category={chosen}" if chosen else "",
        "from": span.first.isoformat() if kind == "agenda" else "",
        # A form that asks with GET replaces the query of its address, so what must stay goes along as hidden fields.
        "place_of_view": _place(kind, span.first, "").partition("?")[0],
        "today": visit.today,
        "this_month": visit.today[:7],
        "setting": _setting(visit),
    }


def _entry(visit: Visit, row: Entity) -> Mapping[str, Any]:
    """Return an event as the agenda's script draws it."""
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


def _checked(visit: Visit) -> dict[str, Any]:
    """Return the columns of an event from its form; raise RefusedError if it ends before it starts."""
    columns = {column: visit.values[column] for column in _COLUMNS}
    # Compared as text: every time is written with two digits for the hour, or the form was refused.
    if columns["end"] <= columns["start"]:
        raise RefusedError("error_end", "end")
    category = visit.store.one("Category", columns["category"])
    # The colour is copied, not looked up later: an event keeps it when it moves to another category.
    return {**columns, "colour": columns["colour"] or (category.colour if category else "")}


def _repeated(visit: Visit) -> list[str]:
    """Return the days of a new event; raise RefusedError if nothing says until when it repeats, or if they are many."""
    step, first, last = visit.values["repeat"], visit.values["day"], visit.values["until"]
    if step == "repeat_never":
        return [first]
    if last < first:
        raise RefusedError("error_until", "until")
    every_day = spans.repeated(step.removeprefix("repeat_"), date.fromisoformat(first), date.fromisoformat(last))
    # An event that repeats until the year 9999 has millions of days; one too many is enough to refuse it.
    days = [*islice(every_day, _MOST_REPEATED + 1)]
    if len(days) > _MOST_REPEATED:
        raise RefusedError("error_often", "until")
    return [day.isoformat() for day in days]


def _warn(visit: Visit, key: str) -> None:
    """Say what an event overlaps with."""
    # A warning and no refusal: people do plan two things at once, and tasks are about that.
    for pair in spans.overlaps(visit.store.where("Event", {})):
        if key in (pair[0].id, pair[1].id):
            other = pair[1] if pair[0].id == key else pair[0]
            visit.session.say(visit.say("warn_overlap", {"other": other}), "warning")


def _ticked(visit: Visit) -> list[Entity]:
    rows: list[Entity] = visit.values["events"]
    if not rows:
        raise RefusedError("error_none")
    return rows


def _each(visit: Visit, **values: Any) -> Mapping[str, Any]:
    rows = _ticked(visit)
    for row in rows:
        visit.store.change("Event", {"id": row.id}, values)
    return {"count": len(rows)}
