"""Data and actions of the files site that its spec cannot express."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.files.derived_entities import (
    accesses,
    bills,
    binned,
    days,
    new_words,
    papers_with_places,
    places,
    uses,
)
from stressweb.sites.files.motifs import MOTIFS
from stressweb.sites.files.plan import ME, files, folders, people, shares
from stressweb.sites.files.transfer import can_fetch, content, download_file, downloads, fetches, upload_files
from stressweb.sites.files.trash import (
    batch_trash,
    empty_trash,
    purge_file,
    purge_folder,
    restore_file,
    restore_folder,
    trash,
    trash_count,
    trash_file,
    trash_folder,
    undo_trash,
)
from stressweb.sites.files.usage import percent_used, sizes_in_folders, storage, storage_meter
from stressweb.sites.kit import RefusedError, Visit, moment
from stressweb.sites.kit.logic.folders import folder_listing, path, place, refuse_inside, refuse_namesake
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.kit.logic.ticked import ticked

# The spec names functions of this module; some are defined in other modules.
__all__ = [
    "MOTIFS",
    "accesses",
    "batch_trash",
    "bills",
    "binned",
    "content",
    "days",
    "download_file",
    "downloads",
    "empty_trash",
    "fetches",
    "files",
    "folders",
    "new_words",
    "papers_with_places",
    "people",
    "places",
    "purge_file",
    "purge_folder",
    "restore_file",
    "restore_folder",
    "shares",
    "storage",
    "storage_meter",
    "trash",
    "trash_count",
    "trash_file",
    "trash_folder",
    "undo_trash",
    "upload_files",
    "uses",
]

_RECENT = 25
"""Number of recently changed files that are listed."""


def root(visit: Visit) -> Mapping[str, Any]:
    """Return the contents of the top folder."""
    return _contents(visit, "")


def folder(visit: Visit) -> Mapping[str, Any]:
    """Return the contents of the folder in the page's path, and who else has access."""
    listing = _contents(visit, visit.names["key"])
    at, trail = listing["at"], listing["trail"]
    count = len(listing["folders"]) + len(visit.store.where("File", {"folder": at.id, "trashed": at.trashed}))
    details = Entity(path=path(visit, trail[:-1]), count=count, size=listing["size"], created=at.created)
    return {**listing, "row": at, "accesses": _accesses(visit, {"folder": at.id}), "details": details}


def file(visit: Visit) -> Mapping[str, Any]:
    """Return a file with its path, and who else has access."""
    row = visit.names["file"]
    trail = path_to(visit.store.where("Folder", {}), row.folder)
    return {
        "trail": [*trail, row],
        "path": path(visit, trail),
        "row": row,
        "fetchable": can_fetch(row),
        "accesses": _accesses(visit, {"file": row.id}),
    }


def pick_for_file(visit: Visit) -> Mapping[str, Any]:
    """Return the open folder of the page that moves a file; at first, the file's own."""
    row = visit.names["row"]
    return _pick(visit, f"/file/{row.id}/move", row.folder)


def pick_for_copy(visit: Visit) -> Mapping[str, Any]:
    """Return the open folder of the page that copies a file, and a suggested name for the copy."""
    row = visit.names["row"]
    stem, _, ending = row.name.rpartition(".")
    return {**_pick(visit, f"/file/{row.id}/copy", row.folder), "suggested": f"{stem} (copy).{ending}"}


def pick_for_folder(visit: Visit) -> Mapping[str, Any]:
    """Return the open folder of the page that moves a folder; at first, its parent."""
    row = visit.names["row"]
    return _pick(visit, f"/folder/{row.id}/move", row.parent)


def select(visit: Visit) -> Mapping[str, Any]:
    """Return a folder with its files, to select from."""
    listing = folder_listing(visit, visit.args.get("in", ""), "File")
    rows = visit.store.where("File", {"folder": listing["at"].id, "trashed": ""})
    return {
        **listing,
        "files": sorted((visit.store.joined(row, {"owner": "Person"}) for row in rows), key=lambda row: row.name),
    }


def since(visit: Visit) -> Mapping[str, Any]:
    """Return the start of the last 7, 30 and 365 days."""
    return {f"days_{count}": _days_before(visit, count) for count in (7, 30, 365)}


def shared(visit: Visit) -> Mapping[str, Any]:
    """Return who has access to which files and folders, without the trash."""
    rows = []
    for row in _accesses(visit, {}):
        target = visit.store.one("File", row.file) if row.file else visit.store.one("Folder", row.folder)
        if target is not None and not target.trashed:
            href = f"/file/{target.id}?tab=tab_sharing" if row.file else f"/folder/{target.id}"
            rows.append(Entity({**row, "name": target.name, "href": href}))
    return {"accesses": sorted(rows, key=lambda row: (row.name, row.person.name))}


def recent(visit: Visit) -> Mapping[str, Any]:
    """Return the recently changed files, grouped by time: since yesterday, in the last week, and earlier."""
    rows = sorted(visit.store.where("File", {"trashed": ""}), key=lambda row: row.changed, reverse=True)[:_RECENT]
    files = [visit.store.joined(row, {"owner": "Person", "folder": "Folder"}) for row in rows]
    yesterday, week = _days_before(visit, 1), _days_before(visit, 7)
    return {
        "lately": [row for row in files if row.changed >= yesterday],
        "before": [row for row in files if week <= row.changed < yesterday],
        "earlier": [row for row in files if row.changed < week],
    }


