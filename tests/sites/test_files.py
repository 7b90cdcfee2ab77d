"""Logic of the files: the trash, refused moves, sharing, and filters of the lists."""

from io import BytesIO
from typing import Any

import pytest

from stressweb.core.entity import Entity
from stressweb.sites import kit
from stressweb.sites.kit.wording.sizes import say
from stressweb.walking.walker import Walker
from tests.support.crawling import send, site, visitor


@pytest.fixture
def walker() -> Walker:
    return visitor("files", 0)


def rows(walker: Walker, table: str, where: str = "1", *values: Any) -> list[Entity]:
    cursor = walker.database.execute(f"SELECT * FROM {table} WHERE {where}", values)
    return [Entity(zip((column[0] for column in cursor.description), row, strict=True)) for row in cursor]


def a_topic(walker: Walker) -> Entity:
    """Return a folder with subfolders that contain files, none of them in the trash."""
    return next(row for row in walker.world.entities["Place"] if row.depth == 2 and row.folders)


def test_a_folder_goes_to_the_trash_with_what_is_in_it_and_comes_back_with_it(walker: Walker) -> None:
    topic, before = a_topic(walker), walker.database.serialize()
    contents = {row.id for row in rows(walker, "folder", "parent = ? AND trashed = ''", topic.id)}
    send(walker, "trash_folder", folder=topic.id)
    stamp = rows(walker, "folder", "id = ?", topic.id)[0].trashed
    assert stamp
    assert {row.id for row in rows(walker, "folder", "trashed = ?", stamp)} == {topic.id, *contents}
    papers = rows(walker, "file", "trashed = ?", stamp)
    assert {row.folder for row in papers} >= contents
    walker.get("/trash")
    assert topic.name in walker.html
    assert papers[0].name not in walker.html
    send(walker, "restore_folder", folder=topic.id)
    assert walker.changes().keys() <= {"event", "session"}
    assert walker.database.serialize() != before


def test_undo_takes_back_the_last_thing_only(walker: Walker) -> None:
    first, second = walker.world.entities["Paper"][:2]
    send(walker, "trash_file", file=first.id)
    walker.get(f"/file/{second.id}")
    bar = walker.page.xpath("//form[@action='/undo-trash']")
    assert len(bar) == 1
    # Another view does not close it; another write does.
    walker.get("/starred")
    walker.get(f"/file/{second.id}")
    assert walker.page.xpath("//form[@action='/undo-trash']")
    moment = walker.page.xpath("//form[@action='/undo-trash']//input[@name='at']/@value")[0]
    send(walker, "star", file=second.id)
    walker.get("/")
    assert not walker.page.xpath("//form[@action='/undo-trash']")
    send(walker, "undo_trash", at=moment)
    assert rows(walker, "file", "id = ?", first.id)[0].trashed == ""


def test_a_file_whose_folder_is_in_the_trash_comes_back_to_the_top(walker: Walker) -> None:
    binned = next(row for row in walker.world.entities["Binned"] if not row.alone)
    send(walker, "restore_file", file=binned.id)
    (row,) = rows(walker, "file", "id = ?", binned.id)
    assert (row.trashed, row.folder) == ("", "")


def test_a_folder_cannot_be_moved_into_itself_or_where_it_is(walker: Walker) -> None:
    topic, labels = a_topic(walker), walker.world.labels
    subfolder = rows(walker, "folder", "parent = ? AND trashed = ''", topic.id)[0]
    for to, says in ((subfolder.id, "error_inside"), (topic.id, "error_inside"), (topic.parent, "error_same_place")):
        assert labels[says] in send(walker, "move_folder", folder=topic.id, to=to)
    assert labels["error_choice"] in send(walker, "move_folder", folder=topic.id, to="no-such-folder")
    assert walker.changes().keys() <= {"event", "session"}


