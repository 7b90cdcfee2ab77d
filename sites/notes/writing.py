"""Actions on workspaces, folders and documents, and on their tags, links and versions."""

from collections.abc import Iterable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.logic.folders import place, refuse_inside, refuse_namesake
from stressweb.sites.kit.logic.ticked import ticked
from stressweb.sites.notes.plan import ME, count

type Shown = Mapping[str, Any]


def add_workspace(visit: Visit) -> Shown:
    """Create a workspace."""
    values = visit.values
    return _add_folder(visit, values["workspace_name"], "", "workspace_name", values["privacy"], values["about"])


def add_folder(visit: Visit) -> Shown:
    """Create a folder in a workspace or in another folder."""
    return _add_folder(visit, visit.values["new_folder"], place(visit, visit.values["parent"]), "new_folder", "", "")


def change_folder(visit: Visit) -> None:
    """Rename a folder, and set a workspace's privacy and description; the address stays the same."""
    row, name = visit.values["folder"], visit.values["folder_name"]
    refuse_namesake(visit, "Folder", "parent", row.parent, name, "folder_name", row.id)
    workspace_fields = {} if row.parent else {column: visit.values[column] for column in ("privacy", "about")}
    visit.store.change("Folder", {"id": row.id}, {"name": name, **workspace_fields})


def move_folder(visit: Visit) -> Shown:
    """Move a folder into another one, but not into its own subfolders; workspaces cannot be moved."""
    row, to = visit.values["folder"], place(visit, visit.values["to"])
    if not row.parent or not to:
        raise RefusedError("error_choice")
    refuse_inside(visit, row, to)
    refuse_namesake(visit, "Folder", "parent", to, row.name, "")
    visit.store.change("Folder", {"id": row.id}, {"parent": to})
    return {"row": row, "left": row.parent}


def add_document(visit: Visit) -> Shown:
    """Create a document in a folder."""
    return _add_document(visit, visit.values["doc_name"], visit.values["folder"], visit.values["body"])


def save_document(visit: Visit) -> None:
    """Save a document's title and text; its date of change stays if both are the same as before."""
    row, name, body = (visit.values[key] for key in ("document", "doc_name", "body"))
    refuse_namesake(visit, "Document", "folder", row.folder, name, "doc_name", row.id)
    if (name, body) != (row.name, row.body):
        changes = {"name": name, "body": body, "words": count(body), "changed": visit.store.now}
        visit.store.change("Document", {"id": row.id}, changes)


def move_document(visit: Visit) -> Shown:
    """Move a document into another folder; the next page is its previous folder."""
    row, to = visit.values["document"], place(visit, visit.values["to"])
    if to == row.folder:
        raise RefusedError("error_same_place")
    refuse_namesake(visit, "Document", "folder", to, row.name, "")
    visit.store.change("Document", {"id": row.id}, {"folder": to})
    return {"row": row, "left": row.folder}


def copy_document(visit: Visit) -> Shown:
    """Copy a document; the copy belongs to the visitor and has no pin, tags, links, comments or versions."""
    return _add_document(visit, visit.values["doc_name"], visit.values["to"], visit.values["document"].body)


def batch_archive(visit: Visit) -> Shown:
    """Archive all ticked documents."""
    return _each(visit, {"archived": 1})


def batch_pin(visit: Visit) -> Shown:
    """Pin all ticked documents."""
    return _each(visit, {"pinned": 1})


def batch_tag(visit: Visit) -> Shown:
    """Put a tag on all ticked documents."""
    rows = ticked(visit, "documents")
    _tag(visit, rows)
    return {"count": len(rows)}


def put_tag(visit: Visit) -> None:
    """Put a tag on a document."""
    _tag(visit, [visit.values["document"]])


def drop_taggings(visit: Visit) -> None:
    """Remove a deleted tag from all documents."""
    visit.store.drop("Tagging", {"tag": visit.values["tag"].id})


def add_link(visit: Visit) -> None:
    """Share a document by a link; its name must be unique among the document's links."""
    link = {"document": visit.values["document"].id, "name": visit.values["link_name"]}
    named = {existing.name.casefold() for existing in visit.store.where("Link", {"document": link["document"]})}
    if link["name"].casefold() in named:
        raise RefusedError("error_unique", "link_name")
    row = {**link, "permission": visit.values["permission"], "expires": visit.values["expires"]}
    visit.store.put("Link", {"id": visit.store.free_key("Link", row), **row})


def keep_version(visit: Visit) -> None:
    """Save the current text of a document as a version."""
    _save_version(visit, visit.values["document"], visit.values["version_name"])


def restore_version(visit: Visit) -> None:
    """Restore a version's text; if no version holds the current text, save it as one first."""
    row = visit.values["version"]
    now = visit.store.one("Document", row.document)
    if now is None or now.trashed:
        raise RefusedError("error_allowed")
    # Pressing the button twice changes nothing more.
    if now.body == row.body:
        return
    if all(version.body != now.body for version in visit.store.where("Version", {"document": now.id})):
        _save_version(visit, now, visit.say("kept_before"))
    changes = {"body": row.body, "words": count(row.body), "changed": visit.store.now}
    visit.store.change("Document", {"id": now.id}, changes)


def _add_folder(visit: Visit, name: str, parent: str, field: str, privacy: str, about: str) -> Shown:
    refuse_namesake(visit, "Folder", "parent", parent, name, field)
    row = {"name": name, "parent": parent, "privacy": privacy, "about": about, "created": visit.store.now}
    folder = {"id": visit.store.free_key("Folder", row), **row, "trashed": ""}
    visit.store.put("Folder", folder)
    return {"made": Entity(folder)}


def _add_document(visit: Visit, name: str, folder: str, body: str) -> Shown:
    if not (to := place(visit, folder)):
        raise RefusedError("error_choice")
    refuse_namesake(visit, "Document", "folder", to, name, "doc_name")
    now = visit.store.now
    row = {"name": name, "folder": to, "author": ME, "body": body, "words": count(body), "created": now, "changed": now}
    document = {"id": visit.store.free_key("Document", row), **row, "pinned": 0, "archived": 0, "trashed": ""}
    visit.store.put("Document", document)
    return {"made": Entity(document)}


def _each(visit: Visit, values: Mapping[str, int]) -> Shown:
    rows = ticked(visit, "documents")
    for row in rows:
        visit.store.change("Document", {"id": row.id}, values)
    return {"count": len(rows)}


def _tag(visit: Visit, rows: Iterable[Entity]) -> None:
    tag = visit.values["tag"].id
    for row in rows:
        visit.store.put("Tagging", {"id": f"{row.id}/{tag}", "document": row.id, "tag": tag})


def _save_version(visit: Visit, row: Entity, name: str) -> None:
    version = {"document": row.id, "name": name, "author": ME, "at": visit.store.now, "body": row.body}
    visit.store.put("Version", {"id": visit.store.free_key("Version", version), **version})
