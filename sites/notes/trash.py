"""What the trash of the notebook takes, lists, gives back, and deletes for good."""

from collections.abc import Mapping
from typing import Any

from sites.kit import Trash, Visit
from sites.kit.logic.ticked import ticked
from stressweb.core.entity import Entity

# A document lies in a folder always: it comes back to its place, or not at all.
_TRASH = Trash(
    leaf="Document",
    attached={"Document": dict.fromkeys(("Tagging", "Link", "Comment", "Version"), "document")},
    loose=False,
)


def trash(visit: Visit) -> Mapping[str, Any]:
    """Return what lies in the trash by itself; what went there with its folder comes back with it."""
    names = {one.id: one.name for one in visit.store.where("Person", {})}
    documents, folders = _TRASH.leaves(visit), _TRASH.folders(visit)
    told = [Entity({**row, "writer": names[row.author]}) for row in documents]
    return {"documents": told, "folders": folders, "any": bool(documents or folders)}


def trash_count(visit: Visit) -> Mapping[str, Any]:
    """Return how many things the trash lists."""
    return {"count": _TRASH.count(visit)}


def trash_document(visit: Visit) -> None:
    """Put a document into the trash."""
    _TRASH.put(visit, [visit.values["document"]])


def batch_trash(visit: Visit) -> Mapping[str, Any]:
    """Put all documents that are ticked into the trash."""
    return {"count": _TRASH.put(visit, ticked(visit, "documents"))}


def trash_folder(visit: Visit) -> None:
    """Put a folder or a workspace into the trash, with all that lies in it and is not there yet."""
    _TRASH.put_folder(visit, visit.values["folder"])


def restore_document(visit: Visit) -> None:
    """Take a document out of the trash."""
    _TRASH.restore(visit, visit.values["document"])


def restore_folder(visit: Visit) -> None:
    """Take a folder out of the trash, with all that went there with it."""
    _TRASH.restore_folder(visit, visit.values["folder"])


def undo_trash(visit: Visit) -> None:
    """Take out of the trash what was put there at a moment."""
    _TRASH.undo(visit, visit.values["at"])


def purge_document(visit: Visit) -> None:
    """Delete a document that lies in the trash for good."""
    _TRASH.purge(visit, visit.values["document"])


def purge_folder(visit: Visit) -> None:
    """Delete a folder that lies in the trash for good, with all that went there with it."""
    _TRASH.purge_folder(visit, visit.values["folder"])


def empty_trash(visit: Visit) -> None:
    """Delete for good whatever lies in the trash."""
    _TRASH.empty(visit)
