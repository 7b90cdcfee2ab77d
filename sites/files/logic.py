"""What the spec of the files cannot say: what lies where, how things move, what the trash does, who has access."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sites.files.derived_entities import accesses, bills, binned, days, new_words, papers_with_places, places, uses
from sites.files.plan import ME, files, folders, people, shares
from sites.files.transfer import can_fetch, content, download_file, downloads, fetches, upload_files
from sites.files.trash import (
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
from sites.kit import RefusedError, Visit, moment
from sites.kit.logic.folders import inside, path, place, refuse_inside, refuse_namesake
from sites.kit.logic.nesting import above
from sites.kit.logic.ticked import ticked
from sites.kit.wording.sizes import say
from stressweb.core.entity import Entity

# The spec names functions of this module; some of them live in modules of their own.
__all__ = [
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
    "trash",
    "trash_count",
    "trash_file",
    "trash_folder",
    "undo_trash",
    "upload_files",
    "uses",
]

_QUOTA = 20_000_000
"""Kilobytes that there are in all."""


def root(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in no folder."""
    return inside(visit, "", "File")


def folder(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in the folder of the path, and who else may use it."""
    shown = inside(visit, visit.names["key"], "File")
    return {**shown, "row": shown["at"], "accesses": _accesses(visit, {"folder": shown["at"].id})}


def file(visit: Visit) -> Mapping[str, Any]:
    """Return where a file lies, and who else may use it."""
    here = visit.names["file"]
    trail = above(visit.store.where("Folder", {}), here.folder)
    return {
        "trail": [*trail, here],
        "path": path(visit, trail),
        "row": here,
        "fetchable": can_fetch(here),
        "accesses": _accesses(visit, {"file": here.id}),
    }


def pick_for_file(visit: Visit) -> Mapping[str, Any]:
    """Return the folder that is looked at as a new place for a file; at first, the one in which it lies."""
    row = visit.names["row"]
    return _pick(visit, f"/file/{row.id}/move", row.folder)


def pick_for_copy(visit: Visit) -> Mapping[str, Any]:
    """Return the folder that is looked at as the place for a copy, and what the copy could be called."""
    row = visit.names["row"]
    stem, _, ending = row.name.rpartition(".")
    return {**_pick(visit, f"/file/{row.id}/copy", row.folder), "suggested": f"{stem} (copy).{ending}"}


def pick_for_folder(visit: Visit) -> Mapping[str, Any]:
    """Return the folder that is looked at as a new place for a folder."""
    row = visit.names["row"]
    return _pick(visit, f"/folder/{row.id}/move", row.parent)


def select(visit: Visit) -> Mapping[str, Any]:
    """Return the files of a folder, to choose from."""
    shown = inside(visit, visit.args.get("in", ""), "File")
    mine = visit.store.where("File", {"folder": shown["at"].id, "trashed": ""})
    return {
        **shown,
        "files": sorted((visit.store.joined(row, {"owner": "Person"}) for row in mine), key=lambda row: row.name),
    }


def since(visit: Visit) -> Mapping[str, Any]:
    """Return the first moment of some spans of days that end today."""
    start = datetime.fromisoformat(visit.today)
    return {f"days_{count}": moment(start - timedelta(days=count)) for count in (7, 30, 365)}


def shared(visit: Visit) -> Mapping[str, Any]:
    """Return who may use what; what lies in the trash is left out."""
    found = []
    for row in _accesses(visit, {}):
        what = visit.store.one("File", row.file) if row.file else visit.store.one("Folder", row.folder)
        if what is not None and not what.trashed:
            href = f"/file/{what.id}?tab=tab_sharing" if row.file else f"/folder/{what.id}"
            found.append(Entity({**row, "name": what.name, "href": href}))
    return {"accesses": sorted(found, key=lambda row: (row.name, row.person.name))}


def storage(visit: Visit) -> Mapping[str, Any]:
    """Return how much room the files take: in all, by kind, by owner."""
    rows = visit.store.where("File", {})
    kinds, owners = Counter[str](), Counter[str]()
    for row in rows:
        if not row.trashed:
            kinds[row.kind] += row.size
            owners[row.owner] += row.size
    names = {person.id: person.name for person in visit.store.where("Person", {})}
    return {
        "used": say(sum(row.size for row in rows)),
        "binned": say(sum(row.size for row in rows if row.trashed)),
        "quota": say(_QUOTA),
        "kinds": [_bar(key, size, value=key.removeprefix("kind_")) for key, size in sorted(kinds.items())],
        "owners": [_bar(key, size, name=names[key]) for key, size in owners.most_common()],
    }


def add_folder(visit: Visit) -> None:
    """Create a folder in another one, or in none."""
    name, parent = visit.values["new_folder"], place(visit, visit.values["parent"])
    refuse_namesake(visit, "Folder", "parent", parent, name, "new_folder")
    row = {"name": name, "parent": parent, "created": visit.store.now, "trashed": ""}
    visit.store.put("Folder", {"id": visit.store.free_key("Folder", row), **row})


def rename_folder(visit: Visit) -> None:
    """Give a folder another name; its address stays."""
    row, name = visit.values["folder"], visit.values["folder_name"]
    refuse_namesake(visit, "Folder", "parent", row.parent, name, "folder_name", row.id)
    visit.store.change("Folder", {"id": row.id}, {"name": name})


def rename_file(visit: Visit) -> None:
    """Give a file another name; its ending stays, which programs tell its kind by."""
    row, name = visit.values["file"], visit.values["file_name"]
    _refuse_ending(visit, row, name)
    refuse_namesake(visit, "File", "folder", row.folder, name, "file_name", row.id)
    visit.store.change("File", {"id": row.id}, {"name": name})


def move_file(visit: Visit) -> Mapping[str, Any]:
    """Put a file into another folder; the page that follows is the folder that it has left."""
    row, to = visit.values["file"], place(visit, visit.values["to"])
    if to == row.folder:
        raise RefusedError("error_same_place")
    refuse_namesake(visit, "File", "folder", to, row.name, "")
    visit.store.change("File", {"id": row.id}, {"folder": to})
    return {"row": row, "left": _href(row.folder)}


def move_folder(visit: Visit) -> Mapping[str, Any]:
    """Put a folder into another one, unless that lies in it."""
    row, to = visit.values["folder"], place(visit, visit.values["to"])
    refuse_inside(visit, row, to)
    refuse_namesake(visit, "Folder", "parent", to, row.name, "")
    visit.store.change("Folder", {"id": row.id}, {"parent": to})
    return {"row": row, "left": _href(row.parent)}


def copy_file(visit: Visit) -> Mapping[str, Any]:
    """Add a copy of a file, which is the visitor's own, without star and without the access of others."""
    row, to, name = visit.values["file"], place(visit, visit.values["to"]), visit.values["file_name"]
    _refuse_ending(visit, row, name)
    refuse_namesake(visit, "File", "folder", to, name, "file_name")
    made = {**row, "name": name, "folder": to, "owner": ME, "starred": 0, "trashed": "", "created": visit.store.now}
    made["id"] = visit.store.free_key("File", made)
    visit.store.put("File", made)
    return {"made": Entity(made)}


def batch_star(visit: Visit) -> Mapping[str, Any]:
    """Give all files that are ticked a star."""
    rows = ticked(visit, "files")
    for row in rows:
        visit.store.change("File", {"id": row.id}, {"starred": 1})
    return {"count": len(rows)}


def share(visit: Visit) -> None:
    """Let somebody use a file or a folder, perhaps until a day."""
    what = {name: visit.values[name].id if name in visit.values else "" for name in ("file", "folder")}
    told = {**what, "person": visit.values["person"].id, "expires": visit.values["expires"]}
    if told["expires"] and told["expires"] < visit.today:
        raise RefusedError("error_past", "expires")
    if visit.store.where("Share", {**what, "person": told["person"]}):
        raise RefusedError("error_shared", "person")
    row = {**told, "permission": visit.values["permission"]}
    visit.store.put("Share", {"id": visit.store.free_key("Share", row), **row})


def _pick(visit: Visit, path: str, first: str) -> Mapping[str, Any]:
    # What is moved is called `asked`: on this page `row` is each folder in turn.
    return {**inside(visit, visit.args.get("in", first), "File"), "asked": visit.names["row"], "pick": path}


def _href(key: str) -> str:
    return f"/folder/{key}" if key else "/"


def _accesses(visit: Visit, where: Mapping[str, str]) -> list[Entity]:
    rows = [visit.store.joined(row, {"person": "Person"}) for row in visit.store.where("Share", where)]
    # On the last day access still holds.
    return [Entity({**row, "over": bool(row.expires) and row.expires < visit.today}) for row in rows]


def _bar(key: str, size: int, **more: str) -> Entity:
    return Entity(id=key, size=size, said=say(size), **more)


def _refuse_ending(visit: Visit, row: Entity, name: str) -> None:
    ending = row.name.rpartition(".")[2]
    if name.rpartition(".")[2].casefold() != ending.casefold():
        raise RefusedError("error_ending", "file_name")
