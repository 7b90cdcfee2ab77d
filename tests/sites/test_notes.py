"""Logic of the notebook: workspaces and their trash, versions, expired links, tags, templates, refused actions."""

import re
from collections import Counter
from datetime import date
from typing import Any

import pytest

from stressweb.core.entity import Entity
from stressweb.sites.kit.wording import dates
from stressweb.sites.notes.document_texts import corpus, papers
from stressweb.sites.notes.lists import excerpt
from stressweb.walking.walker import Walker
from tests.support.crawling import send, site, visitor


@pytest.fixture
def walker() -> Walker:
    return visitor("notes", 0)


def rows(walker: Walker, table: str, where: str = "1", *values: Any) -> list[Entity]:
    cursor = walker.database.execute(f"SELECT * FROM {table} WHERE {where}", values)
    return [Entity(zip((column[0] for column in cursor.description), row, strict=True)) for row in cursor]


def message(walker: Walker, label: str) -> str:
    return walker.world.labels[label]


def test_a_workspace_goes_to_the_trash_with_all_that_is_in_it(walker: Walker) -> None:
    workspace = next(row for row in walker.world.entities["Place"] if row.depth == 1 and row.folders)
    before = len(rows(walker, "document", "trashed != ''"))
    send(walker, "trash_folder", folder=workspace.id)
    walker.get("/workspaces")
    assert f'href="/folder/{workspace.id}"' not in walker.html
    assert len(rows(walker, "document", "trashed != ''")) > before
    walker.get("/")
    send(walker, "restore_folder", folder=workspace.id)
    assert walker.changes().keys() <= {"event", "session"}


def test_a_document_whose_folder_is_in_the_trash_waits_for_it(walker: Walker) -> None:
    binned = next(row for row in walker.world.entities["Binned"] if not row.alone)
    assert message(walker, "error_place_gone") in send(walker, "restore_document", document=binned.id)
    assert rows(walker, "document", "id = ?", binned.id)[0].trashed
    send(walker, "restore_folder", folder=binned.folder)
    assert rows(walker, "document", "id = ?", binned.id)[0].trashed == ""


def test_what_belongs_to_a_document_goes_with_it_for_good(walker: Walker) -> None:
    held = {comment.document for comment in walker.world.entities["Comment"]} & {
        version.document for version in walker.world.entities["Version"]
    }
    note = next(row for row in walker.world.entities["Note"] if row.id in held)
    send(walker, "purge_document", document=note.id)
    assert rows(walker, "document", "id = ?", note.id)
    send(walker, "trash_document", document=note.id)
    send(walker, "purge_document", document=note.id)
    for table in ("tagging", "link", "comment", "version"):
        assert not rows(walker, table, "document = ?", note.id), table


def test_two_documents_of_one_folder_differ_in_their_titles(walker: Walker) -> None:
    place = next(row for row in walker.world.entities["Place"] if row.documents > 1)
    first, second = [row for row in walker.world.entities["Note"] if row.folder == place.id][:2]
    send(walker, "save_document", document=first.id, doc_name=second.name.upper(), body=first.body)
    send(walker, "add_document", folder=place.id, doc_name=second.name, body="")
    send(walker, "add_document", folder="", doc_name="In no folder", body="")
    send(walker, "copy_document", document=first.id, to=place.id, doc_name=second.name)
    assert walker.changes().keys() <= {"event", "session"}


def test_saving_what_is_there_changes_nothing(walker: Walker) -> None:
    note = next(row for row in walker.world.entities["Note"] if row.body.rpartition("\n")[2].startswith("- "))
    send(walker, "save_document", document=note.id, doc_name=note.name, body=note.body)
    assert walker.changes().keys() <= {"event", "session"}
    send(walker, "save_document", document=note.id, doc_name=note.name, body=f"{note.body}\n\n* one more")
    (row,) = rows(walker, "document", "id = ?", note.id)
    assert row.body == f"{note.body}\n- one more"
    assert (row.words, row.changed > note.changed) == (note.words + 2, True)