def test_names_are_kept_apart_and_endings_stay(walker: Walker) -> None:
    place = next(row for row in walker.world.entities["Place"] if row.files > 1)
    first, second = [row for row in walker.world.entities["Paper"] if row.folder == place.id][:2]
    send(
        walker,
        "rename_file",
        file=first.id,
        file_name=second.name.upper() if first.ending == second.ending else second.name,
    )
    send(walker, "rename_file", file=first.id, file_name="Without an ending")
    send(walker, "add_folder", parent="", new_folder=rows(walker, "folder", "parent = ''")[0].name.lower())
    assert walker.changes().keys() <= {"event", "session"}


def test_only_what_lies_in_the_trash_is_deleted_for_good(walker: Walker) -> None:
    paper = walker.world.entities["Paper"][0]
    assert walker.get(f"/file/{paper.id}/purge").status_code == 404
    send(walker, "purge_file", file=paper.id)
    assert rows(walker, "file", "id = ?", paper.id)
    send(walker, "empty_trash")
    assert not rows(walker, "file", "trashed != ''")
    assert not rows(walker, "folder", "trashed != ''")
    assert len(rows(walker, "file")) == len(walker.world.entities["Paper"])


def test_access_is_given_once_and_not_for_the_past(walker: Walker) -> None:
    access = walker.world.entities["Access"][0]
    form = {"permission": "may_edit", "expires": ""}
    shared = {"file": access.file} if access.file else {"folder": access.folder}
    action = "share_file" if access.file else "share_folder"
    send(walker, action, **shared, person=access.person, **form)
    fresh = next(row for row in walker.world.entities["Paper"] if not row.shares)
    send(walker, "share_file", file=fresh.id, person=access.person, **{**form, "expires": "2020-01-01"})
    assert len(rows(walker, "share")) == len(walker.world.entities["Access"])
    send(walker, "share_file", file=fresh.id, person=access.person, **form)
    assert len(rows(walker, "share")) == len(walker.world.entities["Access"]) + 1


def test_a_refused_sheet_says_so_and_opens_by_itself(walker: Walker) -> None:
    paper = next(row for row in walker.world.entities["Paper"] if not row.shares)
    page = f"/file/{paper.id}?tab=tab_sharing"
    walker.get(page)
    assert not walker.page.xpath("//dialog[@data-refused]")
    send(walker, "share_file", file=paper.id, person="", permission="may_view", expires="", back=page)
    assert len(walker.page.xpath("//dialog[@data-refused]//*[@aria-invalid]")) == 1


@pytest.mark.parametrize("seed", [0, 3, 11])
def test_a_list_filtered_by_its_owner_has_just_those_files(seed: int) -> None:
    walker, person = visitor("files", seed), site("files", seed).entities["Person"][2]
    walker.get(f"/all?owner={person.id}&kind=pdf&sort=large")
    listed = [text.strip() for text in walker.page.xpath("//main//*[@itemprop='name']/text()")]
    meant = [row for row in walker.world.entities["Paper"] if row.owner == person.id and row.kind == "kind_pdf"]
    assert listed == [row.name for row in sorted(meant, key=lambda row: -row.size)]
    walker.get("/all?owner=nobody")
    assert len(walker.page.xpath("//main//*[@itemprop='name']")) == 24


