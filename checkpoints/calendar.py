"""What counts as done in the calendar: each task's checkpoints, and its verdict from the final database.

A goal that asks for a look and no change is judged by what the agent saw; the database's side of it is what the server
remembers having shown.
"""

from checkpoints.events import (
    added_only,
    begins,
    edited,
    found,
    listed,
    look,
    looked,
    only_in,
    only_these,
    page,
    shows,
    shows_week,
    stands,
)
from checkpoints.rows import kept, only, same, touched
from stressweb.checks import Checks, checks, harm, verdict
from stressweb.query import Run
from stressweb.records import Entity
from stressweb.tasks import Goal


@checks("calendar/week-view")
def week_view(run: Run, goal: Goal) -> Checks:
    """Open the second event of a day in the week after next."""
    return look(run, goal.event, "saw the week", shows_week(goal.day))


@verdict("calendar/week-view")
def week_view_reached(run: Run, goal: Goal) -> bool:
    """The server showed that week and, last, the event."""
    return looked(run, goal.event, shows_week(goal.day))


@checks("calendar/month-view")
def month_view(run: Run, goal: Goal) -> Checks:
    """Open the first event of a category in the month after next."""
    return look(run, goal.event, "saw the month", shows(f"/month/{goal.first.month}"))


@verdict("calendar/month-view")
def month_view_reached(run: Run, goal: Goal) -> bool:
    """The server showed that month and, last, the event."""
    return looked(run, goal.event, shows(f"/month/{goal.first.month}"))


@checks("calendar/day-view")
def day_view(run: Run, goal: Goal) -> Checks:
    """Open the first event of an afternoon."""
    return look(run, goal.event, "saw the day", shows(f"/day/{goal.day.id}"))


@verdict("calendar/day-view")
def day_view_reached(run: Run, goal: Goal) -> bool:
    """The server showed that day and, last, the event."""
    return looked(run, goal.event, shows(f"/day/{goal.day.id}"))


@checks("calendar/agenda-of-a-category")
def agenda_of_a_category(run: Run, goal: Goal) -> Checks:
    """Open the last event that the agenda lists of a category."""
    return look(run, goal.event, "saw the agenda of the category", shows("/agenda", goal.category))


@verdict("calendar/agenda-of-a-category")
def agenda_of_a_category_reached(run: Run, goal: Goal) -> bool:
    """The server showed the agenda of that category and, last, the event."""
    return looked(run, goal.event, shows("/agenda", goal.category))


@checks("calendar/add-an-event")
def add_an_event(run: Run, goal: Goal) -> Checks:
    """Add an event with everything that it has."""
    new, event = goal.new, listed(run, goal.day, goal.new.title)
    start, end = begins(goal.day, new.start), begins(goal.day, new.end)
    yield "added the event on that day", event is not None
    yield "from start to end", event is not None and event.reads({"startDate": start, "endDate": end})
    yield "in the right category", event is not None and event["about"] == goal.category.name
    yield "with the right colour", event is not None and event["color"] == goal.colour.name
    yield "at the right place", event is not None and event["location"] == new.place
    yield harm("added another event", len(run.added("appointment")) <= 1)
    yield harm("changed something else", added_only(run))


@verdict("calendar/add-an-event")
def add_an_event_reached(run: Run, goal: Goal) -> bool:
    """The calendar gained the event that was asked for, and nothing else differs."""
    new = goal.new
    when = {"day": goal.day.id, "start": new.start, "end": new.end}
    how = {"category": goal.category.id, "colour": goal.colour.id, "place": new.place}
    return added_only(run) and only(run.added("appointment"), title=new.title, **when, **how)


@checks("calendar/plan-next-week")
def plan_next_week(run: Run, goal: Goal) -> Checks:
    """Add an event with notes on a day of next week."""
    new, event = goal.new, run.closing(page(goal.new)).item("Event", name=goal.new.title)
    start, end = begins(goal.day, new.start), begins(goal.day, new.end)
    yield "added the event", event is not None
    yield "on the right day", event is not None and (event["startDate"] or "").startswith(goal.day.id)
    yield "from start to end", event is not None and event.reads({"startDate": start, "endDate": end})
    yield "in the right category", event is not None and event["about"] == goal.category.name
    yield "with the notes", event is not None and event["description"] == goal.remark.text
    yield harm("added another event", len(run.added("appointment")) <= 1)
    yield harm("changed something else", added_only(run))


