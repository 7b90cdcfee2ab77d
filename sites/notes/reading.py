"""Data for the pages of documents, versions, links and tags."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit
from stressweb.sites.kit.logic.folders import path
from stressweb.sites.kit.logic.nesting import above
from stressweb.sites.kit.wording import markup
from stressweb.sites.notes.lists import with_excerpts

type Shown = Mapping[str, Any]


def document(visit: Visit) -> Shown:
    """Return a document's path, tags, comments, links and versions."""
    here = visit.names["document"]
    trail, mine = above(visit.store.where("Folder", {}), here.folder), {"document": here.id}
    tags = [
        Entity({**(visit.store.one("Tag", tagging.tag) or {}), "tagging": tagging.id})
        for tagging in visit.store.where("Tagging", mine)
    ]
    comments = [visit.store.joined(row, {"author": "Person"}) for row in visit.store.where("Comment", mine)]
    versions = [visit.store.joined(row, {"author": "Person"}) for row in visit.store.where("Version", mine)]
    return {
        "above": [*trail, here],
        "path": path(visit, trail),
        "tags": sorted(tags, key=lambda tag: tag.name),
        "paper": "text-bg-dark rounded p-3" if setting_of(visit).dark else "",
        "comments": sorted(comments, key=lambda comment: comment.at),
        "comment_count": _comment_count(visit, comments),
        "links": sorted(_links(visit, mine), key=lambda link: link.name),
        "link_count": len(visit.store.where("Link", mine)),
        "versions": sorted(versions, key=lambda row: row.at, reverse=True),
        "version_count": len(versions),
        "shown": here,
    }


def _comment_count(visit: Visit, comments: Sequence[Entity]) -> str:
    total, unresolved = len(comments), sum(not comment.resolved for comment in comments)
    return visit.say("open_comments", {"total": total, "open": unresolved}) if unresolved else str(total)


def version(visit: Visit) -> Shown:
    """Return the lines that differ between a version and the current text."""
    old, now = (text.split("\n") for text in (visit.names["version"].body, visit.names["version"].document.body))
    signs = {"+ ": ("change_added", "text-bg-success"), "- ": ("change_removed", "text-bg-secondary")}
    lines = [line for line in difflib.ndiff(old, now) if line[:2] in signs and line[2:].strip()]
    changes = [Entity(kind=signs[line[:2]][0], style=signs[line[:2]][1], text=markup.plain(line[2:])) for line in lines]
    return {"changes": changes}


def opened(visit: Visit) -> Shown:
    """Return whether a link has expired or its document is in the trash."""
    row = visit.names["link"]
    return {"over": _expired(visit, row) or bool(row.document.trashed)}


def tagged_with(visit: Visit) -> Shown:
    """Return the documents with the page's tag, latest change first, without trash and archive."""
    tagged_ids = {tagging.document for tagging in visit.store.where("Tagging", {"tag": visit.names["tag"].id})}
    rows = [row for row in documents_of(visit, {"trashed": "", "archived": 0}) if row.id in tagged_ids]
    return {"documents": with_excerpts(visit, sorted(rows, key=lambda row: row.changed, reverse=True))}


def all_links(visit: Visit) -> Shown:
    """Return all links, except those to documents in the trash."""
    rows = [visit.store.joined(link, {"document": "Document"}) for link in _links(visit, {})]
    links = [link for link in rows if not link.document.trashed]
    return {"links": sorted(links, key=lambda link: (link.document.name, link.name))}


def _expired(visit: Visit, row: Entity) -> bool:
    # A link still works on its last day.
    return bool(row.expires) and row.expires < visit.today


def _links(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    return [Entity({**link, "over": _expired(visit, link)}) for link in visit.store.where("Link", where)]


def documents_of(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    """Return documents with their authors, by title."""
    rows = [visit.store.joined(row, {"author": "Person"}) for row in visit.store.where("Document", where)]
    return sorted(rows, key=lambda row: row.name)


def setting_of(visit: Visit) -> Entity:
    """Return the settings."""
    row = visit.store.one("Setting", "notebook")
    assert row is not None, "there is one row of settings, and no action deletes it"
    return row