@pytest.mark.parametrize("seed", [0, 5])
def test_the_chart_says_what_its_bars_show(seed: int) -> None:
    walker = visitor("files", seed)
    walker.get("/storage")
    sizes = {row.id: row.size for row in walker.world.entities["Use"]}
    cells = walker.page.xpath("(//table)[1]//td[@itemprop='value']")
    assert [int(cell.get("content")) for cell in cells] == [sizes[key] for key in sorted(sizes)]
    assert [cell.text for cell in cells] == [say(sizes[key]) for key in sorted(sizes)]
    bars = [int(bar.get("width")) for bar in walker.page.xpath("(//table)[1]//rect[@class='kit-bar-full']")]
    assert max(bars) == 100
    assert bars.index(100) == sorted(sizes).index(max(sizes, key=lambda key: sizes[key]))


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", range(20))
def test_files_can_be_told_apart(seed: int) -> None:
    world = kit.load("files", seed)
    files, start = world.entities["File"], world.start.isoformat(" ")
    for texts in ([row.name.casefold() for row in files], [say(row.size) for row in files]):
        assert len(set(texts)) == len(texts)
    assert len({row.changed[:16] for row in files}) == len(files)
    assert all(row.created < row.changed < start and row.trashed < start for row in files)
    alone = [row.trashed for row in world.entities["Binned"] if row.alone]
    assert len(set(alone)) == len(alone) >= 7


def upload(walker: Walker, *files: tuple[str, bytes], to: str = "") -> str:
    """Upload files to a folder; return the HTML of the page after it."""
    return send(walker, "upload_files", to=to, uploads=[(BytesIO(content), name) for name, content in files])


def test_what_was_uploaded_comes_down_as_it_was(walker: Walker) -> None:
    place, content = a_topic(walker), "Größe;3\r\n".encode()
    upload(walker, ("Maße.csv", content), ("note.txt", b"x" * 1001), to=place.id)
    table, note = sorted(walker.changes()["file"].added, key=lambda row: row.name)
    assert (table.folder, table.kind, table.size, table.owner) == (place.id, "kind_spreadsheet", 1, "me")
    assert (note.kind, note.size) == ("kind_document", 2)
    walker.get(f"/file/{table.id}")
    send(walker, "download_file", file=table.id)
    assert walker.downloaded == [("Maße.csv", content)]
    # The page stays, and the file is first in the list of downloads.
    assert walker.url == f"/file/{table.id}"
    walker.get("/downloads")
    assert walker.page.xpath("//main//*[@itemprop='name']/text()")[0] == "Maße.csv"


def test_a_name_that_is_taken_keeps_all_files_out(walker: Walker) -> None:
    paper = walker.world.entities["Paper"][0]
    taken = f"{paper.name.rpartition('.')[0]}.txt".upper()
    upload(walker, (taken, b"x"), to=paper.folder)
    assert len(walker.changes()["file"].added) == 1
    for files in ((("new.txt", b""), (taken.lower(), b"")), (("a.md", b""), ("A.md", b""))):
        answer_page = upload(walker, *files, to=paper.folder)
        assert walker.world.labels["error_unique"] in answer_page
    assert len(walker.changes()["file"].added) == 1
    binned = next(row.id for row in rows(walker, "folder", "trashed != ''"))
    upload(walker, ("b.txt", b""), to=binned)
    assert len(walker.changes()["file"].added) == 1


def test_a_download_has_the_bytes_that_the_page_says_and_is_listed_once(walker: Walker) -> None:
    paper = next(row for row in walker.world.entities["Paper"] if row.size <= 4000 and not row.fetched)
    before = len(rows(walker, "fetch"))
    for _ in range(2):
        send(walker, "download_file", file=paper.id)
    (first, second) = walker.downloaded
    assert first == second
    assert (first[0], len(first[1])) == (paper.name, paper.size * 1000)
    assert len(rows(walker, "fetch")) == before + 1


def test_what_is_too_large_or_in_the_trash_is_not_sent(walker: Walker) -> None:
    labels = walker.world.labels
    large = next(row for row in walker.world.entities["Paper"] if row.size > 4000)
    for row in (large, walker.world.entities["Binned"][0]):
        assert walker.fetch(f"/file/{row.id}/content").status_code == 404
        assert labels["error_heavy"] in send(walker, "download_file", file=row.id)
    walker.get(f"/file/{large.id}")
    assert labels["text_heavy"] in walker.html
    assert not walker.page.xpath("//form[@action='/download-file']")
    assert walker.downloaded == []