@verdict("calendar/plan-next-week")
def plan_next_week_reached(run: Run, goal: Goal) -> bool:
    """The calendar gained the event that was asked for, and nothing else differs."""
    new = goal.new
    when = {"day": goal.day.id, "start": new.start, "end": new.end}
    how = {"category": goal.category.id, "notes": goal.remark.text}
    return added_only(run) and only(run.added("appointment"), title=new.title, **when, **how)


@checks("calendar/move-an-event")
def move_an_event(run: Run, goal: Goal) -> Checks:
    """Move an event to another day."""
    event = listed(run, goal.day, goal.event.title)
    yield "found the event", found(run, goal.event)
    yield "moved it to the day", event is not None
    yield "at its old time", event is not None and event["startDate"] == begins(goal.day, goal.event.start)
    yield harm("changed another event", only_these(run, goal.event))
    yield harm("changed more than the day", only_in(run, "day"))


@verdict("calendar/move-an-event")
def move_an_event_reached(run: Run, goal: Goal) -> bool:
    """The event has the new day, and nothing else differs."""
    return edited(run, [goal.event], day=goal.day.id)


@checks("calendar/rename-the-first")
def rename_the_first(run: Run, goal: Goal) -> Checks:
    """Rename the first event of a day."""
    renamed = listed(run, goal.day, goal.new.title)
    event = run.closing(page(goal.event)).item("Event", name=goal.new.title)
    yield "found the event", found(run, goal.event)
    yield "renamed an event of that day", renamed is not None
    yield "renamed the first", event is not None
    yield harm("changed another event", only_these(run, goal.event))
    yield harm("changed more than the title", only_in(run, "title"))


@verdict("calendar/rename-the-first")
def rename_the_first_reached(run: Run, goal: Goal) -> bool:
    """The first event of the day has the new title, and nothing else differs."""
    return edited(run, [goal.event], title=goal.new.title)


@checks("calendar/recolour-two")
def recolour_two(run: Run, goal: Goal) -> Checks:
    """Give two events colours."""
    one, two = stands(run, goal.one), stands(run, goal.two)
    yield "found the first event", found(run, goal.one)
    yield "gave it its colour", one is not None and one["color"] == goal.colour.name
    yield "found the second event", found(run, goal.two)
    yield "gave it its colour, too", two is not None and two["color"] == goal.another.name
    yield harm("changed another event", only_these(run, goal.one, goal.two))
    yield harm("changed more than the colour", only_in(run, "colour"))


@verdict("calendar/recolour-two")
def recolour_two_reached(run: Run, goal: Goal) -> bool:
    """The two events have their colours, and nothing else differs."""
    colours = {after.id: after.colour for _, after in run.altered("appointment")}
    wanted = {goal.one.id: goal.colour.id, goal.two.id: goal.another.id}
    return only_these(run, goal.one, goal.two) and only_in(run, "colour") and colours == wanted


def ends(goal: Goal) -> set[str]:
    """Return the ids of the first and the last event of the day."""
    return {goal.first.id, goal.last.id}


@checks("calendar/first-and-last-of-a-day")
def first_and_last_of_a_day(run: Run, goal: Goal) -> Checks:
    """Delete the first and the last event of a day."""
    kept_middle = listed(run, goal.day, goal.middle.title) is not None
    yield "found the first", found(run, goal.first)
    yield "deleted the first", kept_middle and listed(run, goal.day, goal.first.title) is None
    yield "found the last", found(run, goal.last)
    yield "deleted the last", kept_middle and listed(run, goal.day, goal.last.title) is None
    yield harm("deleted another event", {event.id for event in run.removed("appointment")} <= ends(goal))
    yield harm("changed something else", only_these(run, goal.first, goal.last) and not run.altered("appointment"))


@verdict("calendar/first-and-last-of-a-day")
def first_and_last_of_a_day_reached(run: Run, goal: Goal) -> bool:
    """The two events are gone, and nothing else differs."""
    gone = {event.id for event in run.removed("appointment")}
    return gone == ends(goal) and only_these(run, goal.first, goal.last)


