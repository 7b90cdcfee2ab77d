"""Entities that goals refer to but no table holds: documents with paths and counts, and days."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.logic.nesting import above
from stressweb.sites.notes.plan import requests

type Values = Mapping[str, Any]


def _where(trail: Sequence[Entity]) -> dict[str, Any]:
    """Return the names of the folders in a path, the path as text, and its depth."""
    names = [row.name for row in trail]
    first, second, third = [*names, "", "", ""][:3]
    return {"first": first, "second": second, "third": third, "path": " > ".join(names), "depth": len(names)}


def notes(drawing: Drawing) -> Iterator[Values]:
    """Yield every document outside the trash with its path, its age in days, and counts of what belongs to it."""
    folders, names = drawing.made["Folder"], {person.id: person.name for person in drawing.made["Person"]}
    counted = {
        name: Counter(record.document for record in drawing.made[name]) for name in ("Tagging", "Link", "Version")
    }
    open_comments = Counter(comment.document for comment in drawing.made["Comment"] if not comment.resolved)
    for row in drawing.made["Document"]:
        if not row.trashed:
            yield {
                **row,
                **_where(above(folders, row.folder)),
                "age": _age(drawing, row.changed),
                "author_name": names[row.author],
                "tags": counted["Tagging"][row.id],
                "links": counted["Link"][row.id],
                "versions": counted["Version"][row.id],
                "open": open_comments[row.id],
            }


def _age(drawing: Drawing, moment: str) -> int:
    return (drawing.start.date() - datetime.fromisoformat(moment).date()).days


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield every folder outside the trash with its path and the number of documents that its page lists."""
    listed = Counter(row.folder for row in drawing.made["Document"] if not row.trashed and not row.archived)
    rows = drawing.made["Folder"]
    for row in rows:
        if not row.trashed:
            folders = sum(child.parent == row.id and not child.trashed for child in rows)
            yield {**row, **_where(above(rows, row.id)), "documents": listed[row.id], "folders": folders}


def binned(drawing: Drawing) -> Iterator[Values]:
    """Yield every document in the trash, and whether it was trashed without its folder."""
    stamps = {row.id: row.trashed for row in drawing.made["Folder"]}
    for row in drawing.made["Document"]:
        if row.trashed:
            yield {**row, "alone": int(stamps[row.folder] != row.trashed)}


def tagged(drawing: Drawing) -> Iterator[Values]:
    """Yield every tag of each document that is neither trashed nor archived."""
    rows = {
        document.id: document for document in drawing.made["Document"] if not document.trashed and not document.archived
    }
    for tagging in drawing.made["Tagging"]:
        if row := rows.get(tagging.document):
            age = _age(drawing, row.changed)
            fields = {name: row[name] for name in ("name", "words", "author", "folder")}
            yield {"id": tagging.id, "tag": tagging.tag, "document": row.id, "age": age, **fields}


def shared(drawing: Drawing) -> Iterator[Values]:
    """Yield every link, and whether it has expired."""
    today = drawing.start.date().isoformat()
    for row in drawing.made["Link"]:
        yield {**row, "over": int(bool(row.expires) and row.expires < today)}


def remarks(drawing: Drawing) -> Iterator[Values]:
    """Yield every comment with its author's name; `theirs` counts that author's open ones on the document."""
    names = {person.id: person.name for person in drawing.made["Person"]}
    counts = Counter((comment.document, comment.author) for comment in drawing.made["Comment"] if not comment.resolved)
    for row in drawing.made["Comment"]:
        yield {**row, "author_name": names[row.author], "theirs": counts[row.document, row.author]}


def editions(drawing: Drawing) -> Iterator[Values]:
    """Yield every version, numbered from the oldest; `theirs` is its number among its author's."""
    names = {person.id: person.name for person in drawing.made["Person"]}
    rows = drawing.made["Version"]
    last = {version.document: version.id for version in rows}
    of_author = {(version.document, version.author): version.id for version in rows}
    nth, theirs = Counter[str](), Counter[tuple[str, str]]()
    for row in rows:
        nth[row.document] += 1
        theirs[row.document, row.author] += 1
        heads = [line[2:] for line in row.body.split("\n") if line.startswith("# ")]
        yield {
            **row,
            "author_name": names[row.author],
            "current": int(last[row.document] == row.id),
            "nth": nth[row.document],
            # 0 unless it is its author's latest version.
            "theirs": theirs[row.document, row.author] if of_author[row.document, row.author] == row.id else 0,
            "head": heads[-1],
        }


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it."""
    for ahead in range(120):
        yield {"id": (drawing.start.date() + timedelta(days=ahead)).isoformat(), "ahead": ahead}


def new_words(drawing: Drawing) -> Iterator[Values]:
    """Yield names for new workspaces, folders, documents, tags and links, and texts for comments."""
    for sort in ("workspaces", "folders", "titles", "tags", "links", "comments"):
        yield from ({"id": slug(name), "name": name, "sort": sort} for name in requests()[sort])