@pytest.mark.parametrize("action", ["rename_file", "copy_file"])
def test_a_name_keeps_its_ending(walker: Walker, action: str) -> None:
    """The form is shown again afterwards, when the uploaded file is gone."""
    row = walker.world.entities["Paper"][0]
    page = f"/file/{row.id}/{action.partition('_')[0]}"
    answer_page = send(walker, action, file=row.id, to=row.folder, file_name="Other.odd", back=page)
    assert walker.world.labels["error_ending"] in answer_page
    assert walker.changes().keys() <= {"event", "session"}


def meter(walker: Walker) -> str:
    """Return what the page says about the storage."""
    return str(walker.page.xpath("string(//*[@class='kit-meter']/span)"))


def test_the_meter_counts_the_trash_and_what_was_emptied(walker: Walker) -> None:
    sizes = [row.size for row in rows(walker, "file")]
    binned = sum(row.size for row in rows(walker, "file", "trashed != ''"))
    assert say(sum(sizes)) in meter(walker)
    walker.get("/trash")
    assert say(binned) in walker.html
    send(walker, "empty_trash")
    assert say(sum(sizes) - binned) in meter(walker)


@pytest.mark.parametrize("seed", [0, 4])
def test_recent_files_are_in_order_and_under_the_right_heading(seed: int) -> None:
    walker = visitor("files", seed)
    walker.get("/recent")
    files = sorted(walker.world.entities["Paper"], key=lambda row: row.changed, reverse=True)[:25]
    sections = [block.xpath(".//*[@itemprop='name']/text()") for block in walker.page.xpath("//main/section")]
    assert [name for names in sections for name in names] == [row.name for row in files]
    # A list that is empty says so, under its heading.
    assert sections[0] == [row.name for row in files if row.age <= 1]
    assert sections[1] == [row.name for row in files if 1 < row.age <= 7]


def test_a_folder_is_as_large_as_everything_in_it(walker: Walker) -> None:
    topic = a_topic(walker)
    contents = {topic.id, *(row.id for row in rows(walker, "folder", "parent = ? AND trashed = ''", topic.id))}
    size = sum(row.size for row in rows(walker, "file", "trashed = ''") if row.folder in contents)
    walker.get(f"/folder/{topic.parent}")
    names = walker.page.xpath("//*[contains(@itemtype, 'Collection')]//*[@itemprop='name']/text()")
    sizes = walker.page.xpath("//*[contains(@itemtype, 'Collection')]//*[@itemprop='contentSize']/@content")
    assert dict(zip(names, sizes, strict=True))[topic.name] == str(size)
    walker.get(f"/folder/{topic.id}")
    (details,) = walker.page.xpath("//*[contains(@itemtype, 'CreativeWork')]")
    assert details.xpath(".//*[@itemprop='contentSize']/@content") == [str(size)]
    assert details.xpath("string(.//*[@itemprop='size'])") == str(topic.folders + topic.files)


def test_a_setting_warns_before_the_storage_is_full(walker: Walker) -> None:
    warning = walker.world.labels["text_nearly_full"]
    walker.get("/")
    assert warning not in walker.html
    walker.database.execute("UPDATE file SET size = size + 17000000 WHERE id = (SELECT id FROM file LIMIT 1)")
    walker.get("/")
    assert warning in walker.html
    send(walker, "save_settings", warn_at="warn_never", weekly_mail="")
    walker.get("/")
    assert warning not in walker.html


@pytest.mark.parametrize("kind", ["document", "picture", "archive"])
def test_a_file_has_a_picture_of_its_kind(walker: Walker, kind: str) -> None:
    paper = next(row for row in walker.world.entities["Paper"] if row.kind == f"kind_{kind}")
    walker.get(f"/file/{paper.id}")
    (source,) = walker.page.xpath("//main//img/@src")
    picture = walker.fetch(source)
    assert (picture.status_code, picture.mimetype) == (200, "image/svg+xml")
