"""The trash of the files site: fill, list, restore and empty it."""

from collections.abc import Mapping
from typing import Any

from stressweb.sites.files.usage import trash_size
from stressweb.sites.kit import Trash, Visit
from stressweb.sites.kit.logic.ticked import ticked
from stressweb.sites.kit.wording.sizes import say

_TRASH = Trash(leaf="File", attached={"File": {"Share": "file"}, "Folder": {"Share": "folder"}})


def trash(visit: Visit) -> Mapping[str, Any]:
    """Return what was trashed on its own; the contents of a trashed folder are restored with it."""
    files, folders = _TRASH.leaves(visit), _TRASH.folders(visit)
    return {"files": files, "folders": folders, "any": bool(files or folders), "binned": say(trash_size(visit))}


def trash_count(visit: Visit) -> Mapping[str, Any]:
    """Return how many entries the trash lists."""
    return {"count": _TRASH.count(visit)}


def trash_file(visit: Visit) -> None:
    """Put a file into the trash."""
    _TRASH.put(visit, [visit.values["file"]])


def batch_trash(visit: Visit) -> Mapping[str, Any]:
    """Put all ticked files into the trash."""
    return {"count": _TRASH.put(visit, ticked(visit, "files"))}


def trash_folder(visit: Visit) -> None:
    """Put a folder into the trash, with all contents that are not there yet."""
    _TRASH.put_folder(visit, visit.values["folder"])


def restore_file(visit: Visit) -> None:
    """Restore a file; if its folder is still in the trash, the file goes to the top."""
    _TRASH.restore(visit, visit.values["file"])


def restore_folder(visit: Visit) -> None:
    """Restore a folder, with the contents that were trashed with it."""
    _TRASH.restore_folder(visit, visit.values["folder"])


def undo_trash(visit: Visit) -> None:
    """Restore everything that was trashed at the same moment."""
    _TRASH.undo(visit, visit.values["at"])


def purge_file(visit: Visit) -> None:
    """Permanently delete a file in the trash."""
    _TRASH.purge(visit, visit.values["file"])


def purge_folder(visit: Visit) -> None:
    """Permanently delete a folder in the trash, with the contents that were trashed with it."""
    _TRASH.purge_folder(visit, visit.values["folder"])


def empty_trash(visit: Visit) -> None:
    """Permanently delete everything in the trash."""
    _TRASH.empty(visit)
