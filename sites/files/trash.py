"""What the trash of the files takes, lists, gives back, and deletes for good."""

from collections.abc import Mapping
from typing import Any

from sites.kit import Trash, Visit
from sites.kit.logic.ticked import ticked

_TRASH = Trash(leaf="File", attached={"File": {"Share": "file"}, "Folder": {"Share": "folder"}})


def trash(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in the trash by itself; what went there with its folder comes back with it."""
    files, folders = _TRASH.leaves(visit), _TRASH.folders(visit)
    return {"files": files, "folders": folders, "any": bool(files or folders)}


def trash_count(visit: Visit) -> Mapping[str, Any]:
    """Return how many things the trash lists."""
    return {"count": _TRASH.count(visit)}


def trash_file(visit: Visit) -> None:
    """Put a file into the trash."""
    _TRASH.put(visit, [visit.values["file"]])


def batch_trash(visit: Visit) -> Mapping[str, Any]:
    """Put all files that are ticked into the trash."""
    return {"count": _TRASH.put(visit, ticked(visit, "files"))}


def trash_folder(visit: Visit) -> None:
    """Put a folder into the trash, with all that lies in it and is not there yet."""
    _TRASH.put_folder(visit, visit.values["folder"])


def restore_file(visit: Visit) -> None:
    """Take a file out of the trash; if its folder is still there, the file goes to the top."""
    _TRASH.restore(visit, visit.values["file"])


def restore_folder(visit: Visit) -> None:
    """Take a folder out of the trash, with all that went there with it."""
    _TRASH.restore_folder(visit, visit.values["folder"])


def undo_trash(visit: Visit) -> None:
    """Take out of the trash what was put there at a moment."""
    _TRASH.undo(visit, visit.values["at"])


def purge_file(visit: Visit) -> None:
    """Delete a file that lies in the trash for good."""
    _TRASH.purge(visit, visit.values["file"])


def purge_folder(visit: Visit) -> None:
    """Delete a folder that lies in the trash for good, with all that went there with it."""
    _TRASH.purge_folder(visit, visit.values["folder"])


def empty_trash(visit: Visit) -> None:
    """Delete for good whatever lies in the trash."""
    _TRASH.empty(visit)
