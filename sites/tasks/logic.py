"""Data for the tasks site's pages that its spec cannot express. Actions are in changing.py."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from stressweb.sites.tasks.lists import AFTER_ALL_DAYS, card_filter, list_rows, setting_of, with_uses
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
    # Done cards come last, because people look for open ones.
    "due": lambda card: (card.state == DONE, card.due or AFTER_ALL_DAYS, card.name),
    "priority": lambda card: (-PRIORITIES.index(card.priority), card.due or AFTER_ALL_DAYS, card.name),
    "name": lambda card: card.name.casefold(),
    "changed": lambda card: _latest_first(card.changed),
    "closed": lambda card: _latest_first(card.closed),
}
"""Sort keys of a list, by the order's name in the query."""

type Shown = Mapping[str, Any]


def _latest_first(moment: str) -> tuple[int, ...]:
    """Return a key that sorts moments from the latest to the earliest."""
    return tuple(-ord(letter) for letter in moment)


def home(visit: Visit) -> Shown:
    """Return the overview: numbers of cards, each person's open cards, and the projects."""
    cards, me = _cards(visit, {"archived": ""}), visit.names["me"].id
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
        matches = card_filter(visit, dict(pair.split("=") for pair in query.split("&")))
        tiles.append(Entity(id=label, said=visit.say(label), href=f"/items?{query}", count=sum(map(matches, cards))))
    open_cards = Counter(card.owner for card in cards if card.state != DONE)
    loads = [
        Entity(id=person.id, name=person.name, count=open_cards[person.id], said=str(open_cards[person.id]))
        for person in visit.store.where("Person", {})
    ]
    return {"told": tiles, "loads": loads, "projects": _projects(visit)}


def found(visit: Visit) -> Shown:
    """Return the cards that match the query, sorted as it says."""
    query = Entity({name: visit.args.get(name, "").strip() for name in _QUERY})
    matches = list(filter(card_filter(visit, query), _cards(visit, {"archived": ""})))
    is_filtered = any(query[name] for name in _QUERY if name != "sort")
    query["sort"] = query.sort if query.sort in _SORTS else "due"
    matches.sort(key=_SORTS[query.sort])
    return {"asked": query, "items": list_rows(visit, matches), "many": len(matches), "filtered": is_filtered}


def found_words(visit: Visit) -> Shown:
    """Return the cards whose name or description contains all search words; none for an empty search."""
    search = search_words(visit)
    return {**search, **(found(visit) if words(search["args"]["q"]) else {"items": []})}


def archive(visit: Visit) -> Shown:
    """Return the archived cards, latest first."""
    archived = [card for card in _cards(visit, {}) if card.archived]
    return {"items": list_rows(visit, sorted(archived, key=lambda card: card.archived, reverse=True))}


def board(visit: Visit) -> Shown:
    """Return the cards of a project in the order of its board, and the board's style."""
    project = visit.names["project"]
    cards = _cards(visit, {"project": project.id, "archived": ""})
    lead = visit.store.one("Person", project.lead)
    theme = setting_of(visit).theme.removeprefix("theme_")
    return {
        "items": list_rows(visit, sorted(cards, key=lambda card: card.position)),
        "style": f"kit-board-{theme}",
        "shown": Entity({**project, "lead": lead, **_progress(cards)}),
    }


def all_projects(visit: Visit) -> Shown:
    """Return every project with its numbers of cards and done cards."""
    return {"rows": _projects(visit)}


def item(visit: Visit) -> Shown:
    """Return a card with its author, owner, tags, steps and comments."""
    card = visit.names["item"]
    (list_row,) = list_rows(visit, [card])
    author = visit.store.one("Person", card.author)
    comments = [
        visit.store.joined(comment, {"author": "Person"}) for comment in visit.store.where("Comment", {"item": card.id})
    ]
    return {
        "shown": Entity({**list_row, "author": author}),
        "row": card,
        "steps": visit.store.where("Step", {"item": card.id}),
        "comments": _with_mentioned_names(visit, comments),
    }


def mentions(visit: Visit) -> Shown:
    """Return the comments that mention the signed-in user, latest first."""
    rows = [visit.store.joined(comment, {"author": "Person", "item": "Item"}) for comment in _mentioning_me(visit)]
    return {"comments": sorted(_with_mentioned_names(visit, rows), key=lambda comment: comment.at, reverse=True)}


def mention_count(visit: Visit) -> Shown:
    """Return the number of comments that mention the signed-in user."""
    return {"count": len(_mentioning_me(visit))}


def draft(visit: Visit) -> Shown:
    """Return the initial values of a new card's form: those of the card in `copy`, or the default priority."""
    if original := visit.store.one("Item", visit.args.get("copy", "")):
        tags = [tagging.tag for tagging in visit.store.where("Tagging", {"item": original.id})]
        return {"draft": Entity({**original, "tags": ", ".join(tags)})}
    blank = dict.fromkeys(("name", "about", "owner", "due", "tags"), "")
    project, priority = visit.args.get("project", ""), setting_of(visit).priority
    return {"draft": Entity({**blank, "project": project, "priority": priority})}


def preferences(visit: Visit) -> Shown:
    """Return the settings."""
    return {"setting": setting_of(visit)}


def _cards(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    return visit.store.where("Item", where)


def _mentioning_me(visit: Visit) -> list[Entity]:
    me = visit.names["me"].id
    return [comment for comment in visit.store.where("Comment", {}) if me in comment.mentions.split(", ")]


def _with_mentioned_names(visit: Visit, comments: Iterable[Entity]) -> list[Entity]:
    names = {person.id: person.name for person in visit.store.where("Person", {})}
    return [
        Entity({**comment, "tells": ", ".join(names[key] for key in comment.mentions.split(", ") if key)})
        for comment in comments
    ]


def _projects(visit: Visit) -> list[Entity]:
    cards = _cards(visit, {"archived": ""})
    return [
        Entity({
            **project,
            "lead": visit.store.one("Person", project.lead),
            **_progress([card for card in cards if card.project == project.id]),
        })
        for project in visit.store.where("Project", {})
    ]  # fmt: skip


def _progress(cards: Sequence[Entity]) -> dict[str, int]:
    """Return the number of cards, and of those that are done, with their percentage."""
    done = sum(card.state == DONE for card in cards)
    return {"total": len(cards), "done": done, "percent": round(100 * done / max(1, len(cards)))}