def add_folder(visit: Visit) -> None:
    """Create a folder in another one or at the top."""
    name, parent = visit.values["new_folder"], place(visit, visit.values["parent"])
    refuse_namesake(visit, "Folder", "parent", parent, name, "new_folder")
    row = {"name": name, "parent": parent, "created": visit.store.now, "trashed": ""}
    visit.store.put("Folder", {"id": visit.store.free_key("Folder", row), **row})


def rename_folder(visit: Visit) -> None:
    """Rename a folder; its address stays the same."""
    row, name = visit.values["folder"], visit.values["folder_name"]
    refuse_namesake(visit, "Folder", "parent", row.parent, name, "folder_name", row.id)
    visit.store.change("Folder", {"id": row.id}, {"name": name})


def rename_file(visit: Visit) -> None:
    """Rename a file; its extension must stay the same."""
    row, name = visit.values["file"], visit.values["file_name"]
    _refuse_ending(visit, row, name)
    refuse_namesake(visit, "File", "folder", row.folder, name, "file_name", row.id)
    visit.store.change("File", {"id": row.id}, {"name": name})


def move_file(visit: Visit) -> Mapping[str, Any]:
    """Move a file into another folder; the next page is its previous folder."""
    row, to = visit.values["file"], place(visit, visit.values["to"])
    if to == row.folder:
        raise RefusedError("error_same_place")
    refuse_namesake(visit, "File", "folder", to, row.name, "")
    visit.store.change("File", {"id": row.id}, {"folder": to})
    return {"row": row, "left": _href(row.folder)}


def move_folder(visit: Visit) -> Mapping[str, Any]:
    """Move a folder into another one, but not into its own subfolders."""
    row, to = visit.values["folder"], place(visit, visit.values["to"])
    refuse_inside(visit, row, to)
    refuse_namesake(visit, "Folder", "parent", to, row.name, "")
    visit.store.change("Folder", {"id": row.id}, {"parent": to})
    return {"row": row, "left": _href(row.parent)}


def copy_file(visit: Visit) -> Mapping[str, Any]:
    """Copy a file; the copy belongs to the visitor, has no star and is not shared."""
    row, to, name = visit.values["file"], place(visit, visit.values["to"]), visit.values["file_name"]
    _refuse_ending(visit, row, name)
    refuse_namesake(visit, "File", "folder", to, name, "file_name")
    copy = {**row, "name": name, "folder": to, "owner": ME, "starred": 0, "trashed": "", "created": visit.store.now}
    copy["id"] = visit.store.free_key("File", copy)
    visit.store.put("File", copy)
    return {"made": Entity(copy)}


def batch_star(visit: Visit) -> Mapping[str, Any]:
    """Star all ticked files."""
    rows = ticked(visit, "files")
    for row in rows:
        visit.store.change("File", {"id": row.id}, {"starred": 1})
    return {"count": len(rows)}


def share(visit: Visit) -> None:
    """Give somebody access to a file or a folder, optionally until a day."""
    target = {name: visit.values[name].id if name in visit.values else "" for name in ("file", "folder")}
    access = {**target, "person": visit.values["person"].id, "expires": visit.values["expires"]}
    if access["expires"] and access["expires"] < visit.today:
        raise RefusedError("error_past", "expires")
    if visit.store.where("Share", {**target, "person": access["person"]}):
        raise RefusedError("error_shared", "person")
    row = {**access, "permission": visit.values["permission"]}
    visit.store.put("Share", {"id": visit.store.free_key("Share", row), **row})


def _days_before(visit: Visit, days: int) -> str:
    """Return the start of the day `days` days before today."""
    return moment(datetime.fromisoformat(visit.today) - timedelta(days=days))


def _contents(visit: Visit, key: str) -> Mapping[str, Any]:
    """Return the contents of a folder, with their total size and the size of each folder in it."""
    listing = folder_listing(visit, key, "File")
    sizes = sizes_in_folders(visit, listing["at"].trashed)
    warning_percent = {"warn_80": 80, "warn_95": 95}.get(visit.store.where("Setting", {})[0].warn_at, 101)
    return {
        **listing,
        "folders": [Entity({**row, "size": sizes[row.id]}) for row in listing["folders"]],
        "size": sizes[listing["at"].id],
        "nearly_full": percent_used(visit) >= warning_percent,
    }


def _pick(visit: Visit, path: str, first: str) -> Mapping[str, Any]:
    # The row to move is called `asked`, because this page calls each folder `row`.
    return {**folder_listing(visit, visit.args.get("in", first), "File"), "asked": visit.names["row"], "pick": path}


def _href(key: str) -> str:
    return f"/folder/{key}" if key else "/"


def _accesses(visit: Visit, where: Mapping[str, str]) -> list[Entity]:
    rows = [visit.store.joined(row, {"person": "Person"}) for row in visit.store.where("Share", where)]
    # Access is still valid on its last day.
    return [Entity({**row, "over": bool(row.expires) and row.expires < visit.today}) for row in rows]


def _refuse_ending(visit: Visit, row: Entity, name: str) -> None:
    ending = row.name.rpartition(".")[2]
    if name.rpartition(".")[2].casefold() != ending.casefold():
        raise RefusedError("error_ending", "file_name")
