"""Data for the tasks site's pages that its spec cannot express. Actions are in changing.py."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit
from stressweb.sites.kit.mixins.search.logic import search_words
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.tasks.changing import (
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
    take_item,
    toggle_done,
    toggle_step,
    undo_archive,
)
from stressweb.sites.tasks.derived_entities import cards, days, lines, new_words, papers, remarks, stored, todos
from stressweb.sites.tasks.lists import NEVER, as_listed, fitting, setting_of, with_uses
from stressweb.sites.tasks.plan import DONE, PRIORITIES, comments, items, people, projects, settings, steps, taggings

# The spec names functions of this module; some are defined in other modules.
__all__ = [
    "add_comment", "add_item", "add_lines", "add_step", "add_tagging", "archive_item", "archive_ticked", "cards",
    "change_item", "comments", "days", "done_ticked", "drop_taggings", "edit_ticked", "items", "lines", "move_item",
    "new_words", "papers", "people", "projects", "remarks", "restore_item", "restore_ticked", "settings",
    "shift_item", "steps", "stored", "taggings", "take_item", "todos", "toggle_done", "toggle_step", "undo_archive",
    "with_uses",
]  # fmt: skip

_QUERY = ("q", "project", "state", "priority", "owner", "tag", "due", "sort")
"""Query parameters of a list."""
_SORTS: Mapping[str, Callable[[Entity], Any]] = {
    # What is done comes last: people look for what there is to do.
    "due": lambda row: (row.state == DONE, row.due or NEVER, row.name),
    "priority": lambda row: (-PRIORITIES.index(row.priority), row.due or NEVER, row.name),
    "name": lambda row: row.name.casefold(),
    "changed": lambda row: _latest_first(row.changed),
    "closed": lambda row: _latest_first(row.closed),
}

type Shown = Mapping[str, Any]


def _latest_first(moment: str) -> tuple[int, ...]:
    """Return a key that sorts moments from the latest to the earliest."""
    return tuple(-ord(letter) for letter in moment)


def home(visit: Visit) -> Shown:
    """Return the overview: numbers of cards, each person's open cards, and the projects."""
    rows, me = _rows(visit, {"archived": ""}), visit.names["me"].id
    undone = [row for row in rows if row.state != DONE]
    queries = {
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
    tiles = []
    for label, query in queries.items():
        fits = fitting(visit, dict(pair.split("=") for pair in query.split("&")))
        tiles.append(Entity(id=label, said=visit.say(label), href=f"/items?{query}", count=sum(map(fits, rows))))
    many = Counter(row.owner for row in undone)
    names = visit.store.where("Person", {})
    loads = [
        Entity(id=person.id, name=person.name, count=many[person.id], said=str(many[person.id])) for person in names
    ]
    return {"told": tiles, "loads": loads, "projects": _projects(visit)}


def found(visit: Visit) -> Shown:
    """Return the cards that match the query, in its order."""
    query = Entity({name: visit.args.get(name, "").strip() for name in _QUERY})
    rows = filter(fitting(visit, query), _rows(visit, {"archived": ""}))
    filtered = any(query[name] for name in _QUERY if name != "sort")
    query["sort"] = query.sort if query.sort in _SORTS else "due"
    matches = sorted(rows, key=_SORTS[query.sort])
    return {"asked": query, "items": as_listed(visit, matches), "many": len(matches), "filtered": filtered}


def found_words(visit: Visit) -> Shown:
    """Return the cards whose name or description contains all search words; none for an empty search."""
    search = search_words(visit)
    return {**search, **(found(visit) if words(search["args"]["q"]) else {"items": []})}


def archive(visit: Visit) -> Shown:
    """Return the archived cards, latest first."""
    rows = [row for row in _rows(visit, {}) if row.archived]
    return {"items": as_listed(visit, sorted(rows, key=lambda row: row.archived, reverse=True))}


def board(visit: Visit) -> Shown:
    """Return the cards of a project in the order of its board, and the board's style."""
    rows = _rows(visit, {"project": visit.names["project"].id, "archived": ""})
    lead = visit.store.one("Person", visit.names["project"].lead)
    theme = setting_of(visit).theme.removeprefix("theme_")
    return {
        "items": as_listed(visit, sorted(rows, key=lambda row: row.position)),
        "style": f"kit-board-{theme}",
        "shown": Entity(
            {
                **visit.names["project"],
                "lead": lead,
                "total": len(rows),
                "done": sum(row.state == DONE for row in rows),
            }
        ),
    }


def all_projects(visit: Visit) -> Shown:
    """Return every project with its numbers of cards and done cards."""
    return {"rows": _projects(visit)}


def item(visit: Visit) -> Shown:
    """Return a card with its steps, comments, tags and people."""
    row = visit.names["item"]
    (listed,) = as_listed(visit, [row])
    author = visit.store.one("Person", row.author)
    written = [
        visit.store.joined(comment, {"author": "Person"}) for comment in visit.store.where("Comment", {"item": row.id})
    ]
    return {
        "shown": Entity({**listed, "author": author}),
        "row": row,
        "steps": visit.store.where("Step", {"item": row.id}),
        "comments": _with_mentions(visit, written),
    }


def mentions(visit: Visit) -> Shown:
    """Return the comments that mention the signed-in user, latest first."""
    joined = [visit.store.joined(comment, {"author": "Person", "item": "Item"}) for comment in _mentioning_me(visit)]
    return {"comments": sorted(_with_mentions(visit, joined), key=lambda comment: comment.at, reverse=True)}


def mention_count(visit: Visit) -> Shown:
    """Return how many comments mention the signed-in user."""
    return {"count": len(_mentioning_me(visit))}


def draft(visit: Visit) -> Shown:
    """Return the initial values of a new card's form: the card to copy, or its project and the default priority."""
    if original := visit.store.one("Item", visit.args.get("copy", "")):
        tags = [tagging.tag for tagging in visit.store.where("Tagging", {"item": original.id})]
        return {"draft": Entity({**original, "tags": ", ".join(tags)})}
    blank = dict.fromkeys(("name", "about", "owner", "due", "tags"), "")
    project, priority = visit.args.get("project", ""), setting_of(visit).priority
    return {"draft": Entity({**blank, "project": project, "priority": priority})}


def preferences(visit: Visit) -> Shown:
    """Return the settings."""
    return {"setting": setting_of(visit)}


def _rows(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    return visit.store.where("Item", where)


def _mentioning_me(visit: Visit) -> list[Entity]:
    return [
        comment for comment in visit.store.where("Comment", {}) if visit.names["me"].id in comment.mentions.split(", ")
    ]


def _with_mentions(visit: Visit, rows: Iterable[Entity]) -> list[Entity]:
    names = {person.id: person.name for person in visit.store.where("Person", {})}
    return [
        Entity({**comment, "tells": ", ".join(names[key] for key in comment.mentions.split(", ") if key)})
        for comment in rows
    ]


def _projects(visit: Visit) -> list[Entity]:
    rows = _rows(visit, {"archived": ""})
    total, done = Counter(row.project for row in rows), Counter(row.project for row in rows if row.state == DONE)
    return [
        Entity({**row, "lead": visit.store.one("Person", row.lead), "done": done[row.id], "total": total[row.id]})
        for row in visit.store.where("Project", {})
    ]