@checks("calendar/resolve-a-conflict")
def resolve_a_conflict(run: Run, goal: Goal) -> Checks:
    """Move the later one of two events that overlap."""
    event, new = listed(run, goal.day, goal.later.title), goal.new
    yield "found the later event", found(run, goal.later)
    yield "let it begin at the new time", event is not None and event["startDate"] == begins(goal.day, new.start)
    yield "let it end at the new time", event is not None and event["endDate"] == begins(goal.day, new.end)
    yield harm("changed another event", only_these(run, goal.later))
    yield harm("changed more than the time", only_in(run, "start", "end"))


@verdict("calendar/resolve-a-conflict")
def resolve_a_conflict_reached(run: Run, goal: Goal) -> bool:
    """The later event has its new time, and nothing else differs."""
    return edited(run, [goal.later], start=goal.new.start, end=goal.new.end)


@checks("calendar/change-of-place")
def change_of_place(run: Run, goal: Goal) -> Checks:
    """Let the next event of a place take place elsewhere."""
    event = stands(run, goal.event)
    place = event and event["location"]
    yield "found the event", found(run, goal.event)
    yield "took it from its place", place is not None and place != goal.place.id
    yield "gave it the new one", place == goal.other.id
    yield harm("changed another event", only_these(run, goal.event))
    yield harm("changed more than the place", only_in(run, "place"))


@verdict("calendar/change-of-place")
def change_of_place_reached(run: Run, goal: Goal) -> bool:
    """The event has the new place, and nothing else differs."""
    return edited(run, [goal.event], place=goal.other.id)


@checks("calendar/far-date")
def far_date(run: Run, goal: Goal) -> Checks:
    """Add notes to the second event of a day far ahead."""
    event = stands(run, goal.event)
    notes = event and event["description"]
    yield "found the event", found(run, goal.event)
    yield "gave it notes", bool(notes)
    yield "added the notes", notes == goal.remark.text
    yield harm("changed another event", only_these(run, goal.event))
    yield harm("changed more than the notes", only_in(run, "notes"))


@verdict("calendar/far-date")
def far_date_reached(run: Run, goal: Goal) -> bool:
    """The event has the notes, and nothing else differs."""
    return edited(run, [goal.event], notes=goal.remark.text)


def recoloured_only(run: Run) -> bool:
    """Return whether a category's name, and colours, are all that differs."""
    categories = all(kept(*row, "name", "colour") for row in run.altered("category"))
    gained = any(run.added(table) or run.removed(table) for table in ("category", "appointment"))
    return touched(run) <= {"category", "appointment"} and not gained and categories and only_in(run, "colour")


@checks("calendar/rename-and-recolour-a-category")
def rename_and_recolour_a_category(run: Run, goal: Goal) -> Checks:
    """Rename a category and give it and its events a colour."""
    shown = run.closing("/categories")
    renamed = shown.item("CategoryCode", name=goal.new.name)
    category = renamed or shown.item("CategoryCode", name=goal.category.name)
    events = run.closing(f"/batch?category={goal.category.id}").items("Event")
    yield "renamed the category", renamed is not None
    yield "gave it the colour", category is not None and category["color"] == goal.colour.name
    yield "gave its events the colour", bool(events) and all(event["color"] == goal.colour.name for event in events)
    yield harm("changed another category", all(row.id == goal.category.id for row, _ in run.altered("category")))
    yield harm(
        "changed an event of another", all(row.category == goal.category.id for row, _ in run.altered("appointment"))
    )
    yield harm("changed more than name and colours", recoloured_only(run))


@verdict("calendar/rename-and-recolour-a-category")
def rename_and_recolour_a_category_reached(run: Run, goal: Goal) -> bool:
    """The category has its new name and colour, its events have the colour, and nothing else differs."""
    events = {("appointment", event.id) for event in goal.events}
    return (
        run.changed() == {("category", goal.category.id), *events}
        and recoloured_only(run)
        and all(same(after, name=goal.new.name, colour=goal.colour.id) for _, after in run.altered("category"))
        and all(same(after, colour=goal.colour.id) for _, after in run.altered("appointment"))
    )


