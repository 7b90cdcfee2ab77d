"""Entities that goals refer to but no table holds: documents and folders with paths and counts, and days."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.notes.plan import requests

type Values = Mapping[str, Any]

_DAYS = 120
"""Number of days that goals can name."""


def _path_fields(trail: Sequence[Entity]) -> dict[str, Any]:
    """Return the names of the first three folders in a path, the path as text, and its depth."""
    names = [folder.name for folder in trail]
    first, second, third = [*names, "", "", ""][:3]
    return {"first": first, "second": second, "third": third, "path": " > ".join(names), "depth": len(names)}


def _person_names(drawing: Drawing) -> dict[str, str]:
    return {person.id: person.name for person in drawing.made["Person"]}


def _age_days(drawing: Drawing, moment: str) -> int:
    return (drawing.start.date() - datetime.fromisoformat(moment).date()).days


def notes(drawing: Drawing) -> Iterator[Values]:
    """Yield every document outside the trash with its path, age in days, author and counts."""
    folders, names = drawing.made["Folder"], _person_names(drawing)
    tags, links, versions = (
        Counter(row.document for row in drawing.made[entity]) for entity in ("Tagging", "Link", "Version")
    )
    open_comments = Counter(comment.document for comment in drawing.made["Comment"] if not comment.resolved)
    for document in drawing.made["Document"]:
        if not document.trashed:
            yield {
                **document,
                **_path_fields(path_to(folders, document.folder)),
                "age": _age_days(drawing, document.changed),
                "author_name": names[document.author],
                "tags": tags[document.id],
                "links": links[document.id],
                "versions": versions[document.id],
                "open": open_comments[document.id],
            }


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield every folder outside the trash with its path and the numbers of documents and folders on its page."""
    documents = Counter(row.folder for row in drawing.made["Document"] if not row.trashed and not row.archived)
    folders = drawing.made["Folder"]
    subfolders = Counter(folder.parent for folder in folders if not folder.trashed)
    for folder in folders:
        if not folder.trashed:
            counts = {"documents": documents[folder.id], "folders": subfolders[folder.id]}
            yield {**folder, **_path_fields(path_to(folders, folder.id)), **counts}


def binned(drawing: Drawing) -> Iterator[Values]:
    """Yield every document in the trash; `alone` is 1 if it was trashed without its folder."""
    folders_trashed = {folder.id: folder.trashed for folder in drawing.made["Folder"]}
    for document in drawing.made["Document"]:
        if document.trashed:
            yield {**document, "alone": int(folders_trashed[document.folder] != document.trashed)}


def tagged(drawing: Drawing) -> Iterator[Values]:
    """Yield every tag of each document that is neither trashed nor archived."""
    documents = {row.id: row for row in drawing.made["Document"] if not row.trashed and not row.archived}
    for tagging in drawing.made["Tagging"]:
        if document := documents.get(tagging.document):
            age = _age_days(drawing, document.changed)
            fields = {name: document[name] for name in ("name", "words", "author", "folder")}
            yield {"id": tagging.id, "tag": tagging.tag, "document": document.id, "age": age, **fields}


def shared(drawing: Drawing) -> Iterator[Values]:
    """Yield every link; `over` is 1 if it has expired."""
    today = drawing.start.date().isoformat()
    for link in drawing.made["Link"]:
        yield {**link, "over": int(bool(link.expires) and link.expires < today)}


def remarks(drawing: Drawing) -> Iterator[Values]:
    """Yield every comment; `theirs` is the number of open comments that its author has on the document."""
    names = _person_names(drawing)
    open_by_author = Counter(
        (comment.document, comment.author) for comment in drawing.made["Comment"] if not comment.resolved
    )
    for comment in drawing.made["Comment"]:
        theirs = open_by_author[comment.document, comment.author]
        yield {**comment, "author_name": names[comment.author], "theirs": theirs}


def editions(drawing: Drawing) -> Iterator[Values]:
    """Yield every version with its number `nth`, counted from the document's oldest, and its last heading.

    `theirs` is the author's number of versions of the document, or 0 unless this is the author's latest.
    """
    names, versions = _person_names(drawing), drawing.made["Version"]
    current_ids = {version.document: version.id for version in versions}
    latest_by_author = {(version.document, version.author): version.id for version in versions}
    total_by_author = Counter((version.document, version.author) for version in versions)
    nth = Counter[str]()
    for version in versions:
        nth[version.document] += 1
        author_key = (version.document, version.author)
        headings = [line[2:] for line in version.body.split("\n") if line.startswith("# ")]
        yield {
            **version,
            "author_name": names[version.author],
            "current": int(current_ids[version.document] == version.id),
            "nth": nth[version.document],
            "theirs": total_by_author[author_key] if latest_by_author[author_key] == version.id else 0,
            "head": headings[-1],
        }


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it."""
    for days_ahead in range(_DAYS):
        yield {"id": (drawing.start.date() + timedelta(days=days_ahead)).isoformat(), "ahead": days_ahead}


def new_words(drawing: Drawing) -> Iterator[Values]:
    """Yield names for new workspaces, folders, documents, tags and links, and texts for comments."""
    for sort in ("workspaces", "folders", "titles", "tags", "links", "comments"):
        yield from ({"id": slug(name), "name": name, "sort": sort} for name in requests()[sort])
