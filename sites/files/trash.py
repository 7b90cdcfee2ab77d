"""What the trash takes, lists, gives back, and deletes for good."""

from collections.abc import Iterable, Mapping
from typing import Any

from sites.files.whereabouts import path, refuse_namesake, ticked
from sites.kit import RefusedError
from sites.kit.nesting import above, below
from sites.kit.visit import Visit
from stressweb.core.entity import Entity


def trash(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in the trash by itself; what went there with its folder comes back with it."""
    rows = visit.store.where("Folder", {})
    gone = {row.id: row.trashed for row in rows if row.trashed}
    papers = [row for row in visit.store.where("File", {}) if row.trashed and gone.get(row.folder) != row.trashed]
    told = [Entity({**row, "path": path(visit, above(rows, row.folder))}) for row in papers]
    shelves = [row for row in rows if row.trashed and gone.get(row.parent) != row.trashed]
    return {"files": _latest(told), "folders": _latest(shelves), "any": bool(told or shelves)}


def trash_count(visit: Visit) -> Mapping[str, Any]:
    """Return how many things the trash lists."""
    found = trash(visit)
    return {"count": len(found["files"]) + len(found["folders"])}


def trash_file(visit: Visit) -> None:
    """Put a file into the trash."""
    _put_aside(visit, [visit.values["file"]])


def batch_trash(visit: Visit) -> Mapping[str, Any]:
    """Put all files that are ticked into the trash."""
    return {"count": _put_aside(visit, ticked(visit))}


def trash_folder(visit: Visit) -> None:
    """Put a folder into the trash, with all that lies in it and is not there yet."""
    row = visit.values["folder"]
    _put_aside(visit, _contents(visit, row, ""), entity="File")
    for one in [row, *below(visit.store.where("Folder", {"trashed": ""}), row.id)]:
        visit.store.change("Folder", {"id": one.id, "trashed": ""}, {"trashed": visit.store.now})


def restore_file(visit: Visit) -> None:
    """Take a file out of the trash; if its folder is still there, the file goes to the top."""
    _restore(visit, "File", visit.values["file"], "folder")


def restore_folder(visit: Visit) -> None:
    """Take a folder out of the trash, with all that went there with it."""
    row = visit.values["folder"]
    inside = list(below(visit.store.where("Folder", {"trashed": row.trashed}), row.id)) if row.trashed else []
    papers = _contents(visit, row, row.trashed) if row.trashed else []
    _restore(visit, "Folder", row, "parent")
    for entity, rows in (("Folder", inside), ("File", papers)):
        for one in rows:
            visit.store.change(entity, {"id": one.id}, {"trashed": ""})


def undo_trash(visit: Visit) -> None:
    """Take out of the trash what was put there at a moment."""
    for entity in ("Folder", "File"):
        visit.store.change(entity, {"trashed": visit.values["at"]}, {"trashed": ""})


def purge_file(visit: Visit) -> None:
    """Delete a file that lies in the trash for good."""
    _purge(visit, "File", "file", [visit.values["file"]])


def purge_folder(visit: Visit) -> None:
    """Delete a folder that lies in the trash for good, with all that went there with it."""
    row = visit.values["folder"]
    _purge(visit, "File", "file", _contents(visit, row, row.trashed))
    _purge(visit, "Folder", "folder", [*below(visit.store.where("Folder", {"trashed": row.trashed}), row.id), row])


def empty_trash(visit: Visit) -> None:
    """Delete for good whatever lies in the trash."""
    for entity, what in (("File", "file"), ("Folder", "folder")):
        _purge(visit, entity, what, [row for row in visit.store.where(entity, {}) if row.trashed])


def _latest(rows: list[Entity]) -> list[Entity]:
    return sorted(rows, key=lambda row: row.trashed, reverse=True)


def _contents(visit: Visit, row: Entity, trashed: str) -> list[Entity]:
    """Return the files in a folder, at any depth, that lie in the trash since a moment, or in none."""
    inside = {row.id, *(one.id for one in below(visit.store.where("Folder", {"trashed": trashed}), row.id))}
    return [one for one in visit.store.where("File", {"trashed": trashed}) if one.folder in inside]


def _put_aside(visit: Visit, rows: Iterable[Entity], entity: str = "File") -> int:
    fresh = [row for row in rows if not row.trashed]
    for row in fresh:
        visit.store.change(entity, {"id": row.id}, {"trashed": visit.store.now})
    return len(fresh)


def _restore(visit: Visit, entity: str, row: Entity, column: str) -> None:
    above_it = visit.store.one("Folder", row[column]) if row[column] else None
    place = row[column] if above_it is not None and not above_it.trashed else ""
    refuse_namesake(visit, entity, column, place, row.name, "", row.id)
    visit.store.change(entity, {"id": row.id}, {"trashed": "", column: place})


def _purge(visit: Visit, entity: str, what: str, rows: Iterable[Entity]) -> None:
    for row in rows:
        # Only what lies in the trash: the form of a page that was open for long may come late.
        if not row.trashed:
            raise RefusedError("error_allowed")
        visit.store.drop(entity, {"id": row.id})
        visit.store.drop("Share", {what: row.id})
