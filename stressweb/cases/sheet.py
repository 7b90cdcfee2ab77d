"""Tables of test cases in CSV: their rows with lines, whatever separates the cells, and which of two shapes they have.

Blocks, as PinATA writes them:

    site,shop
    >,TC-2-F :: Empty the cart with one button,,Fail
    #,Actions,Expected Result,Expected Failure
    1,Open the cart,A list of articles is shown,
    2,Press "Empty cart",The cart is empty,there is no such button

A plain table, a row for each step:

    site,case,title,step,action,expected,verdict,cause
    shop,empty-cart,Empty the cart,1,Open the cart,A list of articles is shown,pass,
    shop,empty-cart,,2,Press "Empty cart",The cart is empty,fail,action
"""

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stressweb.core.errors import UserError
from stressweb.core.spreadsheet import guarded

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = (",", ";", "\t")
"""Spreadsheets write semicolons in countries with a decimal comma."""
ACTIONS = frozenset({"action", "actions", "step action", "test step"})
"""Accepted names of the column of actions."""
_MARK = "' "
"""Stands before a text that a spreadsheet would take for a formula. An apostrophe alone may be the user's own, as in
`'+' is shown`."""
_LOOKED_AT = 20
"""Number of rows in which the shape of a table must be recognised."""


class Row(NamedTuple):
    """A non-empty row."""

    line: int
    """Its first line, from 1."""
    cells: Sequence[str]
    """Without surrounding white space."""

    def cell(self, column: int | None) -> str:
        """Return the text in a column, from 0; "" without one."""
        return "" if column is None or column >= len(self.cells) else self.cells[column]

    @property
    def is_title(self) -> bool:
        """Whether it begins a block."""
        return "::" in self.cell(1) and not self.cell(0).rstrip(".").isdigit()

    @property
    def is_header(self) -> bool:
        """Whether it has the names of columns, including that of actions."""
        return any(cell.lower() in ACTIONS for cell in self.cells)

    @property
    def begins(self) -> bool:
        """Whether the cases of a table begin here."""
        return self.is_title or self.is_header

    def check_width(self, path: Path, width: int) -> None:
        """Raise UserError if there are more cells than `width` columns."""
        if any(self.cells[width:]):
            raise UserError(
                f"{path}:{self.line}: this row has {len(self.cells)} cells, and the table {width}; put a text with "
                "the separator in it into quotation marks"
            )


def cell_of(text: str) -> str:
    """Return a text as written to a cell, so that no spreadsheet takes it for a formula."""
    risky = guarded(text) != text and not text.startswith("'")
    return f"{_MARK}{text}" if risky or text.startswith(_MARK) else text


def text_of(cell: str) -> str:
    """Return the original text of `cell_of`."""
    return cell.strip().removeprefix(_MARK)


def table_rows(path: Path, text: str) -> list[Row]:
    """Return the rows of a table, whose first ones determine the separator.

    Raises UserError if it has no shape of a table of test cases, and with file and line for a wrong quotation mark.
    """
    shapes: dict[str, int] = {}
    for separator in SEPARATORS:
        # Not strict: with a wrong separator, correct quotes seem wrong.
        first_rows = islice(_numbered_rows(_reader(text, separator, strict=False)), _LOOKED_AT)
        with contextlib.suppress(_BrokenRowError):
            if beginning := next((row for row in first_rows if row.begins), None):
                shapes[separator] = beginning.line
    if shapes:
        # The first recognised row decides: further below, a text may look like one by chance.
        return [*_checked_rows(path, _reader(text, min(shapes, key=lambda separator: shapes[separator]), strict=True))]
    raise UserError(
        f"{path}:1: has no row that names the columns, such as case,title,step,action,expected,verdict, and no title "
        'of a block, such as >,"TC-1-P :: Title"'
    )


def _reader(text: str, separator: str, *, strict: bool) -> "Reader":
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=strict)


def _numbered_rows(reader: "Reader") -> Iterator[Row]:
    line = 1
    try:
        for cells in reader:
            row = Row(line, [text_of(cell) for cell in cells])
            if any(row.cells):
                yield row
            line = reader.line_num + 1
    except csv.Error as error:
        raise _BrokenRowError(line, str(error)) from None


class _BrokenRowError(Exception):
    """An invalid row of CSV: its line, and Python's message."""


def _checked_rows(path: Path, reader: "Reader") -> Iterator[Row]:
    try:
        yield from _numbered_rows(reader)
    except _BrokenRowError as broken:
        line, message = broken.args
        wrong = "a quotation mark inside a text stands alone"
        if "end of data" in message or "field limit" in message:
            wrong = "a quotation mark opens in this row and is never closed"
        raise UserError(f"{path}:{line}: {wrong}; write one that belongs to the text twice") from None
