"""Entities that goals refer to but no table holds: files and folders with paths, days, and new names."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.files.plan import papers
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.kit.serving.documents import read

_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

type Values = Mapping[str, Any]


def _path_columns(trail: Sequence[Entity]) -> dict[str, Any]:
    """Return the names of the folders in a path, the path as text, and its depth."""
    names = [row.name for row in trail]
    first, second, third = [*names, "", "", ""][:3]
    return {"first": first, "second": second, "third": third, "path": " > ".join(names), "depth": len(names)}


def papers_with_places(drawing: Drawing) -> Iterator[Values]:
    """Yield every file outside the trash with its path, its age in days, and its owner's name."""
    folders, names = drawing.made["Folder"], {person.id: person.name for person in drawing.made["Person"]}
    shares = Counter(share.file for share in drawing.made["Share"])
    fetched = {fetch.file for fetch in drawing.made["Fetch"]}
    for row in drawing.made["File"]:
        if not row.trashed:
            age = (drawing.start.date() - datetime.fromisoformat(row.changed).date()).days
            columns = {
                "fetched": int(row.id in fetched),
                "age": age,
                "owner_name": names[row.owner],
                "shares": shares[row.id],
                "ending": row.name.rpartition(".")[2],
            }
            yield {**row, **_path_columns(path_to(folders, row.folder)), **columns}


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield every folder outside the trash with its path and the numbers of its files and folders."""
    rows = drawing.made["Folder"]
    files = [row for row in drawing.made["File"] if not row.trashed]
    for row in rows:
        if not row.trashed:
            kinds = Counter(file.kind for file in files if file.folder == row.id)
            # If two kinds are equally frequent, neither is the common one.
            (common, count), *rest = [*kinds.most_common(), ("", 0)]
            is_commonest_alone = not rest or rest[0][1] < count
            counts = {
                "files": kinds.total(),
                "common": common if is_commonest_alone else "",
                "common_count": count if is_commonest_alone else 0,
            }
            subfolders = sum(child.parent == row.id and not child.trashed for child in rows)
            yield {**row, **_path_columns(path_to(rows, row.id)), **counts, "folders": subfolders}


def binned(drawing: Drawing) -> Iterator[Values]:
    """Yield every file in the trash, and whether it was trashed without its folder."""
    stamps = {row.id: row.trashed for row in drawing.made["Folder"]}
    for row in drawing.made["File"]:
        if row.trashed:
            yield {**row, "alone": int(stamps.get(row.folder) != row.trashed)}


def accesses(drawing: Drawing) -> Iterator[Values]:
    """Yield every share with the person's name, and whether it has expired."""
    names = {person.id: person.name for person in drawing.made["Person"]}
    for row in drawing.made["Share"]:
        is_expired = bool(row.expires) and row.expires < drawing.start.date().isoformat()
        yield {**row, "over": int(is_expired), "name": names[row.person]}


def uses(drawing: Drawing) -> Iterator[Values]:
    """Yield every kind with the total size of its files and its rank by size."""
    rows = [row for row in drawing.made["File"] if not row.trashed]
    sizes = {kind: [row.size for row in rows if row.kind == kind] for kind in papers()["endings"]}
    for rank, kind in enumerate(sorted(sizes, key=lambda kind: -sum(sizes[kind])), start=1):
        yield {"id": kind, "size": sum(sizes[kind]), "files": len(sizes[kind]), "rank": rank, "nth": _NTH[rank - 1]}


def bills(drawing: Drawing) -> Iterator[Values]:
    """Yield files to upload for each topic: two invoices, and documents easily mistaken for one."""
    topics = [
        row
        for row in drawing.made["Folder"]
        if row.parent and row.id in {child.parent for child in drawing.made["Folder"]}
    ]
    for row in topics:
        other_names = [topic.name for topic in topics if topic.name != row.name]
        first = 1100 + int(drawing.unit("bills", row.id) * 7000)
        other_name = drawing.pick(other_names, "bills", row.id)
        for sort, word, number, name in (
            ("invoice", "Invoice", first, row.name),
            ("invoice", "Invoice", first + 17, row.name),
            ("reminder", "Reminder", first, row.name),
            ("offer", "Offer", first + 40, row.name),
            ("invoice elsewhere", "Invoice", first + 23, other_name),
        ):
            title = f"{word} {number} {name}"
            upload = read(f"{title}.txt", _bill(drawing, title).encode())
            yield {"id": slug(f"{row.id} {title}"), "place": row.id, "sort": sort, **upload}


def _bill(drawing: Drawing, title: str) -> str:
    lines, total = [title, ""], 0
    for ware in drawing.shuffled(papers()["wares"], "wares", title)[:5]:
        cents = 1200 + int(drawing.unit("price", title, ware) * 90_000)
        total += cents
        lines.append(f"{ware}: {cents / 100:.2f}")
    return "\n".join([*lines, "", f"Total: {total / 100:.2f}", ""])


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it."""
    for days_ahead in range(120):
        yield {"id": (drawing.start.date() + timedelta(days=days_ahead)).isoformat(), "ahead": days_ahead}


def new_words(drawing: Drawing) -> Iterator[Values]:
    """Yield names for new folders and files, and remarks on files."""
    for sort in ("folders", "subfolders", "titles", "remarks"):
        yield from ({"id": slug(name), "name": name, "sort": sort} for name in papers()[sort])
