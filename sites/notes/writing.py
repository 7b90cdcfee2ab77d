"""What is done with workspaces, folders, documents, their tags and links, and their versions."""

from collections.abc import Iterable, Mapping
from typing import Any

from sites.kit import RefusedError, Visit
from sites.kit.logic.folders import place, refuse_inside, refuse_namesake
from sites.kit.logic.ticked import ticked
from sites.notes.plan import ME, count
from stressweb.core.entity import Entity

type Shown = Mapping[str, Any]


def add_workspace(visit: Visit) -> Shown:
    """Create a workspace."""
    values = visit.values
    return _add_folder(visit, values["workspace_name"], "", "workspace_name", values["privacy"], values["about"])


def add_folder(visit: Visit) -> Shown:
    """Create a folder in a workspace or in another folder."""
    return _add_folder(visit, visit.values["new_folder"], place(visit, visit.values["parent"]), "new_folder", "", "")


def change_folder(visit: Visit) -> None:
    """Give a folder another name, and a workspace another privacy, too; the address stays."""
    row, name = visit.values["folder"], visit.values["folder_name"]
    refuse_namesake(visit, "Folder", "parent", row.parent, name, "folder_name", row.id)
    told = {} if row.parent else {column: visit.values[column] for column in ("privacy", "about")}
    visit.store.change("Folder", {"id": row.id}, {"name": name, **told})


def move_folder(visit: Visit) -> Shown:
    """Put a folder into another one, unless that lies in it; workspaces stay where they are."""
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
    """Write title and text of a document; if nothing differs, it counts as not changed."""
    row, name, body = (visit.values[key] for key in ("document", "doc_name", "body"))
    refuse_namesake(visit, "Document", "folder", row.folder, name, "doc_name", row.id)
    if (name, body) != (row.name, row.body):
        told = {"name": name, "body": body, "words": count(body), "changed": visit.store.now}
        visit.store.change("Document", {"id": row.id}, told)


def move_document(visit: Visit) -> Shown:
    """Put a document into another folder; the page that follows is the folder that it has left."""
    row, to = visit.values["document"], place(visit, visit.values["to"])
    if to == row.folder:
        raise RefusedError("error_same_place")
    refuse_namesake(visit, "Document", "folder", to, row.name, "")
    visit.store.change("Document", {"id": row.id}, {"folder": to})
    return {"row": row, "left": row.folder}


def copy_document(visit: Visit) -> Shown:
    """Add a copy of a document, which is the visitor's own, without pin, tags, links, comments and versions."""
    return _add_document(visit, visit.values["doc_name"], visit.values["to"], visit.values["document"].body)


def batch_archive(visit: Visit) -> Shown:
    """Archive all documents that are ticked."""
    return _each(visit, {"archived": 1})


def batch_pin(visit: Visit) -> Shown:
    """Pin all documents that are ticked."""
    return _each(visit, {"pinned": 1})


def batch_tag(visit: Visit) -> Shown:
    """Put a tag on all documents that are ticked."""
    rows = ticked(visit, "documents")
    _tag(visit, rows)
    return {"count": len(rows)}


def put_tag(visit: Visit) -> None:
    """Put a tag on a document."""
    _tag(visit, [visit.values["document"]])


def drop_taggings(visit: Visit) -> None:
    """Take a tag that is deleted off all documents."""
    visit.store.drop("Tagging", {"tag": visit.values["tag"].id})


def add_link(visit: Visit) -> None:
    """Share a document by a link; of two links to it, each has a name of its own."""
    told = {"document": visit.values["document"].id, "name": visit.values["link_name"]}
    named = {one.name.casefold() for one in visit.store.where("Link", {"document": told["document"]})}
    if told["name"].casefold() in named:
        raise RefusedError("error_unique", "link_name")
    row = {**told, "permission": visit.values["permission"], "expires": visit.values["expires"]}
    visit.store.put("Link", {"id": visit.store.free_key("Link", row), **row})


def keep_version(visit: Visit) -> None:
    """Keep the text of a document as a version."""
    _keep(visit, visit.values["document"], visit.values["version_name"])


def restore_version(visit: Visit) -> None:
    """Make the text of a version that of its document; a text that no version holds is kept as one before."""
    row = visit.values["version"]
    now = visit.store.one("Document", row.document)
    if now is None or now.trashed:
        raise RefusedError("error_allowed")
    # A second press on the button finds everything done.
    if now.body == row.body:
        return
    if all(one.body != now.body for one in visit.store.where("Version", {"document": now.id})):
        _keep(visit, now, visit.say("kept_before"))
    told = {"body": row.body, "words": count(row.body), "changed": visit.store.now}
    visit.store.change("Document", {"id": now.id}, told)


def _add_folder(visit: Visit, name: str, parent: str, field: str, privacy: str, about: str) -> Shown:
    refuse_namesake(visit, "Folder", "parent", parent, name, field)
    row = {"name": name, "parent": parent, "privacy": privacy, "about": about, "created": visit.store.now}
    made = {"id": visit.store.free_key("Folder", row), **row, "trashed": ""}
    visit.store.put("Folder", made)
    return {"made": Entity(made)}


def _add_document(visit: Visit, name: str, folder: str, body: str) -> Shown:
    if not (to := place(visit, folder)):
        raise RefusedError("error_choice")
    refuse_namesake(visit, "Document", "folder", to, name, "doc_name")
    now = visit.store.now
    row = {"name": name, "folder": to, "author": ME, "body": body, "words": count(body), "created": now, "changed": now}
    made = {"id": visit.store.free_key("Document", row), **row, "pinned": 0, "archived": 0, "trashed": ""}
    visit.store.put("Document", made)
    return {"made": Entity(made)}


def _each(visit: Visit, values: Mapping[str, int]) -> Shown:
    rows = ticked(visit, "documents")
    for row in rows:
        visit.store.change("Document", {"id": row.id}, values)
    return {"count": len(rows)}


def _tag(visit: Visit, rows: Iterable[Entity]) -> None:
    tag = visit.values["tag"].id
    for row in rows:
        visit.store.put("Tagging", {"id": f"{row.id}/{tag}", "document": row.id, "tag": tag})


def _keep(visit: Visit, row: Entity, name: str) -> None:
    told = {"document": row.id, "name": name, "author": ME, "at": visit.store.now, "body": row.body}
    visit.store.put("Version", {"id": visit.store.free_key("Version", told), **told})
