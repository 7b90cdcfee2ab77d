"""Conditions on events and views, for the calendar's checkpoints."""

from collections.abc import Callable
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks
from stressweb.plugins.query import Item, Run, has_item

TABLES = ("appointment", "category", "setting")

type Shows = Callable[[str], bool]
"""Whether a URL shows a view."""


def page(event: Entity) -> str:
    """Return the path of an event's page."""
    return f"/event/{event.id}"


def saw(run: Run, event: Entity) -> bool:
    """Return whether the agent opened an event's page or its form, or changed the event."""
    # An agent may type the address of the form, or change several events in a list, without their pages.
    pages = {page(event), f"{page(event)}/edit", f"{page(event)}/delete"}
    return event.id in run.touched("appointment") or run.ever(lambda state: state.path in pages)


def listed(run: Run, day: Entity, title: str) -> Item | None:
    """Return an event from the list of its day at the end."""
    return run.closing(f"/day/{day.id}").item("Event", name=title)


def at_the_end(run: Run, event: Entity, row: str) -> Item | None:
    """Return an event from its own page at the end; `row` is its name in `expect`."""
    return run.closing(f"/event/{{{row}.id}}").item("Event", name=event.title)


def begins(day: Entity, start: str) -> str:
    """Return a time as the microdata of pages has it."""
    return f"{day.id}T{start}"


def shows(path: str) -> Shows:
    """Return the condition that a URL has this path."""
    # Without the query: a view that is limited to a category is the same view.
    return lambda url: urlsplit(url).path == path


def shows_week(day: Entity) -> Shows:
    """Return the condition that a URL shows the week of a day in the week view; its day may be any of the week."""
    return lambda url: monday_of(url) == monday_of(f"/week/{day.id}")


def shows_agenda(today: Entity, category: Entity) -> Shows:
    """Return the condition that a URL shows the agenda from today on, limited to a category."""

    def is_agenda(url: str) -> bool:
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        # Without `from`, the agenda begins today.
        first_days = query.get("from", [today.id])
        return parts.path == "/agenda" and first_days == [today.id] and query.get("category") == [category.id]

    return is_agenda


def monday_of(url: str) -> str:
    """Return the Monday of the week that a URL shows in the week view; "" for any other URL."""
    view, _, day = urlsplit(url).path.strip("/").partition("/")
    try:
        day_shown = date.fromisoformat(day)
    # Most pages are not week views.
    except ValueError:
        return ""
    return (day_shown - timedelta(days=day_shown.weekday())).isoformat() if view == "week" else ""


def look(run: Run, event: Entity, milestone: str, view: Shows) -> Checks:
    """Check that the agent saw a view, left an event's page open, and changed nothing."""
    yield milestone, run.ever(lambda state: view(state.url))
    yield "found the event", saw(run, event)
    # Address and content: an error page could have the same address.
    yield "left its page open", has_item("Event", name=event.title)(run.left_open(page(event)))
    yield "changed nothing", saw(run, event) and run.untouched(*TABLES)
