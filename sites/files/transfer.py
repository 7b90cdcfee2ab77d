"""What goes up to the files and comes down from them, and which files were downloaded before."""

from collections.abc import Iterator, Mapping
from typing import Any

from sites.files.plan import ME, Values, papers
from sites.kit import Download, Drawing, MissingError, RefusedError, Visit
from sites.kit.data.phrases import past
from sites.kit.logic.folders import place, refuse_namesake
from stressweb.core.entity import Entity

_LARGEST = 4000
"""Kilobytes of a file that can be downloaded: a browser holds up a long time with more."""
_FETCHED = 4
"""Files that were downloaded before today."""


def fetches(drawing: Drawing) -> Iterator[Values]:
    """Yield which files were downloaded, and when."""
    small = [one for one in drawing.made["File"] if not one.trashed and one.size <= _LARGEST]
    for number, one in enumerate(drawing.shuffled(small, "fetched")[:_FETCHED]):
        # One a day, so that their order can be seen.
        yield {"id": one.id, "file": one.id, "at": past(drawing, 1 + number + drawing.unit("fetched at", one.id))}


def can_fetch(row: Entity) -> bool:
    """Return whether a file can be downloaded."""
    return row.size <= _LARGEST and not row.trashed


def downloads(visit: Visit) -> Mapping[str, Any]:
    """Return what was downloaded, the latest first; what is gone by now is left out."""
    rows = (visit.store.joined(row, {"file": "File"}) for row in visit.store.where("Fetch", {}))
    return {"fetches": sorted((row for row in rows if row.file and can_fetch(row.file)), key=lambda row: row.at)[::-1]}


def download_file(visit: Visit) -> None:
    """Refuse what is too large; the address that follows sends the file and writes the download down."""
    if not can_fetch(visit.values["file"]):
        raise RefusedError("error_heavy")


def content(visit: Visit) -> Download:
    """Return a file as it is sent: what was uploaded, or as many bytes as the files of a new world say they have."""
    row = visit.store.one("File", visit.names["key"])
    if row is None or not can_fetch(row):
        raise MissingError
    # Here and not in the action: the list of downloads, and whoever types the address, leads straight to the file.
    # Once a day, so that a second try changes nothing, and a file of an earlier day leaves a trace.
    before = visit.store.one("Fetch", row.id)
    if before is None or before.at[:10] < visit.today:
        visit.store.put("Fetch", {"id": row.id, "file": row.id, "at": visit.store.now})
    return Download(row.name, str(row.text).encode() if row.digest else _made_up(row))


def _made_up(row: Entity) -> bytes:
    # Of what stays: a file that was renamed or described is still the same one.
    line, size = f"{row.id} {row.created}\n".encode(), int(row.size) * 1000
    return (line * (size // len(line) + 1))[:size]


def upload_files(visit: Visit) -> Mapping[str, Any]:
    """Add the files that were sent to a folder; they are the visitor's own."""
    to, sent = place(visit, visit.values["to"]), visit.values["uploads"]
    if len({one.name.casefold() for one in sent}) < len(sent):
        raise RefusedError("error_unique", "uploads")
    # All of them before the first one is added: what is refused must leave nothing behind.
    for one in sent:
        refuse_namesake(visit, "File", "folder", to, one.name, "uploads")
    fixed = {"folder": to, "owner": ME, "starred": 0, "trashed": "", "about": ""}
    for one in sent:
        now = visit.store.now
        told = {"kind": papers()["uploads"][one.ending], "created": now, "changed": now, **fixed}
        row = {**told, **{name: one[name] for name in ("name", "size", "digest", "text")}}
        visit.store.put("File", {"id": visit.store.free_key("File", row), **row})
    return {"count": len(sent)}
