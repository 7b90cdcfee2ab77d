"""What the spec of the files cannot say: what lies where, how things move, what the trash does, who has access."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sites.files.derived_entities import accesses, binned, days, new_words, papers_with_places, places, uses
from sites.files.plan import ME, files, folders, shares
from sites.kit import MissingError, RefusedError
from sites.kit.data import moment
from sites.kit.nesting import above, below
from sites.kit.sizes import say
from sites.kit.visit import Visit
from stressweb.core.entity import Entity

# The spec names functions of this module; those that make the data live in modules of their own.
__all__ = [
    "accesses",
    "binned",
    "days",
    "files",
    "folders",
    "new_words",
    "papers_with_places",
    "places",
    "shares",
    "uses",
]

_QUOTA = 20_000_000
"""Kilobytes that there are in all."""


def root(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in no folder."""
    return _inside(visit, "")


def folder(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in the folder of the path, and who else may use it."""
    shown = _inside(visit, visit.names["key"])
    return {**shown, "row": shown["at"], "accesses": _accesses(visit, {"folder": shown["at"].id})}


def file(visit: Visit) -> Mapping[str, Any]:
    """Return where a file lies, and who else may use it."""
    here = visit.names["file"]
    trail = above(visit.store.where("Folder", {}), here.folder)
    return {
        "trail": [*trail, here],
        "path": _path(visit, trail),
        "row": here,
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
    shown = _inside(visit, visit.args.get("in", ""))
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


def trash(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in the trash by itself; what went there with its folder comes back with it."""
    rows = visit.store.where("Folder", {})
    gone = {row.id: row.trashed for row in rows if row.trashed}
    papers = [row for row in visit.store.where("File", {}) if row.trashed and gone.get(row.folder) != row.trashed]
    told = [Entity({**row, "path": _path(visit, above(rows, row.folder))}) for row in papers]
    shelves = [row for row in rows if row.trashed and gone.get(row.parent) != row.trashed]
    return {"files": _latest(told), "folders": _latest(shelves), "any": bool(told or shelves)}


def trash_count(visit: Visit) -> Mapping[str, Any]:
    """Return how many things the trash lists."""
    found = trash(visit)
    return {"count": len(found["files"]) + len(found["folders"])}


def add_folder(visit: Visit) -> None:
    """Create a folder in another one, or in none."""
    name, parent = visit.values["new_folder"], _place(visit, visit.values["parent"])
    _refuse_namesake(visit, "Folder", "parent", parent, name, "new_folder")
    row = {"name": name, "parent": parent, "created": visit.store.now, "trashed": ""}
    visit.store.put("Folder", {"id": visit.store.free_key("Folder", row), **row})


def rename_folder(visit: Visit) -> None:
    """Give a folder another name; its address stays."""
    row, name = visit.values["folder"], visit.values["folder_name"]
    _refuse_namesake(visit, "Folder", "parent", row.parent, name, "folder_name", row.id)
    visit.store.change("Folder", {"id": row.id}, {"name": name})


def rename_file(visit: Visit) -> None:
    """Give a file another name; its ending stays, which programs tell its kind by."""
    row, name = visit.values["file"], visit.values["file_name"]
    _refuse_ending(visit, row, name)
    _refuse_namesake(visit, "File", "folder", row.folder, name, "file_name", row.id)
    visit.store.change("File", {"id": row.id}, {"name": name})


def move_file(visit: Visit) -> Mapping[str, Any]:
    """Put a file into another folder; the page that follows is the folder that it has left."""
    row, to = visit.values["file"], _place(visit, visit.values["to"])
    if to == row.folder:
        raise RefusedError("error_same_place")
    _refuse_namesake(visit, "File", "folder", to, row.name, "")
    visit.store.change("File", {"id": row.id}, {"folder": to})
    return {"row": row, "left": _href(row.folder)}


def move_folder(visit: Visit) -> Mapping[str, Any]:
    """Put a folder into another one, unless that lies in it."""
    row, to = visit.values["folder"], _place(visit, visit.values["to"])
    if to == row.parent:
        raise RefusedError("error_same_place")
    if row.id in {one.id for one in above(visit.store.where("Folder", {}), to)}:
        raise RefusedError("error_inside")
    _refuse_namesake(visit, "Folder", "parent", to, row.name, "")
    visit.store.change("Folder", {"id": row.id}, {"parent": to})
    return {"row": row, "left": _href(row.parent)}


def copy_file(visit: Visit) -> Mapping[str, Any]:
    """Add a copy of a file, which is the visitor's own, without star and without the access of others."""
    row, to, name = visit.values["file"], _place(visit, visit.values["to"]), visit.values["file_name"]
    _refuse_ending(visit, row, name)
    _refuse_namesake(visit, "File", "folder", to, name, "file_name")
    made = {**row, "name": name, "folder": to, "owner": ME, "starred": 0, "trashed": "", "created": visit.store.now}
    made["id"] = visit.store.free_key("File", made)
    visit.store.put("File", made)
    return {"made": Entity(made)}


def trash_file(visit: Visit) -> None:
    """Put a file into the trash."""
    _put_aside(visit, [visit.values["file"]])


def batch_trash(visit: Visit) -> Mapping[str, Any]:
    """Put all files that are ticked into the trash."""
    return {"count": _put_aside(visit, _ticked(visit))}


def batch_star(visit: Visit) -> Mapping[str, Any]:
    """Give all files that are ticked a star."""
    rows = _ticked(visit)
    for row in rows:
        visit.store.change("File", {"id": row.id}, {"starred": 1})
    return {"count": len(rows)}


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
    inside = (
        [one for one in below(visit.store.where("Folder", {"trashed": row.trashed}), row.id)] if row.trashed else []
    )
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


def _inside(visit: Visit, key: str) -> Mapping[str, Any]:
    """Return a folder, where it lies, and the folders in it; raise MissingError if there is no such folder."""
    rows = visit.store.where("Folder", {})
    trail = above(rows, key)
    if key and not trail:
        raise MissingError
    # The top is no row: nobody can rename, move or delete it.
    at = trail[-1] if trail else Entity(id="", name=visit.say("top_folder"), trashed="")
    here = [row for row in rows if row.parent == at.id and row.trashed == at.trashed]
    counts = Counter(row.parent for row in rows if not row.trashed)
    counts += Counter(row.folder for row in visit.store.where("File", {"trashed": ""}))
    inside = [Entity({**row, "inside": counts[row.id]}) for row in sorted(here, key=lambda row: row.name)]
    return {"at": at, "trail": trail, "folders": inside}


def _pick(visit: Visit, path: str, first: str) -> Mapping[str, Any]:
    # What is moved is called `asked`: on this page `row` is each folder in turn.
    return {**_inside(visit, visit.args.get("in", first)), "asked": visit.names["row"], "pick": path}


def _path(visit: Visit, trail: Iterable[Entity]) -> str:
    return " > ".join(row.name for row in trail) or visit.say("link_home")


def _href(key: str) -> str:
    return f"/folder/{key}" if key else "/"


def _accesses(visit: Visit, where: Mapping[str, str]) -> list[Entity]:
    rows = [visit.store.joined(row, {"person": "Person"}) for row in visit.store.where("Share", where)]
    # On the last day access still holds.
    return [Entity({**row, "over": bool(row.expires) and row.expires < visit.today}) for row in rows]


def _bar(key: str, size: int, **more: str) -> Entity:
    return Entity(id=key, size=size, said=say(size), **more)


def _latest(rows: list[Entity]) -> list[Entity]:
    return sorted(rows, key=lambda row: row.trashed, reverse=True)


def _place(visit: Visit, key: str) -> str:
    """Return the key of a folder that something can be put into."""
    row = visit.store.one("Folder", key) if key else None
    # A form can send any key, and the folder may have gone meanwhile.
    if key and (row is None or row.trashed):
        raise RefusedError("error_choice")
    return key


def _refuse_namesake(visit: Visit, entity: str, column: str, place: str, name: str, field: str, own: str = "") -> None:
    rows = visit.store.where(entity, {column: place, "trashed": ""})
    if any(row.name.casefold() == name.casefold() for row in rows if row.id != own):
        raise RefusedError("error_unique", field)


def _refuse_ending(visit: Visit, row: Entity, name: str) -> None:
    ending = row.name.rpartition(".")[2]
    if name.rpartition(".")[2].casefold() != ending.casefold():
        raise RefusedError("error_ending", "file_name")


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
    _refuse_namesake(visit, entity, column, place, row.name, "", row.id)
    visit.store.change(entity, {"id": row.id}, {"trashed": "", column: place})


def _purge(visit: Visit, entity: str, what: str, rows: Iterable[Entity]) -> None:
    for row in rows:
        # Only what lies in the trash: the form of a page that was open for long may come late.
        if not row.trashed:
            raise RefusedError("error_allowed")
        visit.store.drop(entity, {"id": row.id})
        visit.store.drop("Share", {what: row.id})


def _ticked(visit: Visit) -> list[Entity]:
    rows: list[Entity] = visit.values["files"]
    if not rows:
        raise RefusedError("error_none")
    return rows
