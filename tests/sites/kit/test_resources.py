"""A resource has pages, actions and labels; other people's rows are out of reach; unique values stay unique."""

from pathlib import Path

import pytest

from stressweb.core import draws
from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.plugins.steps import Step
from stressweb.sites.kit import KitSite
from stressweb.sites.kit.loading.assembly import merged
from stressweb.sites.kit.spec.conditions import holds
from stressweb.walking.walker import Walker

SPEC = """
host: notes.test
since: 2026-01-05
within: 100
use: [account]
people: {entity: Person}
frame: {name: site_name, sections: {link_home: /, link_notes: /notes}}
labels: {site_name: Tiny, title_home: Home, locked: This note is locked., locked_hint: Locked}
resources:
  Note:
    path: /notes
    type: Article
    name: title
    key: title
    signed_in: true
    owner: owner
    fields: {title: {}, text: {type: long, label: notes, required: false}}
    values: {locked: 0}
    allow: {delete: {locked: not note.locked}}
    show: [{part: badge, label: locked_hint, when: row.locked}]
entities:
  Person:
    table: person
    count: 2
    columns: {id: "{n}@mail.test", name: "Person {n}", password: "secret-{n}"}
  Note:
    table: note
    per: Person
    count: 2
    key: title
    owner: owner
    unique: [title]
    columns: {id: "{of.id}/note-{n}", owner: {copy: of.id}, title: "Note {n}", text: "", locked: {copy: n}}
pages: {home: {path: /, title: title_home}}
"""


@pytest.fixture
def walker(tmp_path: Path) -> Walker:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "site.yaml").write_text(SPEC, "utf-8")
    walker = Walker(KitSite(tmp_path / "notes").world(0))
    do(walker, ("open", "link_sign_in"), ("enter", "email", "0@mail.test"), ("enter", "password", "secret-0"))
    do(walker, ("press", "do_sign_in"), ("open", "link_notes"))
    return walker


def do(walker: Walker, *steps: tuple[str, ...], on: str | None = None) -> None:
    for verb, label, *value in steps:
        text = walker.world.labels.get(label, label)
        walker.do(Step(verb=verb, target=text, value=value[0] if value else None, on=on))


def titles(walker: Walker) -> list[str]:
    return [element.text for element in walker.page.xpath("//main//*[@itemprop='name']")]


def test_people_see_their_own_rows_alone(walker: Walker) -> None:
    assert titles(walker) == ["Note 0", "Note 1"]
    assert walker.get("/notes/Note 0").status_code == 200
    walker.database.execute("UPDATE note SET title = 'Secret' WHERE id = '1@mail.test/note-0'")
    assert walker.get("/notes/Secret").status_code == 404
    assert walker.get("/notes/Secret/edit").status_code == 404


def test_a_row_is_added_with_every_column(walker: Walker) -> None:
    do(walker, ("open", "new_note"), ("enter", "title", "Shopping list"), ("press", "add_note"))
    assert walker.world.labels["did_add_note"] in walker.html
    (row,) = walker.changes()["note"].added
    assert row == {
        "id": "0@mail.test/shopping-list",
        "owner": "0@mail.test",
        "title": "Shopping list",
        "text": "",
        "locked": 0,
    }


def test_a_name_is_unique_among_the_rows_of_one_owner(walker: Walker) -> None:
    do(walker, ("open", "new_note"), ("enter", "title", "NOTE 1"), ("press", "add_note"))
    assert "note" not in walker.changes()
    (wrong,) = walker.page.xpath("//*[@aria-invalid='true']")
    assert wrong.get("name") == "title"
    assert walker.world.labels["error_unique"] in walker.html


@pytest.mark.parametrize(
    ("note", "goes"), [("0@mail.test/note-0", True), ("0@mail.test/note-1", False), ("1@mail.test/note-0", False)]
)
def test_a_row_is_deleted_only_by_its_owner_and_when_that_is_allowed(walker: Walker, note: str, goes: bool) -> None:
    (session,) = walker.database.execute("SELECT id FROM session").fetchone()
    token = draws.digest(walker.world.secret, "token", session, size=16).hex()  # type: ignore[attr-defined]
    walker.post("/notes/drop", {"csrf_token": token, "note": note})
    removed = walker.changes()["note"].removed if "note" in walker.changes() else ()
    assert [row.id for row in removed] == ([note] if goes else [])


def test_mappings_merge_null_takes_out_and_the_rest_replaces() -> None:
    under = {"a": {"x": 1, "y": [1, 2]}, "b": 1}
    assert merged(under, {"a": {"y": [3], "z": 4}, "b": None}) == {"a": {"x": 1, "y": [3], "z": 4}}
    assert under == {"a": {"x": 1, "y": [1, 2]}, "b": 1}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("", True), ("row.open", True), ("not row.open", False), ("row.state is sent", True), ("row.state is new", False),
        ("not row.state is new", True), ("row.open and row.state is sent", True), ("row.open and not row.state is sent", False),
        ("me.name", False), ("not me.name", True), ("row.missing", False), ("row.count is 3", True),
    ],
)  # fmt: skip
def test_conditions(condition: str, expected: bool) -> None:
    assert holds(condition, {"row": Entity(open=1, state="sent", count=3), "me": None}) == expected


def test_a_resource_with_owners_needs_a_key_without_them(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "site.yaml").write_text(
        SPEC.replace("    key: title\n    signed_in", "    signed_in"), "utf-8"
    )
    with pytest.raises(UserError, match=r"site.yaml:10: resources.Note: needs a key"):
        KitSite(tmp_path / "notes").world(0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("fields: {title: {}", "columns: {text: txt}\n    fields: {title: {}", r"unknown column of Note 'txt'"),
        ("values: {locked: 0}", "values: {loked: 0}", r"unknown column of Note 'loked'; did you mean locked"),
        ("fields: {title: {}, text", "fields: {headline: {label: title}, text", r"unknown column of Note 'headline'"),
        ("fields: {title: {}, text", "columns: {titel: title}\n    fields: {title: {}, text", r"unknown field 'titel'"),
        (
            "values: {locked: 0}",
            "values: {locked: 0}\n    fixed: [titel]",
            r"unknown field 'titel'; did you mean title",
        ),
        ("values: {locked: 0}", 'values: {locked: "{label[{text}]}"}', r"nested braces in"),
    ],
)
def test_a_form_that_would_break_when_it_is_sent_is_refused_when_the_site_is_loaded(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SPEC
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "site.yaml").write_text(SPEC.replace(old, new), "utf-8")
    with pytest.raises(UserError, match=f"(?i){message}") as caught:
        KitSite(tmp_path / "notes").world(0)
    assert "site.yaml:" in str(caught.value)


def test_a_new_row_needs_the_column_that_its_key_is_made_of(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    action = 'actions: {jot: {path: /jot, do: [{insert: Note, values: {text: "Hello"}}]}}\n'
    (tmp_path / "notes" / "site.yaml").write_text(SPEC + action, "utf-8")
    with pytest.raises(UserError, match=r"action jot: a new row of Note needs a value for title"):
        KitSite(tmp_path / "notes").world(0)