def test_a_script_is_told_what_came_of_a_form(walker: Walker) -> None:
    note = walker.world.entities["Note"][0]
    token = walker.page.xpath("//input[@name='csrf_token']/@value")[0]

    def save_in_background(**fields: str) -> dict[str, Any]:
        answer = walker.client.post(
            "/save-document",
            data={"csrf_token": token, "document": note.id, "body": note.body, **fields},
            headers={"Accept": "application/json"},
            base_url=f"http://{walker.world.host}/",
            environ_base=walker.environ(),
        )
        assert answer.status_code == 200
        reply: dict[str, Any] = answer.get_json()
        return reply

    field, missing = walker.world.labels["doc_name"], message(walker, "error_required")
    assert save_in_background(doc_name="") == {"done": False, "said": [f"{field}: {missing}"]}
    done = save_in_background(doc_name="Another title")
    assert done["done"]
    assert done["said"]
    # The next page does not repeat the messages.
    walker.get("/")
    assert not walker.page.xpath("//*[contains(@class, 'alert-success') or contains(@class, 'alert-danger')]")
    assert rows(walker, "document", "id = ?", note.id)[0].name == "Another title"


def test_a_version_is_restored_and_what_no_version_holds_is_kept_before(walker: Walker) -> None:
    old = next(row for row in walker.world.entities["Edition"] if row.nth == 1 and not row.current)
    before = len(rows(walker, "version", "document = ?", old.document))
    send(walker, "restore_version", version=old.id)
    assert rows(walker, "document", "id = ?", old.document)[0].body == old.body
    # The previous text is that of the latest version.
    assert len(rows(walker, "version", "document = ?", old.document)) == before
    send(walker, "save_document", document=old.document, doc_name="Title", body="Something new.")
    send(walker, "restore_version", version=old.id)
    assert rows(walker, "version", "document = ?", old.document)[-1].body == "Something new."


def test_a_version_says_what_changed_since(walker: Walker) -> None:
    old = next(row for row in walker.world.entities["Edition"] if row.nth == 1)
    walker.get(f"/version/{old.id}")
    document = rows(walker, "document", "id = ?", old.document)[0]
    listed = walker.page.xpath("//*[@itemprop='text' and not(contains(@class, 'kit-rich'))]/text()")
    # Each version has one section less than the next one.
    assert document.body.startswith(old.body)
    assert len(listed) == sum(bool(line) for line in document.body.removeprefix(old.body).split("\n"))


def test_a_link_ends_after_its_last_day_and_is_not_made_for_the_past(walker: Walker) -> None:
    links, note = walker.world.entities["Shared"], walker.world.entities["Note"][0]
    for over in (0, 1):
        link = next(row for row in links if row.over == over and row.expires)
        walker.get(f"/s/{link.id}")
        assert bool(walker.page.xpath("//*[@itemprop='text']")) == (not over)
    form = {"document": note.id, "link_name": "Auditors", "permission": "may_view"}
    assert message(walker, "error_form") in send(walker, "add_link", **form, expires="2020-01-01")
    send(walker, "add_link", **form, expires=walker.world.start.date().isoformat())
    send(walker, "add_link", **form, expires="")
    assert [row.name for row in rows(walker, "link", "id = 'auditors' OR id LIKE 'auditors-%'")] == ["Auditors"]


def test_a_tag_goes_off_all_documents_when_it_is_deleted(walker: Walker) -> None:
    tag = walker.world.entities["Tag"][0]
    assert rows(walker, "tagging", "tag = ?", tag.id)
    send(walker, "drop_tag", tag=tag.id)
    assert not rows(walker, "tagging", "tag = ?", tag.id)


def test_a_tag_that_is_put_on_twice_is_there_once(walker: Walker) -> None:
    tag, note = walker.world.entities["Tag"][0], walker.world.entities["Note"][0]
    for _ in range(2):
        send(walker, "put_tag", document=note.id, tag=tag.id)
    assert len(rows(walker, "tagging", "document = ? AND tag = ?", note.id, tag.id)) == 1


