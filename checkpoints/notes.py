"""Checkpoints of the notebook's tasks."""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Item, Run, State, has_item
from stressweb.plugins.task import Goal

TABLES = ("document", "folder", "tag", "tagging", "link", "comment", "version", "template", "setting")
DOCUMENT, FOLDER, LINK, VERSION = "NoteDigitalDocument", "Collection", "DigitalDocumentPermission", "DigitalDocument"

MADE, CREATED = "/doc/{made.id}", "/folder/{made.id}"
"""Pages of the document, and of the folder or workspace, that the agent created."""


def document_page(row: Entity) -> str:
    """Return the path of a document's page."""
    return f"/doc/{row.id}"


def folder_page(row: Entity) -> str:
    """Return the path of the page of a folder or a workspace."""
    return f"/folder/{row.id}"


def saw(run: Run, row: Entity) -> bool:
    """Return whether the agent opened the page of a document, in any tab, or changed the document elsewhere."""
    # Seeing a document in a list is not enough: the first page lists some.
    return row.id in run.touched("document") or run.ever(lambda state: state.path == document_page(row))


def names(run: Run, path: str, kind: str = DOCUMENT) -> set[str | None]:
    """Return the names of the items that a page lists at the end."""
    return run.closing(path).names(kind)


def at_the_end(run: Run, path: str, name: str) -> Item | None:
    """Return a document from its page at the end, if it has this title."""
    return run.closing(path).item(DOCUMENT, name=name)


def plain_lines(body: str) -> list[str]:
    """Return the headings, paragraphs and bullets of a text without markup, like its page."""
    lines = (line.removeprefix("# ").removeprefix("- ").replace("**", "") for line in body.split("\n"))
    return [" ".join(line.split()) for line in lines if line.strip()]


def tags(item: Item | None) -> set[str | None]:
    """Return the tags of a document on its page."""
    return item.names("DefinedTerm") if item is not None else set()


def left_open(run: Run, path: str, kind: str, name: str) -> Checks:
    """Check that the agent saw the text of a page, left the page open, and changed nothing."""

    def with_text(state: State) -> bool:
        note = state.item(kind, name=name) if state.path == path else None
        return note is not None and bool(note["text"])

    opened = run.ever(lambda state: state.path == path)
    yield "opened its page", opened
    yield "saw its text", run.ever(with_text)
    # By the heading, which all tabs of the page have; an error page could have the same address.
    yield "left it open", any(name in heading for heading in run.left_open(path).headings())
    yield "changed nothing", opened and run.untouched(*TABLES)


@checks("notes/write-a-document")
def write_a_document(run: Run, goal: Goal) -> Checks:
    """Create a document with bold words, a heading and bullets, and give it a tag."""
    new, document = goal.new, at_the_end(run, MADE, goal.new.name)
    bullets = f"{new.one} {new.two} {new.three}"
    yield "created the document in the folder", new.name in names(run, folder_page(goal.place))
    # From the database: bold words are not in the text of a page.
    yield "began with the bold sentence", any(row.body.startswith(f"**{new.bold}**") for row in run.added("document"))
    yield "below it the heading", document is not None and document.headings() == [new.heading]
    yield "and the paragraph", document is not None and document.says(f"{new.heading} {new.text}")
    yield "and the bullets", document is not None and document.says(bullets) and len(document.controls("listitem")) == 3
    yield "gave it the tag", goal.tag.name in tags(document)
    yield "pinned it", document is not None and document["pinned"] == "1"
    yield "with nothing else", document is not None and document.lines("text") == plain_lines(new.body)


