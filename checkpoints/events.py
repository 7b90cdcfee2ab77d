"""What the calendar's checkpoints ask of events and views."""

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from checkpoints.rows import kept, same, touched
from stressweb.checks import Checks, harm
from stressweb.query import Item, Run, has_item
from stressweb.records import Entity

type Shows = Callable[[str], bool]
"""Whether a URL shows a view."""


def page(event: Entity) -> str:
    """Return the path of an event's page."""
    return f"/event/{event.id}"


def found(run: Run, event: Entity) -> bool:
    """Return whether the agent had an event before it: its page, or one to change it."""
    pages = {page(event), f"{page(event)}/edit", f"{page(event)}/delete"}
    return run.ever(lambda state: state.path in pages)


def listed(run: Run, day: Entity, title: str) -> Item | None:
    """Return an event as its day lists it at the end."""
    return run.closing(f"/day/{day.id}").item("Event", name=title)


def stands(run: Run, event: Entity) -> Item | None:
    """Return an event as its own page shows it at the end."""
    return run.closing(page(event)).item("Event", name=event.title)


def begins(day: Entity, start: str) -> str:
    """Return a moment as pages tell it to machines."""
    return f"{day.id}T{start}"


def shows(path: str, category: Entity | None = None) -> Shows:
    """Return the condition that a URL has a path and, if one is given, is limited to a category."""

    def holds(url: str) -> bool:
        parts = urlsplit(url)
        asked = parse_qs(parts.query).get("category")
        return parts.path == path and (category is None or asked == [category.id])

    return holds


def shows_week(day: Entity) -> Shows:
    """Return the condition that a URL shows the week of a day in the week view; any day of it may stand there."""
    return lambda url: monday_of(url) == monday_of(f"/week/{day.id}")


def monday_of(url: str) -> str:
    """Return the Monday of the week that a URL shows in the week view; nothing if it shows none."""
    view, _, day = urlsplit(url).path.strip("/").partition("/")
    try:
        shown = date.fromisoformat(day)
    except ValueError:
        return ""
    return (shown - timedelta(days=shown.weekday())).isoformat() if view == "week" else ""


def look(run: Run, event: Entity, saw: str, view: Shows) -> Checks:
    """Check a look that changes nothing: a view was seen, and an event's page is left open."""
    yield saw, run.ever(lambda state: view(state.url))
    yield "found the event", found(run, event)
    yield "left its page open", run.last.path == page(event) and has_item("Event", name=event.title)(run.last)
    yield harm("changed something", not run.changed())


def looked(run: Run, event: Entity, view: Shows) -> bool:
    """Return whether the server remembers having shown a view and, last, an event; and nothing is changed."""
    last = urlsplit("".join(run.seen()[-1:])).path
    return any(map(view, run.seen())) and last == page(event) and not run.changed()


def added_only(run: Run) -> bool:
    """Return whether events were added and nothing else was changed."""
    return touched(run) <= {"appointment"} and not run.altered("appointment") and not run.removed("appointment")


def edited(run: Run, events: Iterable[Entity], **values: Any) -> bool:
    """Return whether exactly these events are changed, to these values and in nothing else."""
    return run.changed() == {("appointment", event.id) for event in events} and all(
        same(after, **values) and kept(before, after, *values) for before, after in run.altered("appointment")
    )


def only_these(run: Run, *events: Entity) -> bool:
    """Return whether nothing but these events is changed."""
    return run.changed() <= {("appointment", event.id) for event in events}


def only_in(run: Run, *columns: str) -> bool:
    """Return whether no event is changed but in these columns."""
    return all(kept(*row, *columns) for row in run.altered("appointment"))
