"""What the spec of the projects cannot say: what pages show. What their buttons do is in changing.py."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sites.kit import Visit
from sites.kit.mixins.search.logic import search_words
from sites.kit.widgets.listing.model import words
from sites.tasks.changing import (
    add_comment,
    add_item,
    add_lines,
    add_step,
    add_tagging,
    archive_item,
    archive_ticked,
    change_item,
    done_ticked,
    drop_taggings,
    edit_ticked,
    move_item,
    restore_item,
    restore_ticked,
    shift_item,
    toggle_done,
    toggle_step,
)
from sites.tasks.derived_entities import cards, days, lines, new_words, papers, remarks, stored, todos
from sites.tasks.lists import NEVER, as_listed, fitting, setting_of
from sites.tasks.plan import DONE, PRIORITIES, comments, items, people, projects, settings, steps, taggings
from stressweb.core.entity import Entity

# The spec names functions of this module; some of them live in modules of their own.
__all__ = [
    "add_comment", "add_item", "add_lines", "add_step", "add_tagging", "archive_item", "archive_ticked", "cards",
    "change_item", "comments", "days", "done_ticked", "drop_taggings", "edit_ticked", "items", "lines", "move_item",
    "new_words", "papers", "people", "projects", "remarks", "restore_item", "restore_ticked", "settings",
    "shift_item", "steps", "stored", "taggings", "todos", "toggle_done", "toggle_step",
]  # fmt: skip

_ASKED = ("q", "project", "state", "priority", "owner", "tag", "due", "sort")
"""What a list can be asked for."""
_SORTS: Mapping[str, Callable[[Entity], Any]] = {
    "due": lambda row: (row.due or NEVER, row.name),
    "priority": lambda row: (-PRIORITIES.index(row.priority), row.due or NEVER, row.name),
    "name": lambda row: row.name.casefold(),
    "closed": lambda row: tuple(-ord(letter) for letter in row.closed),
}

type Shown = Mapping[str, Any]


def home(visit: Visit) -> Shown:
    """Return the cards of the overview with their counts, how much everybody has to do, and the projects."""
    rows, me = _rows(visit, {"archived": ""}), visit.names["me"].id
    undone = [row for row in rows if row.state != DONE]
    asked = {
        "card_over": "due=over",
        "card_today": "due=today",
        "card_week": "due=week",
        "card_next": "due=next",
        "card_mine": f"state=open&owner={me}",
        "card_free": "state=open&owner=none",
        "card_urgent": "state=open&priority=urgent",
        "card_review": "state=review",
        "card_closed": "due=closed",
    }
    told = []
    for label, query in asked.items():
        fits = fitting(visit, dict(one.split("=") for one in query.split("&")))
        told.append(Entity(id=label, said=visit.say(label), href=f"/items?{query}", count=sum(map(fits, rows))))
    many = Counter(row.owner for row in undone)
    names = visit.store.where("Person", {})
    loads = [Entity(id=one.id, name=one.name, count=many[one.id], said=str(many[one.id])) for one in names]
    return {"told": told, "loads": loads, "projects": _projects(visit)}


def found(visit: Visit) -> Shown:
    """Return the cards that fit what was asked for, in the order asked for."""
    asked = Entity({name: visit.args.get(name, "").strip() for name in _ASKED})
    rows = filter(fitting(visit, asked), _rows(visit, {"archived": ""}))
    asked["sort"] = asked.sort if asked.sort in _SORTS else "due"
    shown = sorted(rows, key=_SORTS[asked.sort])
    return {"asked": asked, "items": as_listed(visit, shown), "many": len(shown)}


def found_words(visit: Visit) -> Shown:
    """Return the cards in whose name or description the words of a search stand; who says none finds none."""
    said = search_words(visit)
    return {**said, **(found(visit) if words(said["args"]["q"]) else {"items": []})}


def archive(visit: Visit) -> Shown:
    """Return the cards in the archive, those first that were put there last."""
    rows = [row for row in _rows(visit, {}) if row.archived]
    return {"items": as_listed(visit, sorted(rows, key=lambda row: row.archived, reverse=True))}


def board(visit: Visit) -> Shown:
    """Return the cards of a project in the order of its board, and how the board looks."""
    rows = _rows(visit, {"project": visit.names["project"].id, "archived": ""})
    lead = visit.store.one("Person", visit.names["project"].lead)
    theme = setting_of(visit).theme.removeprefix("theme_")
    return {
        "items": as_listed(visit, sorted(rows, key=lambda row: row.position)),
        "style": f"kit-board-{theme}",
        "shown": Entity({**visit.names["project"], "lead": lead}),
    }


def all_projects(visit: Visit) -> Shown:
    """Return every project with how much of it is done."""
    return {"rows": _projects(visit)}


def item(visit: Visit) -> Shown:
    """Return what belongs to a card: steps, comments, tags, and who it concerns."""
    row = visit.names["item"]
    (shown,) = as_listed(visit, [row])
    author = visit.store.one("Person", row.author)
    written = [visit.store.joined(one, {"author": "Person"}) for one in visit.store.where("Comment", {"item": row.id})]
    return {
        "shown": Entity({**shown, "author": author}),
        "row": row,
        "steps": visit.store.where("Step", {"item": row.id}),
        "comments": _naming(visit, written),
    }


def mentions(visit: Visit) -> Shown:
    """Return the comments that tell who is signed in, the latest first."""
    joined = [visit.store.joined(one, {"author": "Person", "item": "Item"}) for one in _telling_me(visit)]
    return {"comments": sorted(_naming(visit, joined), key=lambda one: one.at, reverse=True)}


def mention_count(visit: Visit) -> Shown:
    """Return how many comments tell who is signed in."""
    return {"count": len(_telling_me(visit))}


def draft(visit: Visit) -> Shown:
    """Return what stands in the form for a new card: its project and the usual priority."""
    return {"draft": Entity(project=visit.args.get("project", ""), priority=setting_of(visit).priority)}


def preferences(visit: Visit) -> Shown:
    """Return the settings."""
    return {"setting": setting_of(visit)}


def _rows(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    return visit.store.where("Item", where)


def _telling_me(visit: Visit) -> list[Entity]:
    return [one for one in visit.store.where("Comment", {}) if visit.names["me"].id in one.mentions.split(", ")]


def _naming(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    names = {one.id: one.name for one in visit.store.where("Person", {})}
    return [Entity({**one, "tells": ", ".join(names[key] for key in one.mentions.split(", ") if key)}) for one in rows]


def _projects(visit: Visit) -> list[Entity]:
    rows = _rows(visit, {"archived": ""})
    total, done = Counter(row.project for row in rows), Counter(row.project for row in rows if row.state == DONE)
    return [
        Entity({**one, "lead": visit.store.one("Person", one.lead), "done": done[one.id], "total": total[one.id]})
        for one in visit.store.where("Project", {})
    ]