@checks("notes/set-up-a-workspace")
def set_up_a_workspace(run: Run, goal: Goal) -> Checks:
    """Create a workspace with two folders and a document in each."""
    workspace_page = run.closing(CREATED)
    workspace = workspace_page.item(FOLDER, name=goal.ws.name)
    yield "created the workspace", workspace is not None
    yield "with the privacy", workspace is not None and workspace["audience"] == goal.privacy.name
    yield "without a description", workspace is not None and not workspace["description"]
    yield "with both folders", workspace_page.names(FOLDER) >= {goal.one.name, goal.two.name}
    for which, new in (("first", goal.a), ("second", goal.b)):
        document = at_the_end(run, f"/doc/{{of_{which}.id}}", new.name)
        yield f"put the {which} document into its folder", new.name in names(run, f"/folder/{{{which}.id}}")
        yield f"with the text of the {which}", document is not None and document["text"] == new.text


@checks("notes/gather-an-author")
def gather_an_author(run: Run, goal: Goal) -> Checks:
    """Create a folder and move the documents of an author into it."""
    moved = names(run, CREATED)
    yield "created the folder", goal.new.name in names(run, folder_page(goal.place), FOLDER)
    yield "moved a document into it", goal.notes[0].name in moved
    yield "moved all of them", moved >= {note.name for note in goal.notes}
    yield "and no other document", run.only("document", goal.notes, "folder", "changed")


@checks("notes/share-by-link")
def share_by_link(run: Run, goal: Goal) -> Checks:
    """Share a document by a link with a last day."""
    link = run.closing(goal.evidence[0]).item(LINK, name=goal.link.name)
    yield "saw the document", saw(run, goal.doc)
    yield "created the link", link is not None
    yield "with the right permission", link is not None and link["permissionType"] == goal.permission.name
    yield "until the right day", link is not None and link["validThrough"] == goal.day.id


@checks("notes/use-a-template")
def use_a_template(run: Run, goal: Goal) -> Checks:
    """Create a document from a template."""
    document = at_the_end(run, MADE, goal.page.name)
    yield "created the document in the folder", goal.page.name in names(run, folder_page(goal.place))
    yield "with a text", document is not None and bool(document["text"])
    yield (
        "which is that of the template",
        document is not None and document.lines("text") == plain_lines(goal.template.body),
    )


@checks("notes/settings")
def settings(run: Run, goal: Goal) -> Checks:
    """Change the settings."""
    saved = run.closing("/settings").item("Thing")
    yield "set the language", saved is not None and saved["inLanguage"] == goal.language.name
    yield "set the summary", saved is not None and saved["digest"] == goal.digest.name
    yield "switched saving off", saved is not None and not saved["autosave"]
    yield "switched dark on", saved is not None and saved["dark"] == "1"


@checks("notes/longest-with-a-tag")
def longest_with_a_tag(run: Run, goal: Goal) -> Checks:
    """Open the longest new document with a tag."""
    return left_open(run, f"/doc/{goal.note.document}", DOCUMENT, goal.note.name)


@checks("notes/archive-what-is-old")
def archive_what_is_old(run: Run, goal: Goal) -> Checks:
    """Archive the old documents of a folder, except those of an author."""
    archived_names, remaining = names(run, "/archive"), names(run, folder_page(goal.place))
    kept_names = {note.name for note in (*goal.theirs, *goal.recent)}
    yield "archived the first of them", goal.old[0].name in archived_names
    yield "archived all of them", archived_names >= {note.name for note in goal.old}
    # `archived_names`, because an agent that did nothing must not pass.
    yield "and kept the others", bool(archived_names & {note.name for note in goal.old}) and remaining == kept_names
    yield (
        "and those in other folders",
        run.only("document", (*goal.old, *goal.theirs, *goal.recent), "archived", "changed"),
    )


@checks("notes/bring-back-and-rename")
def bring_back_and_rename(run: Run, goal: Goal) -> Checks:
    """Restore a document and rename it."""
    trashed_names = names(run, "/trash")
    yield "saw the document in the trash", run.ever(has_item(DOCUMENT, name=goal.doc.name))
    # Another document must be listed, because none is on an empty page.
    yield "took it out of the trash", goal.other.name in trashed_names and goal.doc.name not in trashed_names
    yield "gave it the title", at_the_end(run, document_page(goal.doc), goal.title.name) is not None
    yield "left the others in the trash", bool(trashed_names) and run.touched("document") == {goal.doc.id}


