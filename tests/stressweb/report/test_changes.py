"""Changes of the database as tables."""

from typing import Any

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.database import TableChange
from stressweb.report.changes import Cell, changes


def test_a_table_has_its_key_first_and_every_changed_row() -> None:
    final = {
        "cart": TableChange(
            key=("id",),
            added=(Entity(owner="me", id=2, note=""),),
            removed=(Entity(owner="me", id=1, note=None),),
            altered=((Entity(id=3, owner="me", note="a"), Entity(id=3, owner="me", note="b")),),
        ),
        "event": TableChange(("id",), added=(Entity(id=7),)),
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
    change = TableChange(("id",), altered=((Entity(id=1, v=before), Entity(id=1, v=after)),))
    ((row,),) = (table.rows for table in changes({"t": change}))
    assert row.cells == (Cell(None, "1"), cell)


@pytest.mark.parametrize("final", [{}, {"t": TableChange(("id",))}])
def test_without_changes_there_is_no_table(final: dict[str, TableChange]) -> None:
    assert changes(final) == ()


def test_a_column_that_only_some_rows_have_is_shown_for_all() -> None:
    (table,) = changes({"t": TableChange((), (Entity(a=1), Entity(b=2)))})
    assert [[cell.now for cell in row.cells] for row in table.rows] == [["1", "–"], ["–", "2"]]
