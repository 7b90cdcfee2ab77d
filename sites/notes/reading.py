"""What the pages of documents, versions, links and tags show."""

import difflib
from collections.abc import Mapping
from typing import Any

from sites.kit import Visit
from sites.kit.logic.folders import path
from sites.kit.logic.nesting import above
from sites.kit.wording import markup
from stressweb.core.entity import Entity

type Shown = Mapping[str, Any]


def document(visit: Visit) -> Shown:
    """Return where a document lies, and what belongs to it."""
    here = visit.names["document"]
    trail, mine = above(visit.store.where("Folder", {}), here.folder), {"document": here.id}
    tags = [
        Entity({**(visit.store.one("Tag", one.tag) or {}), "tagging": one.id})
        for one in visit.store.where("Tagging", mine)
    ]
    said = [visit.store.joined(one, {"author": "Person"}) for one in visit.store.where("Comment", mine)]
    kept = [visit.store.joined(one, {"author": "Person"}) for one in visit.store.where("Version", mine)]
    return {
        "above": [*trail, here],
        "path": path(visit, trail),
        "tags": sorted(tags, key=lambda one: one.name),
        "paper": "text-bg-dark rounded p-3" if setting_of(visit).dark else "",
        "comments": sorted(said, key=lambda one: one.at),
        "links": sorted(_links(visit, mine), key=lambda one: one.name),
        "versions": sorted(kept, key=lambda one: one.at, reverse=True),
        "shown": here,
    }


def version(visit: Visit) -> Shown:
    """Return in what a version differs from the text as it is now."""
    old, now = (text.split("\n") for text in (visit.names["version"].body, visit.names["version"].document.body))
    signs = {"+ ": ("change_added", "text-bg-success"), "- ": ("change_removed", "text-bg-secondary")}
    lines = [line for line in difflib.ndiff(old, now) if line[:2] in signs and line[2:].strip()]
    found = [Entity(kind=signs[line[:2]][0], style=signs[line[:2]][1], text=markup.plain(line[2:])) for line in lines]
    return {"changes": found}


def opened(visit: Visit) -> Shown:
    """Return whether a link has ended."""
    row = visit.names["link"]
    return {"over": _over(visit, row) or bool(row.document.trashed)}


def tagged_with(visit: Visit) -> Shown:
    """Return the documents that have the tag of the page, the latest first; trash and archive are left out."""
    have = {one.document for one in visit.store.where("Tagging", {"tag": visit.names["tag"].id})}
    rows = [one for one in documents_of(visit, {"trashed": "", "archived": 0}) if one.id in have]
    return {"documents": sorted(rows, key=lambda one: one.changed, reverse=True)}


def all_links(visit: Visit) -> Shown:
    """Return the links to all documents; what lies in the trash is left out."""
    rows = [visit.store.joined(one, {"document": "Document"}) for one in _links(visit, {})]
    kept = [one for one in rows if not one.document.trashed]
    return {"links": sorted(kept, key=lambda one: (one.document.name, one.name))}


def _over(visit: Visit, row: Entity) -> bool:
    # On its last day a link still works.
    return bool(row.expires) and row.expires < visit.today


def _links(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    return [Entity({**one, "over": _over(visit, one)}) for one in visit.store.where("Link", where)]


def documents_of(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    """Return documents with their authors, by title."""
    rows = [visit.store.joined(one, {"author": "Person"}) for one in visit.store.where("Document", where)]
    return sorted(rows, key=lambda one: one.name)


def setting_of(visit: Visit) -> Entity:
    """Return the settings."""
    row = visit.store.one("Setting", "notebook")
    assert row is not None, "there is one row of settings, and no action deletes it"
    return row