def test_a_folder_is_not_moved_into_itself_and_a_workspace_not_at_all(walker: Walker) -> None:
    place = next(row for row in walker.world.entities["Place"] if row.depth == 2 and row.folders)
    subfolder = rows(walker, "folder", "parent = ? AND trashed = ''", place.id)[0]
    assert message(walker, "error_inside") in send(walker, "move_folder", folder=place.id, to=subfolder.id)
    assert message(walker, "error_same_place") in send(walker, "move_folder", folder=place.id, to=place.parent)
    # A folder without a parent would be a workspace without privacy, and vice versa.
    send(walker, "move_folder", folder=place.id, to="")
    send(walker, "move_folder", folder=place.parent, to=subfolder.id)
    other = next(row for row in walker.world.entities["Place"] if row.depth == 1 and row.id != place.parent)
    send(walker, "move_folder", folder=other.id, to=subfolder.id)
    assert walker.changes().keys() <= {"event", "session"}


@pytest.mark.parametrize("seed", [0, 4, 9])
def test_the_pages_of_a_tag_and_of_a_search_hold_the_right_documents(seed: int) -> None:
    walker, site_world = visitor("notes", seed), site("notes", seed)
    tag = site_world.entities["Tag"][2]
    walker.get(f"/tag/{tag.id}")
    listed = {text.strip() for text in walker.page.xpath("//main//*[contains(@class, 'kit-name')]//text()")} - {""}
    assert listed == {row.name for row in site_world.entities["Tagged"] if row.tag == tag.id}
    note = site_world.entities["Note"][5]
    walker.get(f"/search?q={note.name.replace('&', '%26')}")
    assert note.name in walker.page.xpath("//main//*[@itemprop='name']/text()")


def test_dark_paper_is_a_matter_of_the_settings(walker: Walker) -> None:
    note = walker.world.entities["Note"][0]
    walker.get(f"/doc/{note.id}")
    assert not walker.page.xpath("//*[contains(@class, 'kit-rich') and contains(@class, 'text-bg-dark')]")
    send(walker, "save_settings", language="language_sv", digest="digest_never", dark="1")
    walker.get(f"/doc/{note.id}")
    assert walker.page.xpath("//*[contains(@class, 'kit-rich') and contains(@class, 'text-bg-dark')]")
    walker.get(f"/doc/{note.id}/edit")
    assert walker.page.xpath("//textarea[@lang='sv']")
    assert walker.page.xpath("//*[@data-autosave='off']")


def test_a_version_is_restored_once(walker: Walker) -> None:
    version = next(row for row in walker.world.entities["Edition"] if not row.current)
    send(walker, "restore_version", version=version.id)
    before = rows(walker, "document", "id = ?", version.document)
    assert before[0].body == version.body
    send(walker, "restore_version", version=version.id)
    assert rows(walker, "document", "id = ?", version.document) == before


def test_a_list_shows_where_a_document_is_how_it_begins_and_its_tags(walker: Walker) -> None:
    tagging = walker.world.entities["Tagging"][0]
    note = next(row for row in walker.world.entities["Note"] if row.id == tagging.document)
    walker.get(f"/all?tag={tagging.tag}")
    (listed,) = walker.page.xpath(f"//main//a[@href='/doc/{note.id}']/ancestor::*[@itemscope][1]")
    tags = {row.name for row in walker.world.entities["Tag"]}
    assert listed.xpath(".//*[@itemprop='isPartOf']/text()") == [note.path]
    assert set(listed.xpath(".//*[@itemprop='keywords']/*/text()")) <= tags
    assert listed.xpath(".//*[@itemprop='abstract']/text()")[0].split()[0] in note.body
    names = {text.strip() for text in walker.page.xpath("//main//*[contains(@class, 'kit-name')]//text()")} - {""}
    tagged = {row.document for row in walker.world.entities["Tagging"] if row.tag == tagging.tag}
    assert 0 < len(names) == len(names & {row.name for row in rows(walker, "document") if row.id in tagged})


