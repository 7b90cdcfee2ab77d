"""Defaults of a spec: parts that entities declare, paths, titles, and the values that a form sends."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.sites.kit import KitSite
from stressweb.walking.walker import Walker

SPEC = """
host: tiny.test
since: 2026-01-05
within: 100
frame: {name: tiny_name}
labels:
  tiny_name: Tiny
  title_home: Home
  title_old_books: Old books
  title_book: "{book.title}"
  title_loans: Loans
  author: Author
  lend: Lend it
  did_lend: '"{book.title}" is lent.'
  until: Until
entities:
  Book:
    table: book
    type: Book
    rows: [{id: one, title: One, author: A. Ash}, {id: two, title: Two, author: B. Birch}]
    columns: [id, title, author]
    parts:
      title: {part: name, href: "/book/{row.id}"}
      author: fact
      lend: {part: button, action: lend}
      short: [title, author]
      more: [short, lend]
  Loan:
    table: loan
    type: Offer
    rows: [{id: first, book: two, until: soon}]
    columns: [id, book, until]
    parts: {until: text}
pages:
  home: {widgets: [{widget: items, source: {of: Book}, show: [more]}]}
  old_books: {widgets: [{widget: items, source: {of: Book}, show: [{use: title, plain: true}]}]}
  book:
    path: /book/<key>
    rows: {book: {of: Book, where: {id: "{key}"}}}
    widgets: [{widget: item, row: book, show: [short]}, {widget: form, action: lend}]
  loans: {widgets: [{widget: items, source: {of: Loan, join: {book: Book}}, show: [until, book.author, book.lend]}]}
actions:
  lend: {about: Book, fields: [until], do: [{insert: Loan, values: {book: "{book.id}", until: "{until}"}}]}
"""


def tiny(folder: Path, spec: str = SPEC) -> KitSite:
    (folder / "tiny").mkdir()
    (folder / "tiny" / "site.yaml").write_text(spec, "utf-8")
    return KitSite(folder / "tiny")


@pytest.fixture
def walker(tmp_path: Path) -> Walker:
    return Walker(tiny(tmp_path).world(0))


def texts(walker: Walker, path: str) -> list[str]:
    return [" ".join(text.split()) for text in walker.page.xpath(f"//main{path}//text()") if text.strip()]


def test_a_page_shows_the_parts_that_an_entity_declares(walker: Walker) -> None:
    first, second = walker.page.xpath("//main//article")
    assert {element.get("itemtype") for element in (first, second)} == {"https://schema.org/Book"}
    assert [(element.get("itemprop"), element.text) for element in first.xpath(".//span[@itemprop]")] == [
        ("name", "One"),
        ("author", "A. Ash"),
    ]
    assert [link.get("href") for link in second.iter("a")] == ["/book/two"]
    assert texts(walker, "//div[@class='kit-fact ']")[:2] == ["Author:", "A. Ash"]


def test_a_part_can_be_said_differently(walker: Walker) -> None:
    walker.get("/old-books")
    assert texts(walker, "//h1") == ["Old books"]
    assert len(walker.page.xpath("//main//span[@class='kit-name']")) == 2


def test_parts_of_a_row_that_is_joined_read_that_row(walker: Walker) -> None:
    walker.get("/loans")
    (element,) = walker.page.xpath("//main//article")
    assert element.get("itemtype") == "https://schema.org/Offer"
    assert [element.text for element in element.xpath(".//*[@itemprop]")] == ["soon", "B. Birch"]
    assert element.xpath(".//input[@name='book']/@value") == ["two"]


def test_a_form_sends_the_row_at_hand(walker: Walker) -> None:
    assert [field.get("value") for field in walker.page.xpath("//main//input[@name='book']")] == ["one", "two"]
    walker.get("/book/two")
    form = walker.page.xpath("//main//form")[0]
    assert (form.get("action"), form.xpath(".//input[@name='book']/@value")) == ("/lend", ["two"])
    walker.post("/lend", {**dict(form.form_values()), "until": "June"})
    assert '"Two" is lent.' in texts(walker, "/..")
    assert [(row["book"], row["until"]) for row in walker.changes()["loan"].added] == [("two", "June")]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("show: [more]}", "show: [mor]}", "unknown part of Book 'mor'; did you mean more"),
        ("short: [title, author]", "short: [title, autor]", "unknown part of Book 'autor'; did you mean author"),
        ("parts: {until: text}", "parts: {till: text}", "41: .*unknown part of Loan 'until'"),
        ("author: fact", "author: {part: fact, text: '{row.writer}'}", "unknown column of row 'writer'"),
        ("author: fact", "author: {part: fact, wrod: true}", "wrod: is no known name"),
        (
            "widget: item, row: book,",
            "widget: item, row: boook,",
            "'short' names a part of an entity; add `of: ENTITY`",
        ),
        (', do: [{insert: Loan, values: {book: "{book.id}", until: "{until}"}}]', "", "unknown function 'lend'"),
    ],
)
def test_a_mistake_names_the_line_where_it_stands(tmp_path: Path, old: str, new: str, says: str) -> None:
    line = SPEC[: SPEC.index(old)].count("\n") + 1
    with pytest.raises(UserError, match=says if says[0].isdigit() else f":{line}: .*{says}"):
        tiny(tmp_path, SPEC.replace(old, new)).world(0)
