"""What goals name and no table holds: files and folders with where they lie, days, and names for new things."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sites.files.plan import papers
from sites.kit import Drawing, slug
from sites.kit.logic.nesting import above
from sites.kit.serving.documents import read
from stressweb.core.entity import Entity

_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

type Values = Mapping[str, Any]


def _where(trail: Sequence[Entity]) -> dict[str, Any]:
    """Return how a place is reached: the folders on the way, and their path in words."""
    names = [row.name for row in trail]
    first, second, third = [*names, "", "", ""][:3]
    return {"first": first, "second": second, "third": third, "path": " > ".join(names), "depth": len(names)}


def papers_with_places(drawing: Drawing) -> Iterator[Values]:
    """Yield every file that is not in the trash, with where it lies, how old it is, and whose it is."""
    folders, names = drawing.made["Folder"], {one.id: one.name for one in drawing.made["Person"]}
    shares = Counter(one.file for one in drawing.made["Share"])
    fetched = {one.file for one in drawing.made["Fetch"]}
    for row in drawing.made["File"]:
        if not row.trashed:
            age = (drawing.start.date() - datetime.fromisoformat(row.changed).date()).days
            more = {
                "fetched": int(row.id in fetched),
                "age": age,
                "owner_name": names[row.owner],
                "shares": shares[row.id],
                "ending": row.name.rpartition(".")[2],
            }
            yield {**row, **_where(above(folders, row.folder)), **more}


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield every folder that is not in the trash, with where it lies and what lies in it."""
    rows = drawing.made["Folder"]
    files = [row for row in drawing.made["File"] if not row.trashed]
    for row in rows:
        if not row.trashed:
            kinds = Counter(one.kind for one in files if one.folder == row.id)
            # Of two kinds of which there are as many, neither is the common one.
            (common, count), *rest = [*kinds.most_common(), ("", 0)]
            sole = not rest or rest[0][1] < count
            counts = {"files": kinds.total(), "common": common if sole else "", "common_count": count if sole else 0}
            inside = sum(one.parent == row.id and not one.trashed for one in rows)
            yield {**row, **_where(above(rows, row.id)), **counts, "folders": inside}


def binned(drawing: Drawing) -> Iterator[Values]:
    """Yield every file in the trash, and whether it went there alone and not with its folder."""
    stamps = {row.id: row.trashed for row in drawing.made["Folder"]}
    for row in drawing.made["File"]:
        if row.trashed:
            yield {**row, "alone": int(stamps.get(row.folder) != row.trashed)}


def accesses(drawing: Drawing) -> Iterator[Values]:
    """Yield who may use what, and whether that is over."""
    names = {one.id: one.name for one in drawing.made["Person"]}
    for row in drawing.made["Share"]:
        over = bool(row.expires) and row.expires < drawing.start.date().isoformat()
        yield {**row, "over": int(over), "name": names[row.person]}


def uses(drawing: Drawing) -> Iterator[Values]:
    """Yield every kind with the room that its files take."""
    rows = [row for row in drawing.made["File"] if not row.trashed]
    sizes = {kind: [row.size for row in rows if row.kind == kind] for kind in papers()["endings"]}
    for rank, kind in enumerate(sorted(sizes, key=lambda kind: -sum(sizes[kind])), start=1):
        yield {"id": kind, "size": sum(sizes[kind]), "files": len(sizes[kind]), "rank": rank, "nth": _NTH[rank - 1]}


def bills(drawing: Drawing) -> Iterator[Values]:
    """Yield what somebody has on their disk about each topic: two invoices, and what is easily taken for one."""
    topics = [
        row for row in drawing.made["Folder"] if row.parent and row.id in {one.parent for one in drawing.made["Folder"]}
    ]
    for row in topics:
        others = [one.name for one in topics if one.name != row.name]
        first = 1100 + int(drawing.unit("bills", row.id) * 7000)
        elsewhere = drawing.pick(others, "bills", row.id)
        for sort, word, number, name in (
            ("invoice", "Invoice", first, row.name),
            ("invoice", "Invoice", first + 17, row.name),
            ("reminder", "Reminder", first, row.name),
            ("offer", "Offer", first + 40, row.name),
            ("invoice elsewhere", "Invoice", first + 23, elsewhere),
        ):
            title = f"{word} {number} {name}"
            told = read(f"{title}.txt", _bill(drawing, title).encode())
            yield {"id": slug(f"{row.id} {title}"), "place": row.id, "sort": sort, **told}


def _bill(drawing: Drawing, title: str) -> str:
    lines, total = [title, ""], 0
    for ware in drawing.shuffled(papers()["wares"], "wares", title)[:5]:
        cents = 1200 + int(drawing.unit("price", title, ware) * 90_000)
        total += cents
        lines.append(f"{ware}: {cents / 100:.2f}")
    return "\n".join([*lines, "", f"Total: {total / 100:.2f}", ""])


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield today and the days after it."""
    for ahead in range(120):
        yield {"id": (drawing.start.date() + timedelta(days=ahead)).isoformat(), "ahead": ahead}


def new_words(drawing: Drawing) -> Iterator[Values]:
    """Yield names for new folders and files, and remarks on files."""
    for sort in ("folders", "subfolders", "titles", "remarks"):
        yield from ({"id": slug(name), "name": name, "sort": sort} for name in papers()[sort])
