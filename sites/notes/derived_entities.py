"""What goals name and no table holds: documents with where they lie and what belongs to them, and days."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sites.kit import Drawing, slug
from sites.kit.logic.nesting import above
from sites.notes.plan import requests
from stressweb.core.entity import Entity

type Values = Mapping[str, Any]


def _where(trail: Sequence[Entity]) -> dict[str, Any]:
    """Return how a place is reached: the folders on the way, and their path in words."""
    names = [row.name for row in trail]
    first, second, third = [*names, "", "", ""][:3]
    return {"first": first, "second": second, "third": third, "path": " > ".join(names), "depth": len(names)}


def notes(drawing: Drawing) -> Iterator[Values]:
    """Yield every document that is not in the trash, with where it lies, how old it is, and what belongs to it."""
    folders, names = drawing.made["Folder"], {one.id: one.name for one in drawing.made["Person"]}
    counted = {name: Counter(one.document for one in drawing.made[name]) for name in ("Tagging", "Link", "Version")}
    open_ones = Counter(one.document for one in drawing.made["Comment"] if not one.resolved)
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
                "open": open_ones[row.id],
            }


def _age(drawing: Drawing, moment: str) -> int:
    return (drawing.start.date() - datetime.fromisoformat(moment).date()).days


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield every folder that is not in the trash, with where it lies and how many documents its page lists."""
    listed = Counter(row.folder for row in drawing.made["Document"] if not row.trashed and not row.archived)
    rows = drawing.made["Folder"]
    for row in rows:
        if not row.trashed:
            folders = sum(one.parent == row.id and not one.trashed for one in rows)
            yield {**row, **_where(above(rows, row.id)), "documents": listed[row.id], "folders": folders}


def binned(drawing: Drawing) -> Iterator[Values]:
    """Yield every document in the trash, and whether it went there alone and not with its folder."""
    stamps = {row.id: row.trashed for row in drawing.made["Folder"]}
    for row in drawing.made["Document"]:
        if row.trashed:
            yield {**row, "alone": int(stamps[row.folder] != row.trashed)}


def tagged(drawing: Drawing) -> Iterator[Values]:
    """Yield every document in no trash and no archive once for each of its tags."""
    rows = {one.id: one for one in drawing.made["Document"] if not one.trashed and not one.archived}
    for one in drawing.made["Tagging"]:
        if row := rows.get(one.document):
            age = _age(drawing, row.changed)
            told = {name: row[name] for name in ("name", "words", "author", "folder")}
            yield {"id": one.id, "tag": one.tag, "document": row.id, "age": age, **told}


def shared(drawing: Drawing) -> Iterator[Values]:
    """Yield every link, and whether it has ended."""
    today = drawing.start.date().isoformat()
    for row in drawing.made["Link"]:
        yield {**row, "over": int(bool(row.expires) and row.expires < today)}


def remarks(drawing: Drawing) -> Iterator[Values]:
    """Yield every comment with the name of who wrote it, and how many open ones that person has there."""
    names = {one.id: one.name for one in drawing.made["Person"]}
    counts = Counter((one.document, one.author) for one in drawing.made["Comment"] if not one.resolved)
    for row in drawing.made["Comment"]:
        yield {**row, "author_name": names[row.author], "theirs": counts[row.document, row.author]}


def editions(drawing: Drawing) -> Iterator[Values]:
    """Yield every version with its number, the oldest being 1; of its author's, `theirs` counts those up to it."""
    names = {one.id: one.name for one in drawing.made["Person"]}
    rows = drawing.made["Version"]
    last = {one.document: one.id for one in rows}
    of_author = {(one.document, one.author): one.id for one in rows}
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
            # Nothing if there is a later one of the same author.
            "theirs": theirs[row.document, row.author] if of_author[row.document, row.author] == row.id else 0,
            "head": heads[-1],
        }


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it."""
    for ahead in range(120):
        yield {"id": (drawing.start.date() + timedelta(days=ahead)).isoformat(), "ahead": ahead}


def new_words(drawing: Drawing) -> Iterator[Values]:
    """Yield names for new workspaces, folders, documents, tags and links, and what comments can say."""
    for sort in ("workspaces", "folders", "titles", "tags", "links", "comments"):
        yield from ({"id": slug(name), "name": name, "sort": sort} for name in requests()[sort])
