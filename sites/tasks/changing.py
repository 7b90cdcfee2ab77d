"""Actions on cards: on one, on all ticked ones, and adding a card for each pasted line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.logic.ticked import ticked
from stressweb.sites.tasks.plan import DONE, GAP, STATES

type Shown = Mapping[str, Any]

_BATCH_FIELDS = ("state", "priority", "owner", "due", "tag")
"""Fields that can be changed for several cards at once."""


def add_item(visit: Visit) -> Shown:
    """Add a card at the end of its project's board, with its tags."""
    values = visit.values
    fields = {name: values[name] for name in ("name", "about", "priority", "owner", "due")}
    card = _put_card(visit, values["project"].id, fields)
    for tag in values["tags"]:
        _put_tagging(visit, card.id, tag.id)
    return {"made": card}


def add_lines(visit: Visit) -> Shown:
    """Add a card for each line; a line without a priority gets the default."""
    setting = visit.store.one("Setting", visit.names["me"].id)
    default_priority = setting.priority if setting else "priority_normal"
    for line in visit.values["lines"]:
        priority = line["priority"] or default_priority
        _put_card(visit, visit.values["project"].id, {"owner": "", "about": "", **line, "priority": priority})
    return {"count": len(visit.values["lines"])}


def _put_card(visit: Visit, project: str, fields: Mapping[str, Any]) -> Entity:
    last = max((row.position for row in visit.store.where("Item", {"project": project})), default=0)
    times = {"created": visit.store.now, "changed": visit.store.now, "closed": "", "archived": ""}
    defaults = {"state": STATES[0], "position": last + GAP, "author": visit.session.owner}
    row = {**fields, "project": project, **defaults, **times}
    card = {"id": visit.store.free_key("Item", row), **row}
    visit.store.put("Item", card)
    return Entity(card)


def change_item(visit: Visit) -> None:
    """Save the fields of a card."""
    columns = ("name", "about", "state", "priority", "owner", "due")
    _change_card(visit, visit.values["item"], **{column: visit.values[column] for column in columns})


def _change_card(visit: Visit, card: Entity, **changes: Any) -> None:
    """Save changes of a card unless all are without effect; a new state also sets the time at which it was done."""
    if all(card[column] == new for column, new in changes.items()):
        return
    if "state" in changes and changes["state"] != card.state:
        changes["closed"] = visit.store.now if changes["state"] == DONE else ""
    visit.store.change("Item", {"id": card.id}, {**changes, "changed": visit.store.now})


def toggle_done(visit: Visit) -> Shown:
    """Mark a card as done, or reopen it."""
    card = visit.values["item"]
    _change_card(visit, card, state=STATES[0] if card.state == DONE else DONE)
    return {"row": card}


def move_item(visit: Visit) -> Shown:
    """Move a card to a column, before another card if there is one; otherwise it keeps its position."""
    card, state = visit.values["item"], visit.values["to"]
    next_card = visit.store.one("Item", visit.values["before"])
    if not visit.values["before"]:
        _change_card(visit, card, state=state)
    elif next_card is None or next_card.project != card.project or next_card.state != state or next_card.archived:
        raise RefusedError("error_moved")
    else:
        column = [row for row in _column(visit, card.project, state) if row.id != card.id]
        index = [row.id for row in column].index(next_card.id)
        _change_card(visit, card, state=state, position=_position_before(column, index))
    return {"row": card}


def shift_item(visit: Visit) -> Shown:
    """Move a card up or down in its column."""
    card, direction = visit.values["item"], visit.values["way"]
    column = _column(visit, card.project, card.state)
    index = [row.id for row in column].index(card.id)
    others = [row for row in column if row.id != card.id]
    targets = {"way_top": 0, "way_up": index - 1, "way_down": index + 1, "way_bottom": len(others)}
    target = targets[direction]
    if not 0 <= target <= len(others) or target == index:
        raise RefusedError("error_end")
    visit.store.change("Item", {"id": card.id}, {"position": _position_before(others, target)})
    return {"row": card}


def _column(visit: Visit, project: str, state: str) -> list[Entity]:
    cards = visit.store.where("Item", {"project": project, "state": state, "archived": ""})
    return sorted(cards, key=lambda card: card.position)


