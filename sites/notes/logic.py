"""Data for the notebook's pages that its spec cannot express. Actions are in writing.py and trash.py."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit, moment
from stressweb.sites.kit.logic.folders import folder_listing
from stressweb.sites.kit.mixins.search.logic import search_words
from stressweb.sites.notes.derived_entities import (
    binned,
    days,
    editions,
    new_words,
    notes,
    places,
    remarks,
    shared,
    tagged,
)
from stressweb.sites.notes.lists import text_file, with_excerpts, with_uses
from stressweb.sites.notes.plan import comments, documents, folders, links, people, taggings, templates, versions
from stressweb.sites.notes.reading import (
    all_links,
    document,
    documents_with_authors,
    opened,
    setting_of,
    tagged_with,
    version,
)
from stressweb.sites.notes.trash import (
    batch_trash,
    empty_trash,
    purge_document,
    purge_folder,
    restore_document,
    restore_folder,
    trash,
    trash_count,
    trash_document,
    trash_folder,
    undo_trash,
)
from stressweb.sites.notes.writing import (
    add_document,
    add_folder,
    add_link,
    add_workspace,
    batch_archive,
    batch_pin,
    batch_tag,
    change_folder,
    copy_document,
    drop_taggings,
    keep_version,
    move_document,
    move_folder,
    put_tag,
    restore_version,
    save_document,
)

# The spec names functions of this module; some are defined in other modules.
__all__ = [
    "add_document", "add_folder", "add_link", "add_workspace", "all_links", "batch_archive",
    "batch_pin", "batch_tag", "batch_trash", "binned", "change_folder", "comments", "copy_document", "days",
    "document", "documents", "drop_taggings", "editions", "empty_trash", "folders", "keep_version", "links",
    "move_document", "move_folder", "new_words", "notes", "opened", "people", "places", "purge_document",
    "purge_folder", "put_tag", "remarks", "restore_document", "restore_folder", "restore_version", "save_document",
    "shared", "tagged", "tagged_with", "taggings", "templates", "text_file", "trash", "trash_count",
    "trash_document", "trash_folder", "undo_trash", "version", "versions", "with_excerpts", "with_uses",
]  # fmt: skip

type Shown = Mapping[str, Any]


def home(visit: Visit) -> Shown:
    """Return the pinned documents with excerpts, and the workspaces."""
    pinned = documents_with_authors(visit, {"pinned": 1, "trashed": ""})
    return {
        "pinned": with_excerpts(visit, sorted(pinned, key=lambda row: row.changed, reverse=True)),
        "workspaces": workspaces(visit)["folders"],
    }


def workspaces(visit: Visit) -> Shown:
    """Return the workspaces, each with the number of folders and documents in it."""
    return folder_listing(visit, "", "Document")


def folder(visit: Visit) -> Shown:
    """Return the contents of the folder in the page's path."""
    return folder_listing(visit, visit.names["key"], "Document")


def select(visit: Visit) -> Shown:
    """Return a folder and its documents, which the page offers for selection."""
    listing = folder_listing(visit, visit.args.get("in", ""), "Document")
    return {
        **listing,
        "documents": documents_with_authors(visit, {"folder": listing["at"].id, "trashed": "", "archived": 0}),
    }


def new(visit: Visit) -> Shown:
    """Return the folder of a new document, and the title and text of the template in the query."""
    template_id = visit.args.get("template", "")
    template = visit.store.one("Template", template_id) if template_id else None
    template_query = f"template={template.id}&" if template else ""
    listing = folder_listing(visit, visit.args.get("in", ""), "Document")
    return {
        **listing,
        "pick": f"/new?{template_query}",
        "draft": Entity(name=template.name if template else "", body=template.body if template else ""),
        **_spelling(visit),
    }


def editing(visit: Visit) -> Shown:
    """Return the settings of the editor, and when the document was last saved."""
    saved = visit.past(visit.names["document"].changed)
    return {"setting": setting_of(visit), "saved": saved, **_spelling(visit)}


def since(visit: Visit) -> Shown:
    """Return the midnights 7, 30 and 365 days ago."""
    midnight = datetime.fromisoformat(visit.today)
    return {f"days_{count}": moment(midnight - timedelta(days=count)) for count in (7, 30, 365)}


def searched(visit: Visit) -> Shown:
    """Return the query with its words, and the days since which a document may have changed."""
    return {**search_words(visit), **since(visit)}


def pick_for_document(visit: Visit) -> Shown:
    """Return the folder that is open on the page for moving a document, initially the document's own."""
    document = visit.names["row"]
    return _folder_picker(visit, f"/doc/{document.id}/move", document.folder)


def pick_for_copy(visit: Visit) -> Shown:
    """Return the folder that is open on the page for copying a document, and a suggested name for the copy."""
    document = visit.names["row"]
    picker = _folder_picker(visit, f"/doc/{document.id}/copy", document.folder)
    return {**picker, "suggested": f"{document.name} ({visit.say('word_copy')})"}


def pick_for_folder(visit: Visit) -> Shown:
    """Return the folder that is open on the page for moving a folder, initially its parent."""
    folder = visit.names["row"]
    return _folder_picker(visit, f"/folder/{folder.id}/move", folder.parent)


def _spelling(visit: Visit) -> Shown:
    return {"spelling": setting_of(visit).language.rpartition("_")[2]}


def _folder_picker(visit: Visit, path: str, default: str) -> Shown:
    """Return the folder in the query, or the default one; links in the picker begin with `path`."""
    listing = folder_listing(visit, visit.args.get("in", default), "Document")
    # Rename the links to the folders above: links of the menu have the same names and lead elsewhere.
    ancestors = [Entity({**row, "name": visit.say("up_to", {"row": row})}) for row in listing["trail"][:-1]]
    trail = [*ancestors, *listing["trail"][-1:]]
    # The row to move or copy is called `asked`, because this page calls each folder `row`.
    return {**listing, "trail": trail, "asked": visit.names["row"], "pick": f"{path}?"}
