"""Nested folders: their content, their path, and checks of moves and names.

A folder has `name`, `parent` and `trashed`; a row in a folder has `name`, `folder` and `trashed`. `trashed` is the
moment at which a row was put into the trash, or empty.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.kit.refusals import MissingError, RefusedError
from stressweb.sites.kit.serving.visit import Visit

FOLDER = "Folder"
"""Name of the entity."""


def folder_listing(visit: Visit, key: str, leaf: str) -> Mapping[str, Any]:
    """Return a folder, the folders above it, and those in it; raises MissingError if there is no such folder.

    `leaf` is the entity of the rows in folders. The `inside` of a folder is the number of folders and rows in it.
    """
    rows = visit.store.where(FOLDER, {})
    trail = path_to(rows, key)
    if key and not trail:
        raise MissingError
    # The top folder cannot be renamed, moved or deleted, so it has no row in the database.
    folder = trail[-1] if trail else Entity(id="", name=visit.say("top_folder"), trashed="")
    subfolders = [row for row in rows if row.parent == folder.id and row.trashed == folder.trashed]
    counts = Counter(row.parent for row in rows if not row.trashed)
    counts += Counter(row.folder for row in visit.store.where(leaf, {"trashed": ""}))
    counted = [Entity({**row, "inside": counts[row.id]}) for row in sorted(subfolders, key=lambda row: row.name)]
    return {"at": folder, "trail": trail, "folders": counted}


def path(visit: Visit, trail: Iterable[Entity]) -> str:
    """Return the path of a folder as text, from the top down."""
    return " > ".join(row.name for row in trail) or visit.say("link_home")


def place(visit: Visit, key: str) -> str:
    """Return the key of a folder that rows can be put into; raises RefusedError if it is missing or in the trash."""
    row = visit.store.one(FOLDER, key) if key else None
    # A form can send any key, and the folder may have been deleted.
    if key and (row is None or row.trashed):
        raise RefusedError("error_choice")
    return key


def refuse_inside(visit: Visit, row: Entity, to: str) -> None:
    """Raise RefusedError for moving a folder to where it is, or into itself or a folder in it."""
    if to == row.parent:
        raise RefusedError("error_same_place")
    if row.id in {ancestor.id for ancestor in path_to(visit.store.where(FOLDER, {}), to)}:
        raise RefusedError("error_inside")


def refuse_namesake(visit: Visit, entity: str, column: str, place: str, name: str, field: str, own: str = "") -> None:
    """Raise RefusedError for a name that another row in the same place has; `field` is the field of the name."""
    rows = visit.store.where(entity, {column: place, "trashed": ""})
    if any(row.name.casefold() == name.casefold() for row in rows if row.id != own):
        raise RefusedError("error_unique", field)
