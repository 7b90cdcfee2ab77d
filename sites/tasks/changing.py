"""Actions on cards: on one, on all ticked ones, and on pasted lines."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.logic.ticked import ticked
from stressweb.sites.tasks.plan import DONE, GAP, STATES

type Shown = Mapping[str, Any]

_CHANGES = ("state", "priority", "owner", "due", "tag")
"""Fields that can be changed for several cards at once."""


def add_item(visit: Visit) -> Shown:
    """Add a card at the end of its project's board, with its tags."""
    values = visit.values
    card = _add(
        visit, values["project"].id, {name: values[name] for name in ("name", "about", "priority", "owner", "due")}
    )
    for tag in values["tags"]:
        _tag(visit, card.id, tag.id)
    return {"made": card}


def add_lines(visit: Visit) -> Shown:
    """Add a card for each line; a line without a priority gets the default."""
    usual = (visit.store.one("Setting", visit.names["me"].id) or Entity(priority="priority_normal")).priority
    for line in visit.values["lines"]:
        priority = line["priority"] or usual
        _add(visit, visit.values["project"].id, {"owner": "", "about": "", **line, "priority": priority})
    return {"count": len(visit.values["lines"])}


def _add(visit: Visit, project: str, fields: Mapping[str, Any]) -> Entity:
    last = max((row.position for row in visit.store.where("Item", {"project": project})), default=0)
    times = {"created": visit.store.now, "changed": visit.store.now, "closed": "", "archived": ""}
    fixed = {"state": STATES[0], "position": last + GAP, "author": visit.session.owner}
    row = {**fields, "project": project, **fixed, **times}
    row = {"id": visit.store.free_key("Item", row), **row}
    visit.store.put("Item", row)
    return Entity(row)


def change_item(visit: Visit) -> None:
    """Save the fields of a card."""
    _change(visit, visit.values["item"], **{name: visit.values[name] for name in (
        "name", "about", "state", "priority", "owner", "due")})  # fmt: skip


def _change(visit: Visit, row: Entity, **values: Any) -> None:
    """Update a card if a field differs; `closed` is the time at which it was done."""
    if all(row[name] == value for name, value in values.items()):
        return
    if "state" in values and values["state"] != row.state:
        values["closed"] = visit.store.now if values["state"] == DONE else ""
    visit.store.change("Item", {"id": row.id}, {**values, "changed": visit.store.now})


def toggle_done(visit: Visit) -> Shown:
    """Mark a card as done, or reopen it."""
    row = visit.values["item"]
    _change(visit, row, state=STATES[0] if row.state == DONE else DONE)
    return {"row": row}


def move_item(visit: Visit) -> Shown:
    """Move a card to a column: with its old position, or before another card."""
    row, to = visit.values["item"], visit.values["to"]
    before = visit.store.one("Item", visit.values["before"])
    if not visit.values["before"]:
        _change(visit, row, state=to)
    elif before is None or before.project != row.project or before.state != to or before.archived:
        raise RefusedError("error_moved")
    else:
        column = [card for card in _column(visit, row.project, to) if card.id != row.id]
        _change(visit, row, state=to, position=_between(column, [card.id for card in column].index(before.id)))
    return {"row": row}


def shift_item(visit: Visit) -> Shown:
    """Move a card up or down in its column."""
    row, way = visit.values["item"], visit.values["way"]
    column = _column(visit, row.project, row.state)
    index = [card.id for card in column].index(row.id)
    others = [card for card in column if card.id != row.id]
    target = {"way_top": 0, "way_up": index - 1, "way_down": index + 1, "way_bottom": len(others)}[way]
    if not 0 <= target <= len(others) or target == index:
        raise RefusedError("error_end")
    visit.store.change("Item", {"id": row.id}, {"position": _between(others, target)})
    return {"row": row}


def _column(visit: Visit, project: str, state: str) -> list[Entity]:
    rows = visit.store.where("Item", {"project": project, "state": state, "archived": ""})
    return sorted(rows, key=lambda row: row.position)


def _between(column: Sequence[Entity], index: int) -> float:
    """Return a position between the card at `index` of a column and the one above it."""
    if index == len(column):
        return float(column[-1].position) + GAP
    below = float(column[index].position)
    return (float(column[index - 1].position) + below) / 2 if index else below - GAP


def archive_item(visit: Visit) -> Shown:
    """Put a card into the archive."""
    visit.store.change("Item", {"id": visit.values["item"].id}, {"archived": visit.store.now})
    return {"row": visit.values["item"]}


def restore_item(visit: Visit) -> Shown:
    """Take a card out of the archive."""
    visit.store.change("Item", {"id": visit.values["item"].id}, {"archived": ""})
    return {"row": visit.values["item"]}


def take_item(visit: Visit) -> Shown:
    """Make the signed-in user the owner of a card."""
    _change(visit, visit.values["item"], owner=visit.names["me"].id)
    return {"row": visit.values["item"]}


def undo_archive(visit: Visit) -> None:
    """Take all cards out of the archive that were put there at the same moment."""
    visit.store.change("Item", {"archived": visit.values["at"]}, {"archived": ""})


def edit_ticked(visit: Visit) -> Shown:
    """Change the chosen fields of all ticked cards."""
    chosen = {name: visit.values[name] for name in _CHANGES if visit.values[name]}
    if not chosen:
        raise RefusedError("error_chosen")
    tag = chosen.pop("tag", None)
    chosen = {name: "" if choice == "none" else choice for name, choice in chosen.items()}

    def change(row: Entity) -> None:
        if chosen:
            _change(visit, row, **chosen)
        if tag:
            _tag(visit, row.id, tag)

    return _each(visit, change)


def done_ticked(visit: Visit) -> Shown:
    """Mark all ticked cards as done."""
    return _each(visit, lambda row: _change(visit, row, state=DONE))


def archive_ticked(visit: Visit) -> Shown:
    """Put all ticked cards into the archive."""
    return _each(visit, lambda row: visit.store.change("Item", {"id": row.id}, {"archived": visit.store.now}))


def restore_ticked(visit: Visit) -> Shown:
    """Take all ticked cards out of the archive."""
    return _each(visit, lambda row: visit.store.change("Item", {"id": row.id}, {"archived": ""}))


def _each(visit: Visit, change: Callable[[Entity], None]) -> Shown:
    rows = ticked(visit, "items")
    for row in rows:
        change(row)
    return {"count": len(rows)}


def add_tagging(visit: Visit) -> None:
    """Put a tag on a card."""
    _tag(visit, visit.values["item"].id, visit.values["put_tag"])


def _tag(visit: Visit, card: str, tag: str) -> None:
    visit.store.put("Tagging", {"id": f"{card}/{tag}", "item": card, "tag": tag})


def drop_taggings(visit: Visit) -> None:
    """Remove a deleted tag from all cards."""
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
    """Add a comment, and record whom it mentions with an @."""
    text = visit.values["comment"]
    # Longest name first, because one name may be the start of another.
    people = sorted(visit.store.where("Person", {}), key=lambda person: -len(person.name))
    unmatched, mentioned = text.casefold(), []
    for person in people:
        if f"@{person.name.casefold()}" in unmatched:
            mentioned.append(person.id)
            unmatched = unmatched.replace(f"@{person.name.casefold()}", " ")
    row = {"item": visit.values["item"].id, "author": visit.session.owner, "text": text}
    row = {**row, "at": visit.store.now, "mentions": ", ".join(sorted(mentioned))}
    visit.store.put("Comment", {"id": visit.store.free_key("Comment", row), **row})