@pytest.mark.parametrize(
    ("body", "query", "wanted"),
    [
        ("# Head\n\nA **bold** word.\n\n- Bullet", set(), "Head · A bold word. · Bullet"),
        ("one " * 40, set(), f"{' '.join(['one'] * 27)} …"),
        (f"{'one ' * 40}Needle two", {"needle"}, f"… {' '.join(['one'] * 10)} Needle two"),
        ("x" * 200, set(), f"{'x' * 110} …"),
        ("", {"needle"}, ""),
    ],
)
def test_an_excerpt_is_the_beginning_of_a_text_or_what_stands_around_a_word(
    body: str, query: set[str], wanted: str
) -> None:
    assert excerpt(body, query) == wanted


def test_a_tag_counts_the_documents_that_its_page_lists(walker: Walker) -> None:
    walker.get("/tags")
    tags = walker.page.xpath("//*[@itemtype='https://schema.org/DefinedTerm']")
    counts = {tag.xpath(".//*[@itemprop='name']/text()")[0].strip(): tag.xpath(".//*[@itemprop='size']/text()")[0]
              for tag in tags}  # fmt: skip
    for tag in walker.world.entities["Tag"]:
        walker.get(f"/tag/{tag.id}")
        assert int(counts[tag.name]) == len(walker.page.xpath("//main//*[contains(@class, 'kit-name')]"))


def test_a_document_is_downloaded_as_text(walker: Walker) -> None:
    note = walker.world.entities["Note"][0]
    answer = walker.client.get(
        f"/doc/{note.id}/text", base_url=f"http://{walker.world.host}/", environ_base=walker.environ()
    )
    assert answer.get_data(as_text=True) == f"# {note.name}\n\n{note.body}\n"
    walker.get("/doc/no-such-document/text")
    assert walker.status == 404


def test_a_document_counts_its_comments_and_says_how_many_are_open(walker: Walker) -> None:
    comment = next(row for row in walker.world.entities["Comment"] if not row.resolved)
    walker.get(f"/doc/{comment.document}")
    (before,) = walker.page.xpath("//*[@itemprop='commentCount']/text()")
    send(walker, "resolve", comment=comment.id)
    walker.get(f"/doc/{comment.document}")
    (after,) = walker.page.xpath("//*[@itemprop='commentCount']/text()")
    assert before != after
    assert before.split()[0].rstrip(",") == after.split()[0].rstrip(",")


def test_the_first_page_shows_the_text_and_the_moment_of_each_document(walker: Walker) -> None:
    listed = walker.page.xpath("//*[@class='kit-row']")
    pinned = rows(walker, "document", "pinned = 1 AND trashed = ''")
    assert len(listed) == len(pinned) + 10
    for row in listed:
        (document,) = rows(walker, "document", "id = ?", row.xpath(".//@href")[0].removeprefix("/doc/"))
        assert row.xpath(".//*[@itemprop='abstract']/text()") == [excerpt(document.body, set())]
        assert row.xpath(".//time/@datetime") == [document.changed]


@pytest.mark.parametrize("seed", [0, 3, 6, 11])
def test_no_sentence_opens_two_documents(seed: int) -> None:
    openings = [row.body.partition("\n")[0].replace("**", "") for row in site("notes", seed).entities["Document"]]
    counts = Counter(sentence for opening in openings for sentence in re.split(r"(?<=[.!?]) ", opening))
    assert len(counts) > len(openings)
    assert [sentence for sentence, count in counts.items() if count > 1] == []


def _matching_forms(row: Entity) -> list[dict[str, Any]]:
    """Return the rows of the corpus that have a shape of a document's title, and its headings in their order."""
    shown = re.findall(r"^# (.+)$", row.body, re.MULTILINE)
    # A word in braces stands for any words.
    return [
        form
        for kind in papers()["kinds"]
        for form in kind["titles"]
        if [section["head"] for section in form["sections"]][: len(shown)] == shown
        and any(re.fullmatch(f"{_pattern(shape)}(?:, .+)?", row.name) for shape in form["title"])
    ]


def _pattern(template: str) -> str:
    return ".+".join(map(re.escape, re.split(r"{\w+}", template)))