@checks("notes/pin-the-latest")
def pin_the_latest(run: Run, goal: Goal) -> Checks:
    """Pin the three latest documents of a folder, and no other there."""
    pinned = run.closing(folder_page(goal.place)).names(DOCUMENT, pinned="1")
    wanted = {note.name for note in goal.top}
    yield "pinned the first of them", goal.fresh[0].name in pinned
    yield "pinned all three", pinned >= wanted
    yield "and none besides", pinned == wanted
    yield "and none in other folders", run.only("document", (*goal.fresh, *goal.stale), "pinned", "changed")


@checks("notes/settle-comments")
def settle_comments(run: Run, goal: Goal) -> Checks:
    """Resolve the comments of a person, and add a comment."""
    comments_page = run.closing(goal.evidence[0])
    resolved = comments_page.names("Comment", resolved="1")
    settled_texts = {comment.text for comment in goal.theirs}
    yield "saw the document", saw(run, goal.doc)
    yield "resolved the first comment", goal.theirs[0].text in resolved
    yield "resolved all of theirs", resolved >= settled_texts
    yield (
        "resolved no comment of anybody else",
        bool(resolved & settled_texts) and not resolved & {comment.text for comment in goal.others},
    )
    yield "added the comment", goal.new.name in comments_page.names("Comment")


@checks("notes/restore-a-version")
def restore_a_version(run: Run, goal: Goal) -> Checks:
    """Restore an earlier version."""
    restored = at_the_end(run, document_page(goal.doc), goal.doc.name)
    yield "saw the document", saw(run, goal.doc)
    yield "restored a version", bool(run.altered("document"))
    yield "which is the right one", restored is not None and restored.lines("text") == plain_lines(goal.version.body)


@checks("notes/where-a-part-began")
def where_a_part_began(run: Run, goal: Goal) -> Checks:
    """Open the oldest version with a given part."""
    yield "saw the versions", run.ever(has_item(VERSION, name=goal.version.name))
    yield from left_open(run, f"/version/{goal.version.id}", VERSION, goal.version.name)


@checks("notes/hand-out-a-copy")
def hand_out_a_copy(run: Run, goal: Goal) -> Checks:
    """Copy a document into a new folder, tag, pin and share the copy, and archive the original."""
    copy = at_the_end(run, "/doc/{copy.id}", goal.title.name)
    link = run.closing(goal.evidence[2]).item(LINK, name=goal.link.name)
    yield "put a copy into the new folder", goal.title.name in names(run, CREATED)
    yield "of the right document", copy is not None and copy.lines("text") == plain_lines(goal.doc.body)
    yield "gave it the tag", goal.tag.name in tags(copy)
    yield "pinned it", copy is not None and copy["pinned"] == "1"
    yield "created a link to it", link is not None
    yield "with the right permission", link is not None and link["permissionType"] == goal.permission.name
    yield "without a last day", link is not None and not link["validThrough"]
    yield "archived the original", goal.doc.name in names(run, "/archive")


@checks("notes/tag-the-longer-ones")
def tag_the_longer_ones(run: Run, goal: Goal) -> Checks:
    """Create a tag and put it on the longest documents of a folder."""
    tag = run.closing("/tags").item("DefinedTerm", name=goal.new.name)
    tagged, wanted = names(run, "/tag/{made.id}"), {note.name for note in goal.notes}
    yield "created the tag", tag is not None
    yield "with the colour", tag is not None and tag["color"] == goal.colour.name
    yield "put it on the longest", goal.one.name in tagged
    yield "put it on all of them", tagged >= wanted
    yield "and on no other", tagged == wanted
