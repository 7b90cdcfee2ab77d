"""Actions on workspaces, folders and documents, and on their tags, links and versions."""

from collections.abc import Iterable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.logic.folders import place, refuse_inside, refuse_namesake
from stressweb.sites.kit.logic.ticked import ticked
from stressweb.sites.notes.plan import ME, word_count

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
    folder, name = visit.values["folder"], visit.values["folder_name"]
    refuse_namesake(visit, "Folder", "parent", folder.parent, name, "folder_name", folder.id)
    workspace_fields = {} if folder.parent else {column: visit.values[column] for column in ("privacy", "about")}
    visit.store.change("Folder", {"id": folder.id}, {"name": name, **workspace_fields})


def move_folder(visit: Visit) -> Shown:
    """Move a folder into another one, but not into its own subfolders; workspaces cannot be moved."""
    folder, target = visit.values["folder"], place(visit, visit.values["to"])
    if not folder.parent or not target:
        raise RefusedError("error_choice")
    refuse_inside(visit, folder, target)
    refuse_namesake(visit, "Folder", "parent", target, folder.name, "")
    visit.store.change("Folder", {"id": folder.id}, {"parent": target})
    return {"row": folder, "left": folder.parent}


def add_document(visit: Visit) -> Shown:
    """Create a document in a folder."""
    return _add_document(visit, visit.values["doc_name"], visit.values["folder"], visit.values["body"])


def save_document(visit: Visit) -> None:
    """Save a document's title and text; its date of change stays if both are the same as before."""
    document, name, body = (visit.values[key] for key in ("document", "doc_name", "body"))
    refuse_namesake(visit, "Document", "folder", document.folder, name, "doc_name", document.id)
    if (name, body) != (document.name, document.body):
        changes = {"name": name, "body": body, "words": word_count(body), "changed": visit.store.now}
        visit.store.change("Document", {"id": document.id}, changes)


def move_document(visit: Visit) -> Shown:
    """Move a document into another folder; the next page is its previous folder."""
    document, target = visit.values["document"], place(visit, visit.values["to"])
    if target == document.folder:
        raise RefusedError("error_same_place")
    refuse_namesake(visit, "Document", "folder", target, document.name, "")
    visit.store.change("Document", {"id": document.id}, {"folder": target})
    return {"row": document, "left": document.folder}


def copy_document(visit: Visit) -> Shown:
    """Copy a document; the copy belongs to the visitor and has no pin, tags, links, comments or versions."""
    return _add_document(visit, visit.values["doc_name"], visit.values["to"], visit.values["document"].body)


def batch_archive(visit: Visit) -> Shown:
    """Archive all ticked documents."""
    return _change_ticked(visit, {"archived": 1})


def batch_pin(visit: Visit) -> Shown:
    """Pin all ticked documents."""
    return _change_ticked(visit, {"pinned": 1})


def batch_tag(visit: Visit) -> Shown:
    """Put a tag on all ticked documents."""
    documents = ticked(visit, "documents")
    _put_taggings(visit, documents)
    return {"count": len(documents)}


def put_tag(visit: Visit) -> None:
    """Put a tag on a document."""
    _put_taggings(visit, [visit.values["document"]])


def drop_taggings(visit: Visit) -> None:
    """Remove a deleted tag from all documents."""
    visit.store.drop("Tagging", {"tag": visit.values["tag"].id})


def add_link(visit: Visit) -> None:
    """Share a document by a link; its name must be unique among the document's links."""
    document, name = visit.values["document"].id, visit.values["link_name"]
    links = visit.store.where("Link", {"document": document})
    if any(link.name.casefold() == name.casefold() for link in links):
        raise RefusedError("error_unique", "link_name")
    terms = {"permission": visit.values["permission"], "expires": visit.values["expires"]}
    row = {"document": document, "name": name, **terms}
    visit.store.put("Link", {"id": visit.store.free_key("Link", row), **row})


def keep_version(visit: Visit) -> None:
    """Save the current text of a document as a version."""
    _save_version(visit, visit.values["document"], visit.values["version_name"])


def restore_version(visit: Visit) -> None:
    """Restore a version's text; if no version has the current text, save it as one first."""
    restored = visit.values["version"]
    document = visit.store.one("Document", restored.document)
    if document is None or document.trashed:
        raise RefusedError("error_allowed")
    # A second press of the button changes nothing.
    if document.body == restored.body:
        return
    versions = visit.store.where("Version", {"document": document.id})
    if all(version.body != document.body for version in versions):
        _save_version(visit, document, visit.say("kept_before"))
    changes = {"body": restored.body, "words": word_count(restored.body), "changed": visit.store.now}
    visit.store.change("Document", {"id": document.id}, changes)


def _add_folder(visit: Visit, name: str, parent: str, field: str, privacy: str, about: str) -> Shown:
    refuse_namesake(visit, "Folder", "parent", parent, name, field)
    row = {"name": name, "parent": parent, "privacy": privacy, "about": about, "created": visit.store.now}
    folder = {"id": visit.store.free_key("Folder", row), **row, "trashed": ""}
    visit.store.put("Folder", folder)
    return {"made": Entity(folder)}


def _add_document(visit: Visit, name: str, folder: str, body: str) -> Shown:
    if not (target := place(visit, folder)):
        raise RefusedError("error_choice")
    refuse_namesake(visit, "Document", "folder", target, name, "doc_name")
    times = {"created": visit.store.now, "changed": visit.store.now}
    row = {"name": name, "folder": target, "author": ME, "body": body, "words": word_count(body), **times}
    document = {"id": visit.store.free_key("Document", row), **row, "pinned": 0, "archived": 0, "trashed": ""}
    visit.store.put("Document", document)
    return {"made": Entity(document)}


def _change_ticked(visit: Visit, changes: Mapping[str, int]) -> Shown:
    documents = ticked(visit, "documents")
    for document in documents:
        visit.store.change("Document", {"id": document.id}, changes)
    return {"count": len(documents)}


def _put_taggings(visit: Visit, documents: Iterable[Entity]) -> None:
    tag = visit.values["tag"].id
    for document in documents:
        visit.store.put("Tagging", {"id": f"{document.id}/{tag}", "document": document.id, "tag": tag})


def _save_version(visit: Visit, document: Entity, name: str) -> None:
    version = {"document": document.id, "name": name, "author": ME, "at": visit.store.now, "body": document.body}
    visit.store.put("Version", {"id": visit.store.free_key("Version", version), **version})
