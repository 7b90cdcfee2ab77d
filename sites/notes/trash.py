"""The notebook's trash: fill, list, restore and empty it."""

from collections.abc import Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Trash, Visit
from stressweb.sites.kit.logic.ticked import ticked

# A document always needs a folder, so it can only be restored into its own.
_TRASH = Trash(
    leaf="Document",
    attached={"Document": dict.fromkeys(("Tagging", "Link", "Comment", "Version"), "document")},
    loose=False,
)


def trash(visit: Visit) -> Mapping[str, Any]:
    """Return the documents and folders in the trash, without the contents of trashed folders."""
    names = {person.id: person.name for person in visit.store.where("Person", {})}
    documents, folders = _TRASH.leaves(visit), _TRASH.folders(visit)
    with_writers = [Entity({**document, "writer": names[document.author]}) for document in documents]
    return {"documents": with_writers, "folders": folders, "any": bool(documents or folders)}


def trash_count(visit: Visit) -> Mapping[str, Any]:
    """Return the number of documents and folders that the trash lists."""
    return {"count": _TRASH.count(visit)}


def trash_document(visit: Visit) -> None:
    """Put a document into the trash."""
    _TRASH.put(visit, [visit.values["document"]])


def batch_trash(visit: Visit) -> Mapping[str, Any]:
    """Put all ticked documents into the trash."""
    return {"count": _TRASH.put(visit, ticked(visit, "documents"))}


def trash_folder(visit: Visit) -> None:
    """Put a folder or a workspace into the trash, with all its contents that are not in it yet."""
    _TRASH.put_folder(visit, visit.values["folder"])


def restore_document(visit: Visit) -> None:
    """Restore a document."""
    _TRASH.restore(visit, visit.values["document"])


def restore_folder(visit: Visit) -> None:
    """Restore a folder, with the contents that were trashed with it."""
    _TRASH.restore_folder(visit, visit.values["folder"])


def undo_trash(visit: Visit) -> None:
    """Restore everything that was trashed at the same moment."""
    _TRASH.undo(visit, visit.values["at"])


def purge_document(visit: Visit) -> None:
    """Delete a document in the trash permanently."""
    _TRASH.purge(visit, visit.values["document"])


def purge_folder(visit: Visit) -> None:
    """Delete a folder in the trash permanently, with the contents that were trashed with it."""
    _TRASH.purge_folder(visit, visit.values["folder"])


def empty_trash(visit: Visit) -> None:
    """Delete everything in the trash permanently."""
    _TRASH.empty(visit)
