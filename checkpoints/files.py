"""Checkpoints of the tasks of the file site.

A checkpoint is a condition on what the agent saw, or on what the pages show at the end. The exact
change of the database is under `expect` in `sites/files/tasks.yaml`.
"""

from collections.abc import Iterable

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Item, Run, has_item
from stressweb.plugins.task import Goal

TABLES = ("file", "folder", "share", "fetch", "setting")
FILE, FOLDER, ACCESS = "DigitalDocument", "Collection", "DigitalDocumentPermission"

MADE = "/folder/{made.id}"
"""Page of the folder that the agent created."""


def saw(run: Run, file: Entity) -> bool:
    """Return whether the agent saw a file: in a list, or on its page."""
    # In other tabs of its page, only the heading has the name of the file.
    return run.ever(has_item(FILE, name=file.name)) or run.ever(lambda state: state.path == f"/file/{file.id}")


def names(run: Run, path: str, kind: str = FILE) -> set[str | None]:
    """Return the names of the items that a page lists at the end."""
    return run.closing(path).names(kind)


def folder_page(folder: Entity) -> str:
    """Return the path of a folder's page."""
    return f"/folder/{folder.id}"


def access(run: Run, path: str, person: Entity) -> Item | None:
    """Return a person's access, from a page at the end."""
    return run.closing(path).item(ACCESS, name=person.name)


def left_open(run: Run, file: Entity) -> Checks:
    """Check that the agent left the page of a file open and changed nothing."""
    page = f"/file/{file.id}"
    opened = run.ever(lambda state: state.path == page)
    yield "opened the file", opened
    # Address and heading: an error page could have the same address.
    yield "left its page open", any(file.name in heading for heading in run.left_open(page).headings())
    yield "changed nothing", opened and run.untouched(*TABLES)


def are_missing(run: Run, path: str, files: Iterable[Entity], kept_file: Entity) -> list[bool]:
    """Return for each file whether it is missing from a page that still lists a file to keep."""
    # Without the file to keep, it may be an error page, on which all files are missing.
    listed = names(run, path)
    return [kept_file.name in listed and file.name not in listed for file in files]


@checks("files/upload-the-invoices")
def upload_the_invoices(run: Run, goal: Goal) -> Checks:
    """Create a folder, and upload two of the files at hand."""
    uploaded_names = names(run, MADE)
    yield "created the folder at its place", goal.new.name in names(run, folder_page(goal.place), FOLDER)
    yield "uploaded the first invoice into it", goal.one.name in uploaded_names
    yield "uploaded the second invoice into it", goal.two.name in uploaded_names
    yield "and no other file", uploaded_names == {goal.one.name, goal.two.name}


@checks("files/rename-the-latest")
def rename_the_latest(run: Run, goal: Goal) -> Checks:
    """Rename the file of a folder that was changed last."""
    name = f"{goal.title.name}.{goal.file.ending}"
    yield "saw the file", saw(run, goal.file)
    # Separate from the next checkpoint, so that renaming a wrong file passes this one.
    yield "gave the name to a file in the folder", name in names(run, folder_page(goal.place))
    yield "gave it to the right one", name in names(run, "/file/{renamed.id}")


@checks("files/sort-by-kind")
def sort_by_kind(run: Run, goal: Goal) -> Checks:
    """Create two folders and move the files of two kinds into them."""
    first_moved, second_moved = names(run, MADE), names(run, "/folder/{also.id}")
    folders = names(run, folder_page(goal.place), FOLDER)
    yield "created the first folder", goal.one.name in folders
    yield "created the second folder", goal.two.name in folders
    yield "moved a file into the first", goal.first[0].name in first_moved
    yield "moved all of the first kind", first_moved == {file.name for file in goal.first}
    yield "moved all of the second kind", second_moved == {file.name for file in goal.second}
    yield "and no other file", run.only("file", (*goal.first, *goal.second), "folder", "changed")


@checks("files/star-the-largest")
def star_the_largest(run: Run, goal: Goal) -> Checks:
    """Give a star to the largest of a person's new files."""
    yield "saw the file", saw(run, goal.file)
    # Separate from the next checkpoint, so that a star for a wrong file passes this one.
    yield "gave a star", any(after.starred for _, after in run.altered("file"))
    yield "gave it to the right file", goal.file.name in names(run, "/starred")


@checks("files/download-the-first")
def download_the_first(run: Run, goal: Goal) -> Checks:
    """Download the oldest file of a folder."""
    yield "saw the file", saw(run, goal.file)
    # Separate from the next checkpoint, so that the download of a wrong file passes this one.
    fetched = {row.file for row in run.added("fetch")} | run.touched("fetch")
    yield "downloaded a file", bool(fetched)
    yield "downloaded the right one", goal.file.name in names(run, "/downloads", "DownloadAction")
    yield "and no other file", fetched == {goal.file.id}


