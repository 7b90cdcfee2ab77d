"""Uploads and downloads of files, and the downloads before today."""

from collections.abc import Iterator, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.files.plan import ME, Values, papers
from stressweb.sites.kit import Download, Drawing, MissingError, RefusedError, Visit
from stressweb.sites.kit.data.phrases import past
from stressweb.sites.kit.logic.folders import place, refuse_namesake

_LARGEST = 4000
"""Largest download in kilobytes; more would take a browser a long time."""
_DOWNLOADED = 4
"""Number of files downloaded before today."""


def fetches(drawing: Drawing) -> Iterator[Values]:
    """Yield which files were downloaded, and when."""
    small = [file for file in drawing.made["File"] if not file.trashed and file.size <= _LARGEST]
    for number, file in enumerate(drawing.shuffled(small, "fetched")[:_DOWNLOADED]):
        # One per day, so that their order is visible.
        yield {"id": file.id, "file": file.id, "at": past(drawing, 1 + number + drawing.unit("fetched at", file.id))}


def can_fetch(row: Entity) -> bool:
    """Return whether a file can be downloaded."""
    return row.size <= _LARGEST and not row.trashed


def downloads(visit: Visit) -> Mapping[str, Any]:
    """Return the downloads, latest first, without files that are gone."""
    rows = (visit.store.joined(row, {"file": "File"}) for row in visit.store.where("Fetch", {}))
    return {"fetches": sorted((row for row in rows if row.file and can_fetch(row.file)), key=lambda row: row.at)[::-1]}


def download_file(visit: Visit) -> None:
    """Refuse files that are too large; the next address sends the file and records the download."""
    if not can_fetch(visit.values["file"]):
        raise RefusedError("error_heavy")


def content(visit: Visit) -> Download:
    """Return a file to send: its uploaded contents, or filler of its stated size."""
    row = visit.store.one("File", visit.names["key"])
    if row is None or not can_fetch(row):
        raise MissingError
    # Recorded here, not in the action: the list of downloads and typed addresses lead straight to this page.
    # Once a day: a retry changes nothing, but downloading a file again on a later day is recorded.
    before = visit.store.one("Fetch", row.id)
    if before is None or before.at[:10] < visit.today:
        visit.store.put("Fetch", {"id": row.id, "file": row.id, "at": visit.store.now})
    return Download(row.name, str(row.text).encode() if row.digest else _filler(row))


def _filler(row: Entity) -> bytes:
    # From columns that never change: a renamed file keeps its contents.
    line, size = f"{row.id} {row.created}\n".encode(), int(row.size) * 1000
    return (line * (size // len(line) + 1))[:size]


def upload_files(visit: Visit) -> Mapping[str, Any]:
    """Add uploaded files to a folder; they belong to the visitor."""
    to, uploads = place(visit, visit.values["to"]), visit.values["uploads"]
    if len({upload.name.casefold() for upload in uploads}) < len(uploads):
        raise RefusedError("error_unique", "uploads")
    # Check all before adding any: a refused upload must leave nothing behind.
    for upload in uploads:
        refuse_namesake(visit, "File", "folder", to, upload.name, "uploads")
    fixed = {"folder": to, "owner": ME, "starred": 0, "trashed": "", "about": ""}
    for upload in uploads:
        now = visit.store.now
        fields = {"kind": papers()["uploads"][upload.ending], "created": now, "changed": now, **fixed}
        row = {**fields, **{name: upload[name] for name in ("name", "size", "digest", "text")}}
        visit.store.put("File", {"id": visit.store.free_key("File", row), **row})
    return {"count": len(uploads)}