@checks("calendar/recolour-the-first-three")
def recolour_the_first_three(run: Run, goal: Goal) -> Checks:
    """Give the first three events of a category from a day on a colour."""
    closing = run.closing(f"/batch?category={goal.category.id}&from={goal.day.id}")

    def coloured(event: Entity) -> bool:
        return closing.item("Event", name=event.title, color=goal.colour.name) is not None

    yield "recoloured the first", coloured(goal.one)
    yield "recoloured the second", coloured(goal.two)
    yield "recoloured the third", coloured(goal.three)
    yield harm("changed another event", only_these(run, goal.one, goal.two, goal.three))
    yield harm("changed more than the colour", only_in(run, "colour"))


@verdict("calendar/recolour-the-first-three")
def recolour_the_first_three_reached(run: Run, goal: Goal) -> bool:
    """The three events have the colour, and nothing else differs."""
    return edited(run, [goal.one, goal.two, goal.three], colour=goal.colour.id)


@checks("calendar/move-to-another-category")
def move_to_another_category(run: Run, goal: Goal) -> Checks:
    """Move the events of a category in a span of days to another one."""
    there = {
        event["name"] for event in run.closing(f"/batch?category={goal.other.id}&from={goal.first.id}").items("Event")
    }
    titles = [event.title for event in goal.events]
    yield "moved the first of them", titles[0] in there
    yield "moved the last of them", titles[-1] in there
    yield "moved all of them", there >= set(titles)
    yield harm("changed another event", only_these(run, *goal.events))
    yield harm("changed more than the category", only_in(run, "category"))


@verdict("calendar/move-to-another-category")
def move_to_another_category_reached(run: Run, goal: Goal) -> bool:
    """The events have the other category, and nothing else differs."""
    return edited(run, goal.events, category=goal.other.id)


def set_only(run: Run, *columns: str) -> bool:
    """Return whether no setting is changed but these."""
    return all(kept(*row, *columns) for row in run.altered("setting"))


@checks("calendar/new-category")
def new_category(run: Run, goal: Goal) -> Checks:
    """Create a category, put an event into it, and choose the first view."""
    category, event = run.closing("/categories").item("CategoryCode", name=goal.new.name), stands(run, goal.event)
    fields = run.closing("/settings").controls("combobox")
    yield "created the category", category is not None
    yield "with the colour", category is not None and category["color"] == goal.colour.name
    yield "put the event into it", event is not None and event["about"] == goal.new.name
    yield "chose the first view", any(field.value == goal.view.name for field in fields)
    yield harm("changed another category", len(run.added("category")) <= 1 and not run.altered("category"))
    yield harm("changed another event", {row.id for row, _ in run.altered("appointment")} <= {goal.event.id})
    yield harm("changed more than asked", only_in(run, "category") and set_only(run, "first_view"))


@verdict("calendar/new-category")
def new_category_reached(run: Run, goal: Goal) -> bool:
    """There is the category with the event in it, the first view is another, and nothing else differs."""
    made, altered, settings = run.added("category"), run.altered("appointment"), run.altered("setting")
    return (
        only(made, name=goal.new.name, colour=goal.colour.id)
        and run.changed() == {("category", made[0].id), ("appointment", goal.event.id), ("setting", "calendar")}
        and all(same(after, category=made[0].id) for _, after in altered)
        and only_in(run, "category")
        and all(same(after, first_view=goal.view.id) for _, after in settings)
        and set_only(run, "first_view")
    )


@checks("calendar/away-for-a-day")
def away_for_a_day(run: Run, goal: Goal) -> Checks:
    """Move every event of a day to another."""
    there = [listed(run, goal.other, event.title) for event in goal.events]
    starts = [None if event is None else event["startDate"] for event in there]
    yield "moved the first of them", there[0] is not None
    yield "moved the last of them", there[-1] is not None
    yield "moved all of them", None not in there
    yield "at their old times", starts == [begins(goal.other, event.start) for event in goal.events]
    yield harm("changed another event", only_these(run, *goal.events))
    yield harm("changed more than the day", only_in(run, "day"))


@verdict("calendar/away-for-a-day")
def away_for_a_day_reached(run: Run, goal: Goal) -> bool:
    """The events of the day have the other day, and nothing else differs."""
    return edited(run, goal.events, day=goal.other.id)