@checks("files/what-takes-room")
def what_takes_room(run: Run, goal: Goal) -> Checks:
    """Open the largest file of the kind that is second, third or fourth by total size."""
    yield "saw how much room the kind takes", run.ever(has_item("Observation", name=goal.kind.name))
    yield from left_open(run, goal.file)


@checks("files/share-until")
def share_until(run: Run, goal: Goal) -> Checks:
    """Share a file with somebody until a day."""
    share = access(run, f"/file/{goal.file.id}?tab=tab_sharing", goal.person)
    yield "saw the file", saw(run, goal.file)
    yield "gave the person access", share is not None
    yield "with the right permission", share is not None and share["permissionType"] == goal.permission.name
    yield "until the right day", share is not None and share["validThrough"] == goal.day.id


@checks("files/end-what-is-over")
def end_what_is_over(run: Run, goal: Goal) -> Checks:
    """Remove the access that has ended, and no other."""
    path = f"/file/{goal.file.id}?tab=tab_sharing"
    listed = names(run, path, ACCESS)
    removed = [goal.valid[0].name in listed and person.name not in listed for person in goal.over]
    others_kept = all(person.name in listed for person in goal.valid)
    yield "saw the file", saw(run, goal.file)
    yield "removed the first of them", removed[0]
    yield "removed all of them", all(removed)
    # `removed`, because an agent that did nothing must not pass.
    yield "and nobody else", any(removed) and others_kept


@checks("files/bring-back")
def bring_back(run: Run, goal: Goal) -> Checks:
    """Restore a file and put it into a folder."""
    yield "saw the file in the trash", saw(run, goal.file)
    yield "took it out of the trash", are_missing(run, "/trash", [goal.file], goal.other)[0]
    yield "put it into the folder", goal.file.name in names(run, folder_page(goal.target))


@checks("files/delete-a-kind")
def delete_a_kind(run: Run, goal: Goal) -> Checks:
    """Move every file of a kind in a folder to the trash."""
    missing, remaining = (
        are_missing(run, folder_page(goal.place), goal.files, goal.others[0]),
        names(run, folder_page(goal.place)),
    )
    trashed_names = names(run, "/trash")
    yield "deleted the first of them", missing[0]
    yield "deleted all of them", all(missing)
    yield "they lie in the trash", trashed_names >= {file.name for file in goal.files}
    yield "kept the others", any(missing) and remaining == {file.name for file in goal.others}
    yield "and those in other folders", run.only("file", [*goal.files, *goal.others], "trashed", "changed")


@checks("files/erase-the-first-five")
def erase_the_first_five(run: Run, goal: Goal) -> Checks:
    """Delete for good the five files that have been in the trash longest."""
    missing = are_missing(run, "/trash", goal.files, goal.six)
    erased_names = {row.name for row in run.removed("file")}
    yield "erased the first", missing[0] and goal.one.name in erased_names
    yield "erased the fifth", missing[4] and goal.five.name in erased_names
    yield "erased all five", all(missing) and erased_names >= {file.name for file in goal.files}
    yield "and nothing else", bool(erased_names) and run.touched("file") <= {file.id for file in goal.files}


@checks("files/copy-with-a-remark")
def copy_with_a_remark(run: Run, goal: Goal) -> Checks:
    """Copy a file under another name, and describe the copy."""
    name = f"{goal.title.name}.{goal.file.ending}"
    copy = run.closing("/file/{copy.id}").item(FILE, name=name)
    yield "saw the file", saw(run, goal.file)
    yield "put a copy of that name into the folder", name in names(run, folder_page(goal.target))
    yield "of the right file", copy is not None and copy.number("contentSize") == goal.file.size
    yield "described it", copy is not None and copy["description"] == goal.remark.name


@checks("files/put-the-old-ones-away")
def put_the_old_ones_away(run: Run, goal: Goal) -> Checks:
    """Create a folder, move the old files into it, and share it."""
    moved, share = names(run, MADE), access(run, MADE, goal.person)
    yield "created the folder", goal.new.name in names(run, folder_page(goal.place), FOLDER)
    yield "moved the oldest file into it", goal.old[0].name in moved
    yield "moved all old files", moved >= {file.name for file in goal.old}
    yield "and no other file", run.only("file", goal.old, "folder", "changed")
    yield "shared it with the person", share is not None
    yield "with the right permission", share is not None and share["permissionType"] == goal.permission.name
    yield "without a last day", share is not None and not share["validThrough"]