@pytest.mark.parametrize("seed", [3, 6, 11])
def test_a_text_has_the_sections_of_its_title_in_their_order(seed: int) -> None:
    documents = [row for row in site("notes", seed).entities["Document"] if "\n# " in row.body]
    assert len(documents) > 30
    assert [row.name for row in documents if len(_matching_forms(row)) != 1] == []


@pytest.mark.parametrize("seed", range(25))
def test_no_two_texts_are_the_same(seed: int) -> None:
    bodies = [row.body.partition("\n\n")[2] for row in site("notes", seed).entities["Document"] if "\n# " in row.body]
    assert Counter(bodies).most_common(1)[0][1] < 3
    # Each second document of a title has other words in its first sections.
    assert len({*bodies}) > len(bodies) * 0.95
    starts = [word for body in bodies for word in re.findall(r"[.!?] (the) ", body)]
    assert not starts


@pytest.mark.parametrize("seed", [3, 6, 11])
def test_what_is_made_has_no_day_and_no_guests(seed: int) -> None:
    world, seen = site("notes", seed), 0
    works = papers()["works"]
    for row in world.entities["Document"]:
        for form in _matching_forms(row):
            if form.get("about") == "event":
                seen += 1
                assert not [work for work in works if work in row.body], row.name
    assert seen > 9


@pytest.mark.parametrize("seed", [3, 6])
def test_comments_are_of_the_kind_of_their_document(seed: int) -> None:
    world = site("notes", seed)
    kinds = {row.id: _kinds_of(row) for row in world.entities["Document"] if "\n# " in row.body}
    checked = 0
    for comment in world.entities["Comment"]:
        (kind,) = kinds[comment.document]
        assert any(re.fullmatch(_pattern(text), comment.text) for text in kind["comments"]), comment.text
        checked += 1
    assert checked > 9


def _kinds_of(row: Entity) -> list[dict[str, Any]]:
    forms = _matching_forms(row)
    return [kind for kind in papers()["kinds"] if any(form in forms for form in kind["titles"])]


@pytest.mark.parametrize("seed", range(3))
def test_titles_have_many_shapes(seed: int) -> None:
    documents = site("notes", seed).entities["Document"]
    names = [row.name for row in documents]
    # A thing and its topic, as a catalogue has it, is one shape among others.
    assert sum(": " in name for name in names) < len(names) / 3
    # Some are short notes without sections.
    assert 5 < sum("\n# " not in row.body for row in documents) < len(names) / 3


def test_a_text_names_the_month_and_the_day_of_its_last_change() -> None:
    world = site("notes", 3)
    months, days = "|".join(dates.MONTHS), 0
    for row in world.entities["Document"]:
        changed = date.fromisoformat(row.changed[:10])
        month = dates.MONTHS[changed.month - 1]
        assert {*re.findall(rf"\b(?:{months})\b", row.name)} <= {month, "May"}, row.name
        days += dates.brief(world.look.dates, changed) in row.name
    assert days > 3


def test_the_overview_shows_what_was_changed_last_first(walker: Walker) -> None:
    walker.get("/")
    section = walker.page.xpath(
        "//section[.//h2[normalize-space()=$title]]", title=walker.world.labels["title_pinned"]
    )[0]
    shown = [text.strip() for text in section.xpath(".//*[@itemprop='name']/text()")]
    pinned = sorted(rows(walker, "document", "pinned AND trashed = ''"), key=lambda row: row.changed, reverse=True)
    assert shown == [row.name for row in pinned]
    assert shown != sorted(shown)


def test_the_corpus_knows_every_event_place_and_thing() -> None:
    subjects = {word for purpose in papers()["purposes"] for name in "abe" for word in purpose[name]}
    assert corpus("facts").keys() == subjects
    for form in (form for kind in papers()["kinds"] for form in kind["titles"]):
        heads = [section["head"] for section in form["sections"]]
        # Documents with versions have four.
        assert len(heads) == len({*heads}) == 4
        assert all("or" in section for section in form["sections"][:2]), form["title"]
    events = {event for purpose in papers()["purposes"] for event in purpose["a"]}
    assert {*papers()["works"]} < events
