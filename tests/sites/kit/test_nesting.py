"""Ancestors and descendants of a row, also in cycles of rows."""

from stressweb.core.entity import Entity
from stressweb.sites.kit.logic.nesting import descendants, path_to

ROWS = [Entity(id=key, parent=parent) for key, parent in (("c", "b"), ("a", ""), ("b", "a"), ("d", "b"), ("e", ""))]
CIRCLE = [Entity(id="x", parent="y"), Entity(id="y", parent="x")]


def test_above_goes_from_the_top_down_to_the_row() -> None:
    assert [row.id for row in path_to(ROWS, "d")] == ["a", "b", "d"]
    assert [row.id for row in path_to(ROWS, "e")] == ["e"]
    assert path_to(ROWS, "") == path_to(ROWS, "none") == []


def test_below_finds_every_depth() -> None:
    assert {row.id for row in descendants(ROWS, "a")} == {"b", "c", "d"}
    assert [*descendants(ROWS, "c")] == []


def test_a_circle_ends() -> None:
    assert {row.id for row in path_to(CIRCLE, "x")} == {"x", "y"}
    assert {row.id for row in descendants(CIRCLE, "x")} == {"x", "y"}
