"""Checkpoints of the calendar's tasks.

A checkpoint is a condition on what the agent saw, or on what the pages show at the end. The exact
change of the database is under `expect` in `sites/calendar/tasks.yaml`.
"""

from stressweb.checkpoints.events import at_the_end, begins, listed, look, saw, shows, shows_agenda, shows_week
from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Run
from stressweb.plugins.task import Goal


@checks("calendar/week-view")
def week_view(run: Run, goal: Goal) -> Checks:
    """Open the second event of a day in the week after next."""
    return look(run, goal.event, "saw the week", shows_week(goal.day))


@checks("calendar/month-view")
def month_view(run: Run, goal: Goal) -> Checks:
    """Open the first event of a category in the month after next."""
    return look(run, goal.event, "saw the month", shows(f"/month/{goal.first.month}"))


@checks("calendar/day-view")
def day_view(run: Run, goal: Goal) -> Checks:
    """Open the first event of an afternoon."""
    return look(run, goal.event, "saw the day", shows(f"/day/{goal.day.id}"))


@checks("calendar/agenda-of-a-category")
def agenda_of_a_category(run: Run, goal: Goal) -> Checks:
    """Open the last event that the agenda lists of a category."""
    return look(run, goal.event, "saw the agenda of the category", shows_agenda(goal.today, goal.category))


@checks("calendar/add-an-event")
def add_an_event(run: Run, goal: Goal) -> Checks:
    """Add an event with all its fields."""
    new, event = goal.new, listed(run, goal.day, goal.new.title)
    start, end = begins(goal.day, new.start), begins(goal.day, new.end)
    yield "added the event on that day", event is not None
    yield "from start to end", event is not None and event.reads({"startDate": start, "endDate": end})
    yield "in the right category", event is not None and event["about"] == goal.category.name
    yield "with the right colour", event is not None and event["color"] == goal.colour.name
    yield "at the right place", event is not None and event["location"] == new.place


@checks("calendar/plan-next-week")
def plan_next_week(run: Run, goal: Goal) -> Checks:
    """Add an event with place and notes on a day of next week."""
    # Only the page of the event shows its notes; the list of its day does not.
    new, event = goal.new, run.closing("/event/{made.id}").item("Event", name=goal.new.title)
    start, end = begins(goal.day, new.start), begins(goal.day, new.end)
    yield "added the event", event is not None
    yield "on the right day", event is not None and (event["startDate"] or "").startswith(goal.day.id)
    yield "from start to end", event is not None and event.reads({"startDate": start, "endDate": end})
    yield "in the right category", event is not None and event["about"] == goal.category.name
    yield "at the place", event is not None and event["location"] == new.place
    yield "with the notes", event is not None and event["description"] == goal.remark.text


@checks("calendar/move-an-event")
def move_an_event(run: Run, goal: Goal) -> Checks:
    """Move an event to another day."""
    event = listed(run, goal.day, goal.event.title)
    yield "found the event", saw(run, goal.event)
    yield "moved it to the day", event is not None
    yield "at its old time", event is not None and event["startDate"] == begins(goal.day, goal.event.start)
    yield "changed nothing else", run.only("appointment", [goal.event], "day")


@checks("calendar/rename-the-first")
def rename_the_first(run: Run, goal: Goal) -> Checks:
    """Rename the first event of a day."""
    event_of_day = listed(run, goal.day, goal.new.title)
    first_event = run.closing("/event/{renamed.id}").item("Event", name=goal.new.title)
    yield "found the event", saw(run, goal.event)
    # Separate from the next checkpoint, so that renaming a wrong event passes this one.
    yield "renamed an event of that day", event_of_day is not None
    yield "renamed the first", first_event is not None
    yield "left everything else as it was", run.only("appointment", [goal.event], "title")


@checks("calendar/recolour-two")
def recolour_two(run: Run, goal: Goal) -> Checks:
    """Give two events colours."""
    first, second = at_the_end(run, goal.one, "first"), at_the_end(run, goal.two, "second")
    yield "found the first event", saw(run, goal.one)
    yield "gave it its colour", first is not None and first["color"] == goal.colour.name
    yield "found the second event", saw(run, goal.two)
    yield "gave it its colour, too", second is not None and second["color"] == goal.another.name
    yield "and no other event", run.only("appointment", [goal.one, goal.two], "colour")


@checks("calendar/first-and-last-of-a-day")
def first_and_last_of_a_day(run: Run, goal: Goal) -> Checks:
    """Delete the first and the last event of a day."""
    deleted = {row.id for row in run.removed("appointment")}
    yield "found the first", saw(run, goal.first)
    yield "deleted the first", goal.first.id in deleted
    yield "found the last", saw(run, goal.last)
    yield "deleted the last", goal.last.id in deleted
    # `deleted`, because an agent that did nothing must not pass.
    yield "kept the one between", bool(deleted) and listed(run, goal.day, goal.middle.title) is not None


