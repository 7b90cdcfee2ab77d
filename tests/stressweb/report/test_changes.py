"""The change of a database as tables."""

from typing import Any

import pytest

from stressweb.report.changes import Cell, changes


def test_a_table_has_its_key_first_and_every_changed_row() -> None:
    final = {
        "cart": {
            "key": ["id"],
            "added": [{"owner": "me", "id": 2, "note": ""}],
            "removed": [{"owner": "me", "id": 1, "note": None}],
            "altered": [[{"id": 3, "owner": "me", "note": "a"}, {"id": 3, "owner": "me", "note": "b"}]],
        },
        "event": {"key": ["id"], "added": [{"id": 7}], "removed": [], "altered": []},
    }
    cart, event = changes(final)
    assert (cart.name, cart.columns, cart.counts) == ("cart", ("id", "owner", "note"), "1 added, 1 removed, 1 altered")
    assert [(row.kind, row.sign, [cell.now for cell in row.cells]) for row in cart.rows] == [
        ("added", "+", ["2", "me", '""']),
        ("removed", "−", ["1", "me", "null"]),
        ("altered", "→", ["3", "me", "b"]),
    ]
    assert [row.cells[2] for row in cart.rows] == [Cell(None, '""'), Cell(None, "null"), Cell("a", "b")]
    assert (event.columns, event.counts) == (("id",), "1 added")


@pytest.mark.parametrize(
    ("before", "after", "cell"),
    [
        (1, 1, Cell(None, "1")),
        (1, 2, Cell("1", "2")),
        (None, "x", Cell("null", "x")),
        ("", "x", Cell('""', "x")),
        (True, False, Cell("true", "false")),
        ("é", "→", Cell("é", "→")),
    ],
)
def test_a_value_that_changed_is_shown_before_and_after(before: Any, after: Any, cell: Cell) -> None:
    change = {"key": ["id"], "added": [], "removed": [], "altered": [[{"id": 1, "v": before}, {"id": 1, "v": after}]]}
    ((row,),) = (table.rows for table in changes({"t": change}))
    assert row.cells == (Cell(None, "1"), cell)


@pytest.mark.parametrize("final", [{}, {"t": {"key": ["id"], "added": [], "removed": [], "altered": []}}])
def test_nothing_changed_is_no_table(final: dict[str, Any]) -> None:
    assert changes(final) == ()


def test_a_column_that_only_some_rows_have_is_shown_for_all() -> None:
    (table,) = changes({"t": {"key": [], "added": [{"a": 1}, {"b": 2}]}})
    assert [[cell.now for cell in row.cells] for row in table.rows] == [["1", "–"], ["–", "2"]]
