"""Uploaded files: which ones are accepted or refused, and why; hostile names and contents do no harm."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict
from werkzeug.http import parse_options_header

from stressweb.core.entity import Entity
from stressweb.sites.kit import Download, KitSite
from stressweb.sites.kit.serving.documents import cleaned, digest, ending, read, type_of
from stressweb.walking.walker import Walker
from tests.support.crawling import send

SPEC = """
host: papers.test
since: 2025-01-01
within: 9
labels: {papers_name: Papers, title_home: Papers, send_paper: Send, send_many: Send all, paper: Paper, many: Papers, note: Note}
frame: {name: papers_name}
entities:
  Paper:
    table: paper
    rows: []
    columns: {id: "", name: "", bytes: "", size: "", type: "", digest: "", text: ""}
pages:
  home: {path: /, title: title_home, widgets: [{widget: form, action: send_paper}, {widget: form, action: send_many}]}
downloads: {get: {path: /get/<key>, load: get}}
actions:
  send_paper:
    fields: {note: {required: false}, paper: {type: file, endings: [txt, pdf], largest: 1000}}
    do: [{insert: Paper, values: {id: "{paper.digest}", name: "{paper.name}", bytes: "{paper.bytes}", size: "{paper.size}",
      type: "{paper.type}", digest: "{paper.digest}", text: "{paper.text}"}}]
  send_many:
    fields: {many: {type: file, several: true, required: false}}
    do: [{call: keep}]
