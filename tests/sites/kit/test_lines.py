"""Pasted lines are rows; a mistake is reported with the number of its line."""

import pytest

from stressweb.core.entity import Entity
from stressweb.walking.walker import Walker
from tests.support.crawling import visitor


@pytest.fixture
def walker() -> Walker:
    walker = visitor("tasks", 0)
    walker.get(f"/projects/{project(walker).id}/lines")
    return walker


def project(walker: Walker) -> Entity:
    return walker.world.entities["Project"][0]


def paste(walker: Walker, text: str) -> str:
    """Paste a text into the form; return its error, or an empty text."""
    (form,) = walker.page.xpath("//form[.//textarea]")
    walker.post(form.get("action"), {**dict(form.form_values()), "lines": text})
    return "".join(walker.page.xpath("//*[contains(@class, 'invalid-feedback')]/text()"))


def added(walker: Walker) -> list[tuple[str, str, str]]:
    changes = walker.changes()
    return [(row["name"], row["due"], row["priority"]) for row in changes["item"].added] if "item" in changes else []


def test_each_line_is_a_row_in_order(walker: Walker) -> None:
    high = walker.world.labels["priority_high"]
    # Line ends as browsers send them; blank lines, blanks around cells and case are ignored.
    assert (
        paste(walker, f"First\r\n\r\n  Second |2031-02-03\nThird| 2031-02-04 | {high.upper()}\nFourth || {high}") == ""
    )
    assert added(walker) == [
        ("First", "", "priority_normal"),
        ("Second", "2031-02-03", "priority_normal"),
        ("Third", "2031-02-04", "priority_high"),
        ("Fourth", "", "priority_high"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("One\nTwo | 3 February", "2", "3 February"),
        ("One\n\n| 2031-02-03", "3", "| 2031-02-03"),
        ("One | 2031-02-03 | whenever", "1", "whenever"),
        ("One\nTwo\nThree | 2031-02-03 | | more", "3", "Three | 2031-02-03 | | more"),
        (f"One\n{'long ' * 30}", "2", "long"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_added(walker: Walker, text: str, line: str, message: str) -> None:
    wrong = paste(walker, text)
    assert line in wrong
    assert message in wrong
    assert "{" not in wrong
    assert added(walker) == []
    # The pasted text is still in the field, so that the user can correct it.
    assert "".join(walker.page.xpath("//textarea/text()")).split() == text.split()


def test_nothing_and_too_much_are_refused(walker: Walker) -> None:
    assert paste(walker, " \n \n") == walker.world.labels["error_required"]
    assert paste(walker, "line\n" * 201) == walker.world.labels["error_lines"].format(most=200)
    assert added(walker) == []