@checks("calendar/resolve-a-conflict")
def resolve_a_conflict(run: Run, goal: Goal) -> Checks:
    """Move the later one of two events that overlap."""
    event, clash = listed(run, goal.day, goal.later.title), goal.clash
    yield "found the later event", saw(run, goal.later)
    yield "let it begin at the new time", event is not None and event["startDate"] == begins(goal.day, clash.start)
    yield "let it end at the new time", event is not None and event["endDate"] == begins(goal.day, clash.end)
    yield "changed nothing else", run.only("appointment", [goal.later], "start", "end")


@checks("calendar/change-of-place")
def change_of_place(run: Run, goal: Goal) -> Checks:
    """Move the next event at a place to another place."""
    event = at_the_end(run, goal.event, "moved")
    place = event and event["location"]
    yield "found the event", saw(run, goal.event)
    # Separate from the next checkpoint, so that a move to a wrong place passes this one.
    yield "took it from its place", place is not None and place != goal.place.id
    yield "gave it the new one", place == goal.other.id
    yield "and no other event", run.only("appointment", [goal.event], "place")


@checks("calendar/far-date")
def far_date(run: Run, goal: Goal) -> Checks:
    """Add notes to the second event of a day far ahead."""
    event = at_the_end(run, goal.event, "changed")
    notes = event and event["description"]
    yield "found the event", saw(run, goal.event)
    # Separate from the next checkpoint, so that wrong notes for the right event pass this one.
    yield "gave it notes", bool(notes)
    yield "added the notes", notes == goal.remark.text


@checks("calendar/rename-and-recolour-a-category")
def rename_and_recolour_a_category(run: Run, goal: Goal) -> Checks:
    """Rename a category and give it and its events a colour."""
    categories = run.closing("/categories")
    renamed = categories.item("CategoryCode", name=goal.new.name)
    # By either name, so that the colour also counts without the new name.
    category = renamed or categories.item("CategoryCode", name=goal.category.name)
    events = run.closing(goal.evidence[1]).items("Event")
    yield "renamed the category", renamed is not None
    yield "gave it the colour", category is not None and category["color"] == goal.colour.name
    # On an empty page, `all` without events would be true.
    yield "gave its events the colour", bool(events) and all(event["color"] == goal.colour.name for event in events)


@checks("calendar/recolour-the-first-three")
def recolour_the_first_three(run: Run, goal: Goal) -> Checks:
    """Give the first three events of a category from a day on a colour."""
    # The exact path in the task's `evidence`: pages at the end are found by it, and a page that was not read is blank.
    closing = run.closing(f"/batch?category={goal.category.id}&from={goal.day.id}")

    def coloured(event: Entity) -> bool:
        return closing.item("Event", name=event.title, color=goal.colour.name) is not None

    yield "recoloured the first", coloured(goal.one)
    yield "recoloured the second", coloured(goal.two)
    yield "recoloured the third", coloured(goal.three)
    yield "and no other event", run.only("appointment", goal.events, "colour")


@checks("calendar/move-to-another-category")
def move_to_another_category(run: Run, goal: Goal) -> Checks:
    """Move the events of a category in a span of days to another one."""
    category_titles = run.closing(f"/batch?category={goal.other.id}&from={goal.first.id}").names("Event")
    # First and last are checkpoints of their own, so that the share of checkpoints shows the progress of an agent.
    titles = [event.title for event in goal.events]
    yield "moved the first of them", titles[0] in category_titles
    yield "moved the last of them", titles[-1] in category_titles
    # `>=`, because the category may have other events from the start.
    yield "moved all of them", category_titles >= set(titles)
    yield "and no other event", run.only("appointment", goal.events, "category")


@checks("calendar/new-category")
def new_category(run: Run, goal: Goal) -> Checks:
    """Create a category, put an event into it, and choose the first view."""
    category, event = (
        run.closing("/categories").item("CategoryCode", name=goal.new.name),
        at_the_end(run, goal.event, "changed"),
    )
    fields = run.closing("/settings").controls("combobox")
    yield "created the category", category is not None
    yield "with the colour", category is not None and category["color"] == goal.colour.name
    yield "put the event into it", event is not None and event["about"] == goal.new.name
    # By the value of a field, because its label depends on the world.
    yield "chose the first view", any(field.value == goal.view.name for field in fields)


@checks("calendar/away-for-a-day")
def away_for_a_day(run: Run, goal: Goal) -> Checks:
    """Move every event of a day to another."""
    moved_events = [listed(run, goal.other, event.title) for event in goal.events]
    starts = [None if event is None else event["startDate"] for event in moved_events]
    yield "moved the first of them", moved_events[0] is not None
    yield "moved the last of them", moved_events[-1] is not None
    yield "moved all of them", None not in moved_events
    # An event that was not moved has no start there, so this fails, too.
    yield "at their old times", starts == [begins(goal.other, event.start) for event in goal.events]
    yield "changed nothing else", run.only("appointment", goal.events, "day")