"""
LOGIC = '''
"""The logic of the papers beyond their spec."""

from stressweb.sites.kit import Download
from stressweb.sites.kit import MissingError


def keep(visit):
    for one in visit.values["many"]:
        visit.store.put("Paper", {**{name: one[name] for name in ("name", "bytes", "size", "type", "digest", "text")}, "id": one.name})


def get(visit):
    row = visit.store.one("Paper", visit.names["key"])
    if row is None:
        raise MissingError
    return Download(row.name, row.text.encode())
'''

type File = tuple[str, bytes]


@pytest.fixture
def walker(tmp_path: Path) -> Walker:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "site.yaml").write_text(SPEC, "utf-8")
    (tmp_path / "papers" / "logic.py").write_text(LOGIC, "utf-8")
    return Walker(KitSite(tmp_path / "papers").world(0))


def send_files(walker: Walker, *files: File, field: str = "paper", **texts: str) -> None:
    action = {"paper": "send_paper", "many": "send_many"}[field]
    send(walker, action, **texts, **{field: [(BytesIO(content), name) for name, content in files]})


def papers(walker: Walker) -> list[Entity]:
    change = walker.changes().get("paper")
    return [*change.added] if change else []


def test_a_file_is_kept_as_it_is(walker: Walker) -> None:
    text = "Größe:\r\n 3 €\n"
    send_files(walker, ("Rechnung für März.TXT", text.encode()), note="hello")
    (row,) = papers(walker)
    assert (row.name, row.text, row.digest) == ("Rechnung für März.TXT", text, digest(text.encode()))
    assert (row.bytes, row.size, row.type) == (len(text.encode()), 1, "text/plain")


def test_several_files_come_at_once(walker: Walker) -> None:
    send_files(walker, ("a.txt", b"a"), ("b.bin", b"\x00\xff"), ("c.txt", b""), field="many")
    assert [(row.name, row.bytes, row.text) for row in papers(walker)] == [
        ("a.txt", 1, "a"),
        ("b.bin", 2, ""),
        ("c.txt", 0, ""),
    ]
    send_files(walker, field="many")
    assert len(papers(walker)) == 3


@pytest.mark.parametrize(
    ("files", "label"),
    [
        ([], "error_required"),
        ([("", b"")], "error_required"),
        ([("a.txt", b"x" * 1001)], "error_file_large"),
        ([("a.exe", b"x")], "error_file_type"),
        ([("a.txt.exe", b"x")], "error_file_type"),
        ([("txt", b"x")], "error_file_type"),
        ([(".txt", b"x")], "error_file_type"),
        # Its type is text, but its content is not.
        ([("a.txt", b"\xff\xfe\x00x")], "error_file_type"),
        ([("a.txt", b"x\x00y")], "error_file_type"),
        # Read from right to left it ends with txt.
        ([("a\u202etxt.exe", b"x")], "error_file_type"),
        ([("../..", b"x")], "error_file_name"),
        ([("\u200b\x07", b"x")], "error_file_name"),
        ([("x" * 300 + ".txt", b"x")], "error_file_name"),
        ([("ä" * 126 + ".txt", b"x")], "error_file_name"),
        ([("a.txt", b"x"), ("b.txt", b"y")], "error_uploads_many"),
    ],
)
def test_what_is_refused_says_why_at_its_field(walker: Walker, files: list[File], label: str) -> None:
    send_files(walker, *files, note="kept")
    assert papers(walker) == []
    (wrong,) = walker.page.xpath("//*[@aria-invalid='true']")
    assert (wrong.get("name"), wrong.get("type")) == ("paper", "file")
    (hint,) = walker.page.xpath(f"//*[@id='{wrong.get('aria-describedby')}']")
    assert hint.text == walker.world.labels[label]
    # The other entered values are still in the form.
    assert walker.page.xpath("//input[@name='note']/@value") == ["kept"]


@pytest.mark.parametrize(
    ("name", "stored_name"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("  two   blanks .txt", "two blanks .txt"),
        ("<script>alert(1)<.txt", "<script>alert(1)<.txt"),
        ("{me.password}.txt", "{me.password}.txt"),
        ("e\u0301.txt", "é.txt"),
        ("\u202egpj.txt", "gpj.txt"),
    ],
)
def test_a_hostile_name_is_kept_without_its_harm(walker: Walker, name: str, stored_name: str) -> None:
    send_files(walker, (name, b"x"), field="many")
    (row,) = papers(walker)
    assert row.name == stored_name
    answer = walker.fetch(f"/get/{stored_name}")
    # A name with a slash has no address; every other name leads to its file.
    assert answer.status_code == 200, stored_name
    assert answer.get_data() == b"x"
    disposition, parameters = parse_options_header(answer.headers["Content-Disposition"])
    assert (disposition, parameters["filename"]) == ("attachment", stored_name)
    assert "\n" not in answer.headers["Content-Disposition"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_a_page_that_was_uploaded_is_never_one_of_the_site(walker: Walker) -> None:
    send_files(walker, ("a.html", b"<script>alert(1)</script>"), field="many")
    walker.get("/get/a.html")
    assert walker.fetch("/get/a.html").mimetype == "application/octet-stream"
    assert walker.url == "/"


def test_a_request_without_an_end_is_not_read(walker: Walker) -> None:
    send_files(walker, ("a.txt", b"x" * 5_000_000))
    assert papers(walker) == []
    assert walker.world.labels["error_file_large"] in walker.html


def test_no_file_is_taken_without_the_token(walker: Walker) -> None:
    walker.post("/send-many", MultiDict([("csrf_token", "0" * 32), ("many", (BytesIO(b"x"), "a.txt"))]))
    assert papers(walker) == []
    assert walker.fetch("/get/a.txt").status_code == 404


def test_a_text_in_the_place_of_a_file_is_none(walker: Walker) -> None:
    send(walker, "send_paper", paper="a.txt")
    assert papers(walker) == []
    assert walker.world.labels["error_required"] in walker.html


@pytest.mark.parametrize(
    ("name", "stored_name"),
    [
        ("C:\\Users\\me\\a.txt", "a.txt"),
        ("C:\\", ""),
        ("a\r\nSet-Cookie: x=1.txt", "aSet-Cookie: x=1.txt"),
        ('a"; filename=b.txt', 'a"; filename=b.txt'),
        (". . .", ""),
        ("..a.txt", "..a.txt"),
    ],
)
def test_a_name_that_no_browser_sends_is_cleaned_too(name: str, stored_name: str) -> None:
    assert cleaned(name) == stored_name
    header = Download(name, b"").answer().headers["Content-Disposition"]
    assert parse_options_header(header)[1] == {"filename": stored_name or "file"}


@given(st.text(max_size=300))
def test_a_name_that_is_kept_can_be_kept_anywhere(name: str) -> None:
    stored_name = cleaned(name)
    assert cleaned(stored_name) == stored_name
    assert len(stored_name.encode()) <= 255
    assert not {"/", "\\", "\n", "\r", "\x00", "\u202e"} & {*stored_name}
    assert stored_name not in (".", "..")
    header = Download(stored_name or "x", b"").answer().headers["Content-Disposition"]
    assert parse_options_header(header)[1]["filename"] == (stored_name or "x")


@given(st.binary(max_size=200))
def test_what_is_read_as_text_is_what_was_sent(content: bytes) -> None:
    text = read("a.txt", content).text
    assert text == "" or text.encode() == content


@pytest.mark.parametrize(
    ("name", "end", "kind"),
    [
        ("a.PDF", "pdf", "application/pdf"),
        ("a", "", "application/octet-stream"),
        (".md", "", "application/octet-stream"),
    ],
)
def test_the_type_follows_the_ending(name: str, end: str, kind: str) -> None:
    assert (ending(name), type_of(name)) == (end, kind)