def _position_before(column: Sequence[Entity], index: int) -> float:
    """Return a position before the card at `index` of a column and after the card above it."""
    if index == len(column):
        return float(column[-1].position) + GAP
    next_position = float(column[index].position)
    return (float(column[index - 1].position) + next_position) / 2 if index else next_position - GAP


def archive_item(visit: Visit) -> Shown:
    """Move a card to the archive."""
    visit.store.change("Item", {"id": visit.values["item"].id}, {"archived": visit.store.now})
    return {"row": visit.values["item"]}


def restore_item(visit: Visit) -> Shown:
    """Restore a card from the archive."""
    visit.store.change("Item", {"id": visit.values["item"].id}, {"archived": ""})
    return {"row": visit.values["item"]}


def take_item(visit: Visit) -> Shown:
    """Make the signed-in user the owner of a card."""
    _change_card(visit, visit.values["item"], owner=visit.names["me"].id)
    return {"row": visit.values["item"]}


def undo_archive(visit: Visit) -> None:
    """Restore all cards that were archived at the same moment."""
    visit.store.change("Item", {"archived": visit.values["at"]}, {"archived": ""})


def edit_ticked(visit: Visit) -> Shown:
    """Change the chosen fields of all ticked cards."""
    choices = {name: visit.values[name] for name in _BATCH_FIELDS if visit.values[name]}
    if not choices:
        raise RefusedError("error_chosen")
    tag = choices.pop("tag", None)
    changes = {name: "" if choice == "none" else choice for name, choice in choices.items()}

    def change(card: Entity) -> None:
        if changes:
            _change_card(visit, card, **changes)
        if tag:
            _put_tagging(visit, card.id, tag)

    return _change_ticked(visit, change)


def done_ticked(visit: Visit) -> Shown:
    """Mark all ticked cards as done."""
    return _change_ticked(visit, lambda card: _change_card(visit, card, state=DONE))


def archive_ticked(visit: Visit) -> Shown:
    """Move all ticked cards to the archive."""
    return _change_ticked(
        visit, lambda card: visit.store.change("Item", {"id": card.id}, {"archived": visit.store.now})
    )


def restore_ticked(visit: Visit) -> Shown:
    """Restore all ticked cards from the archive."""
    return _change_ticked(visit, lambda card: visit.store.change("Item", {"id": card.id}, {"archived": ""}))


def _change_ticked(visit: Visit, change: Callable[[Entity], None]) -> Shown:
    cards = ticked(visit, "items")
    for card in cards:
        change(card)
    return {"count": len(cards)}


def add_tagging(visit: Visit) -> None:
    """Put a tag on a card."""
    _put_tagging(visit, visit.values["item"].id, visit.values["put_tag"])


def _put_tagging(visit: Visit, card_id: str, tag_id: str) -> None:
    visit.store.put("Tagging", {"id": f"{card_id}/{tag_id}", "item": card_id, "tag": tag_id})


def drop_taggings(visit: Visit) -> None:
    """Remove a deleted tag from all cards."""
    visit.store.drop("Tagging", {"tag": visit.values["tag"].id})


def add_step(visit: Visit) -> None:
    """Add a step to a card."""
    row = {"item": visit.values["item"].id, "name": visit.values["step_name"], "done": 0}
    visit.store.put("Step", {"id": visit.store.free_key("Step", row), **row})


def toggle_step(visit: Visit) -> None:
    """Mark a step as done, or as not done."""
    step = visit.values["step"]
    visit.store.change("Step", {"id": step.id}, {"done": 1 - step.done})


def add_comment(visit: Visit) -> None:
    """Add a comment, and record the people whom it mentions with an @."""
    text = visit.values["comment"]
    # Longest name first, because one name may be the start of another.
    people = sorted(visit.store.where("Person", {}), key=lambda person: -len(person.name))
    unmatched, mentioned_ids = text.casefold(), []
    for person in people:
        mention = f"@{person.name.casefold()}"
        if mention in unmatched:
            mentioned_ids.append(person.id)
            unmatched = unmatched.replace(mention, " ")
    row = {
        "item": visit.values["item"].id,
        "author": visit.session.owner,
        "text": text,
        "at": visit.store.now,
        "mentions": ", ".join(sorted(mentioned_ids)),
    }
    visit.store.put("Comment", {"id": visit.store.free_key("Comment", row), **row})
