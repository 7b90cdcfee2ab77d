"""Data for the pages of documents, versions, links and tags."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit
from stressweb.sites.kit.logic.folders import path
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.kit.wording import markup
from stressweb.sites.notes.lists import with_excerpts

type Shown = Mapping[str, Any]


def document(visit: Visit) -> Shown:
    """Return a document's path, tags, comments, links and versions."""
    page_document = visit.names["document"]
    trail = path_to(visit.store.where("Folder", {}), page_document.folder)
    where = {"document": page_document.id}
    tags = [
        Entity({**(visit.store.one("Tag", tagging.tag) or {}), "tagging": tagging.id})
        for tagging in visit.store.where("Tagging", where)
    ]
    comments, versions = (
        [visit.store.joined(row, {"author": "Person"}) for row in visit.store.where(entity, where)]
        for entity in ("Comment", "Version")
    )
    return {
        "above": [*trail, page_document],
        "path": path(visit, trail),
        "tags": sorted(tags, key=lambda tag: tag.name),
        "paper": "text-bg-dark rounded p-3" if setting_of(visit).dark else "",
        "comments": sorted(comments, key=lambda comment: comment.at),
        "comment_count": _comment_count(visit, comments),
        "links": sorted(_links(visit, where), key=lambda link: link.name),
        "link_count": len(visit.store.where("Link", where)),
        "versions": sorted(versions, key=lambda version: version.at, reverse=True),
        "version_count": len(versions),
        "shown": page_document,
    }


def _comment_count(visit: Visit, comments: Sequence[Entity]) -> str:
    total, unresolved = len(comments), sum(not comment.resolved for comment in comments)
    return visit.say("open_comments", {"total": total, "open": unresolved}) if unresolved else str(total)


def version(visit: Visit) -> Shown:
    """Return the lines that differ between a version and the current text."""
    row = visit.names["version"]
    marks = {"+ ": ("change_added", "text-bg-success"), "- ": ("change_removed", "text-bg-secondary")}
    changes = []
    for line in difflib.ndiff(row.body.split("\n"), row.document.body.split("\n")):
        mark, text = line[:2], line[2:]
        if mark in marks and text.strip():
            kind, style = marks[mark]
            changes.append(Entity(kind=kind, style=style, text=markup.plain(text)))
    return {"changes": changes}


def opened(visit: Visit) -> Shown:
    """Return whether a link has expired or its document is in the trash."""
    link = visit.names["link"]
    return {"over": _is_expired(visit, link) or bool(link.document.trashed)}


def tagged_with(visit: Visit) -> Shown:
    """Return the documents with the page's tag, latest change first; trashed and archived ones are left out."""
    tagged_ids = {tagging.document for tagging in visit.store.where("Tagging", {"tag": visit.names["tag"].id})}
    current = documents_with_authors(visit, {"trashed": "", "archived": 0})
    tagged = [row for row in current if row.id in tagged_ids]
    return {"documents": with_excerpts(visit, sorted(tagged, key=lambda row: row.changed, reverse=True))}


def all_links(visit: Visit) -> Shown:
    """Return all links, except those to documents in the trash."""
    links = [visit.store.joined(link, {"document": "Document"}) for link in _links(visit, {})]
    available = [link for link in links if not link.document.trashed]
    return {"links": sorted(available, key=lambda link: (link.document.name, link.name))}


def _is_expired(visit: Visit, link: Entity) -> bool:
    # A link still works on its last day.
    return bool(link.expires) and link.expires < visit.today


def _links(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    return [Entity({**link, "over": _is_expired(visit, link)}) for link in visit.store.where("Link", where)]


def documents_with_authors(visit: Visit, where: Mapping[str, Any]) -> list[Entity]:
    """Return the matching documents with their authors, sorted by title."""
    rows = [visit.store.joined(row, {"author": "Person"}) for row in visit.store.where("Document", where)]
    return sorted(rows, key=lambda row: row.name)


def setting_of(visit: Visit) -> Entity:
    """Return the settings."""
    setting = visit.store.one("Setting", "notebook")
    assert setting is not None, "there is one row of settings, and no action deletes it"
    return setting
