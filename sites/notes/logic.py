"""What the spec of the notebook cannot say: what its pages show. What its buttons do is in writing.py and trash.py."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sites.kit import Visit, moment
from sites.kit.logic.folders import inside
from sites.kit.mixins.search.logic import search_words
from sites.notes.derived_entities import (
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
from sites.notes.plan import comments, documents, folders, links, people, taggings, templates, versions
from sites.notes.reading import all_links, document, documents_of, opened, setting_of, tagged_with, version
from sites.notes.trash import (
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
from sites.notes.writing import (
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
from stressweb.core.entity import Entity

# The spec names functions of this module; some of them live in modules of their own.
__all__ = [
    "add_document", "add_folder", "add_link", "add_workspace", "all_links", "batch_archive", "batch_pin", "batch_tag",
    "batch_trash", "binned", "change_folder", "comments", "copy_document", "days", "document", "documents",
    "drop_taggings", "editions", "empty_trash", "folders", "keep_version", "links", "move_document", "move_folder",
    "new_words", "notes", "opened", "people", "places", "purge_document", "purge_folder", "put_tag", "remarks",
    "restore_document", "restore_folder", "restore_version", "save_document", "shared", "tagged", "tagged_with",
    "taggings", "templates", "trash", "trash_count", "trash_document", "trash_folder", "undo_trash", "version",
    "versions",
]  # fmt: skip

type Shown = Mapping[str, Any]


def home(visit: Visit) -> Shown:
    """Return what is pinned, and the workspaces."""
    return {"pinned": documents_of(visit, {"pinned": 1, "trashed": ""}), "workspaces": workspaces(visit)["folders"]}


def workspaces(visit: Visit) -> Shown:
    """Return the workspaces, each with how many things are in it."""
    return inside(visit, "", "Document")


def folder(visit: Visit) -> Shown:
    """Return what lies in the folder of the path."""
    return inside(visit, visit.names["key"], "Document")


def select(visit: Visit) -> Shown:
    """Return the documents of a folder, to choose from."""
    shown = inside(visit, visit.args.get("in", ""), "Document")
    return {**shown, "documents": documents_of(visit, {"folder": shown["at"].id, "trashed": "", "archived": 0})}


def new(visit: Visit) -> Shown:
    """Return where a new document is to lie, and the text of the template that was asked for."""
    key = visit.args.get("template", "")
    template = visit.store.one("Template", key) if key else None
    kept = f"template={template.id}&" if template else ""
    shown = inside(visit, visit.args.get("in", ""), "Document")
    return {
        **shown,
        "pick": f"/new?{kept}",
        "draft": Entity(body=template.body if template else ""),
        **_spelling(visit),
    }


def editing(visit: Visit) -> Shown:
    """Return how texts are written, as the settings say it, and when this one was saved last."""
    saved = visit.past(visit.names["document"].changed)
    return {"setting": setting_of(visit), "saved": saved, **_spelling(visit)}


def since(visit: Visit) -> Shown:
    """Return the first moment of some spans of days that end today."""
    start = datetime.fromisoformat(visit.today)
    return {f"days_{many}": moment(start - timedelta(days=many)) for many in (7, 30, 365)}


def searched(visit: Visit) -> Shown:
    """Return the query with its words, and the spans of days by which its results can be filtered."""
    return {**search_words(visit), **since(visit)}


def pick_for_document(visit: Visit) -> Shown:
    """Return the folder that is looked at as a new place for a document; at first, the one in which it lies."""
    row = visit.names["row"]
    return _pick(visit, f"/doc/{row.id}/move", row.folder)


def pick_for_copy(visit: Visit) -> Shown:
    """Return the folder that is looked at as the place for a copy, and what the copy could be called."""
    row = visit.names["row"]
    return {**_pick(visit, f"/doc/{row.id}/copy", row.folder), "suggested": f"{row.name} ({visit.say('word_copy')})"}


def pick_for_folder(visit: Visit) -> Shown:
    """Return the folder that is looked at as a new place for a folder."""
    row = visit.names["row"]
    return _pick(visit, f"/folder/{row.id}/move", row.parent)


def _spelling(visit: Visit) -> Shown:
    return {"spelling": setting_of(visit).language.rpartition("_")[2]}


def _place(visit: Visit, key: str) -> Shown:
    shown = inside(visit, key, "Document")
    # The menu has links of the same names, and they lead elsewhere.
    up = [Entity({**row, "name": visit.say("up_to", {"row": row})}) for row in shown["trail"][:-1]]
    return {**shown, "trail": [*up, *shown["trail"][-1:]]}


def _pick(visit: Visit, path: str, first: str) -> Shown:
    # What is moved is called `asked`: on this page `row` is each folder in turn.
    shown = _place(visit, visit.args.get("in", first))
    return {**shown, "asked": visit.names["row"], "pick": f"{path}?"}
