"""What the buttons of the projects do: to one card, to several, and to many that are pasted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sites.kit import RefusedError, Visit
from sites.kit.logic.ticked import ticked
from sites.tasks.plan import DONE, GAP, STATES
from stressweb.core.entity import Entity

type Made = Mapping[str, Any]

_CHANGES = ("state", "priority", "owner", "due", "tag")
"""What several cards can get at once."""


def add_item(visit: Visit) -> Made:
    """Add a card at the end of its project's board, with its tags."""
    given = visit.values
    made = _add(
        visit, given["project"].id, {name: given[name] for name in ("name", "about", "priority", "owner", "due")}
    )
    for tag in given["tags"]:
        _tag(visit, made.id, tag.id)
    return {"made": made}


def add_lines(visit: Visit) -> Made:
    """Add a card for each line; one without a priority gets the usual one."""
    usual = (visit.store.one("Setting", visit.names["me"].id) or Entity(priority="priority_normal")).priority
    for line in visit.values["lines"]:
        priority = line["priority"] or usual
        _add(visit, visit.values["project"].id, {"owner": "", "about": "", **line, "priority": priority})
    return {"count": len(visit.values["lines"])}


def _add(visit: Visit, project: str, given: Mapping[str, Any]) -> Entity:
    last = max((row.position for row in visit.store.where("Item", {"project": project})), default=0)
    times = {"created": visit.store.now, "changed": visit.store.now, "closed": "", "archived": ""}
    rest = {"state": STATES[0], "position": last + GAP, "author": visit.session.owner}
    row = {**given, "project": project, **rest, **times}
    row = {"id": visit.store.free_key("Item", row), **row}
    visit.store.put("Item", row)
    return Entity(row)


def change_item(visit: Visit) -> None:
    """Change what a card says."""
    _change(visit, visit.values["item"], **{name: visit.values[name] for name in (
        "name", "about", "state", "priority", "owner", "due")})  # fmt: skip


def _change(visit: Visit, row: Entity, **values: Any) -> None:
    """Write what is new into a card; what is done has a time at which that was."""
    if all(row[name] == value for name, value in values.items()):
        return
    if "state" in values and values["state"] != row.state:
        values["closed"] = visit.store.now if values["state"] == DONE else ""
    visit.store.change("Item", {"id": row.id}, {**values, "changed": visit.store.now})


def toggle_done(visit: Visit) -> Made:
    """Mark a card as done, or take it up again."""
    row = visit.values["item"]
    _change(visit, row, state=STATES[0] if row.state == DONE else DONE)
    return {"row": row}


def move_item(visit: Visit) -> Made:
    """Put a card into a column of its board: where it was among all cards, or before another one."""
    row, to = visit.values["item"], visit.values["to"]
    before = visit.store.one("Item", visit.values["before"])
    if not visit.values["before"]:
        _change(visit, row, state=to)
    elif before is None or before.project != row.project or before.state != to or before.archived:
        raise RefusedError("error_moved")
    else:
        column = [one for one in _column(visit, row.project, to) if one.id != row.id]
        _change(visit, row, state=to, position=_between(column, [one.id for one in column].index(before.id)))
    return {"row": row}


def shift_item(visit: Visit) -> Made:
    """Move a card up or down in its column."""
    row, way = visit.values["item"], visit.values["way"]
    column = _column(visit, row.project, row.state)
    at = [one.id for one in column].index(row.id)
    rest = [one for one in column if one.id != row.id]
    target = {"way_top": 0, "way_up": at - 1, "way_down": at + 1, "way_bottom": len(rest)}[way]
    if not 0 <= target <= len(rest) or target == at:
        raise RefusedError("error_end")
    visit.store.change("Item", {"id": row.id}, {"position": _between(rest, target)})
    return {"row": row}


def _column(visit: Visit, project: str, state: str) -> list[Entity]:
    rows = visit.store.where("Item", {"project": project, "state": state, "archived": ""})
    return sorted(rows, key=lambda row: row.position)


def _between(column: Sequence[Entity], at: int) -> float:
    """Return a position before the card at `at` of a column, and after the one above it."""
    if at == len(column):
        return float(column[-1].position) + GAP
    below = float(column[at].position)
    return (float(column[at - 1].position) + below) / 2 if at else below - GAP


def archive_item(visit: Visit) -> Made:
    """Put a card into the archive."""
    visit.store.change("Item", {"id": visit.values["item"].id}, {"archived": visit.store.now})
    return {"row": visit.values["item"]}


def restore_item(visit: Visit) -> Made:
    """Take a card out of the archive."""
    visit.store.change("Item", {"id": visit.values["item"].id}, {"archived": ""})
    return {"row": visit.values["item"]}


def edit_ticked(visit: Visit) -> Made:
    """Give all cards that are ticked what was chosen; what was left open stays."""
    chosen = {name: visit.values[name] for name in _CHANGES if visit.values[name]}
    if not chosen:
        raise RefusedError("error_chosen")
    tag = chosen.pop("tag", None)
    chosen = {name: "" if value == "none" else value for name, value in chosen.items()}

    def change(row: Entity) -> None:
        if chosen:
            _change(visit, row, **chosen)
        if tag:
            _tag(visit, row.id, tag)

    return _each(visit, change)


def done_ticked(visit: Visit) -> Made:
    """Mark everything that is ticked as done."""
    return _each(visit, lambda row: _change(visit, row, state=DONE))


def archive_ticked(visit: Visit) -> Made:
    """Put everything that is ticked into the archive."""
    return _each(visit, lambda row: visit.store.change("Item", {"id": row.id}, {"archived": visit.store.now}))


def restore_ticked(visit: Visit) -> Made:
    """Take everything that is ticked out of the archive."""
    return _each(visit, lambda row: visit.store.change("Item", {"id": row.id}, {"archived": ""}))


def _each(visit: Visit, change: Callable[[Entity], None]) -> Made:
    rows = ticked(visit, "items")
    for row in rows:
        change(row)
    return {"count": len(rows)}


def add_tagging(visit: Visit) -> None:
    """Put a tag on a card."""
    _tag(visit, visit.values["item"].id, visit.values["put_tag"])


def _tag(visit: Visit, item: str, tag: str) -> None:
    visit.store.put("Tagging", {"id": f"{item}/{tag}", "item": item, "tag": tag})


def drop_taggings(visit: Visit) -> None:
    """Take a tag that is deleted off all cards."""
    visit.store.drop("Tagging", {"tag": visit.values["tag"].id})


def add_step(visit: Visit) -> None:
    """Add a step to a card."""
    row = {"item": visit.values["item"].id, "name": visit.values["step_name"], "done": 0}
    visit.store.put("Step", {"id": visit.store.free_key("Step", row), **row})


def toggle_step(visit: Visit) -> None:
    """Mark a step as done, or as not done."""
    row = visit.values["step"]
    visit.store.change("Step", {"id": row.id}, {"done": 1 - row.done})


def add_comment(visit: Visit) -> None:
    """Add a comment, and note everybody whom it mentions with an @."""
    text = visit.values["comment"]
    # The longest name first, because one may begin another.
    people = sorted(visit.store.where("Person", {}), key=lambda one: -len(one.name))
    rest, told = text.casefold(), []
    for one in people:
        if f"@{one.name.casefold()}" in rest:
            told.append(one.id)
            rest = rest.replace(f"@{one.name.casefold()}", " ")
    row = {"item": visit.values["item"].id, "author": visit.session.owner, "text": text}
    row = {**row, "at": visit.store.now, "mentions": ", ".join(sorted(told))}
    visit.store.put("Comment", {"id": visit.store.free_key("Comment", row), **row})
