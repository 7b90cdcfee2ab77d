"""How an episode changed the site's database, as tables that a reader takes in at once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from stressweb.plugins.database import TableChange

type Row = Mapping[str, Any]
type Kind = Literal["added", "removed", "altered"]

_SIGNS: dict[Kind, str] = {"added": "+", "removed": "−", "altered": "→"}


class Cell(NamedTuple):
    """One value of a row."""

    before: str | None
    """What stood there before, if that was another value."""
    now: str


class ChangedRow(NamedTuple):
    """One row that was added, removed or altered."""

    kind: Kind
    cells: tuple[Cell, ...]
    """One for each column of the table."""

    @property
    def sign(self) -> str:
        """How the kind is written in front of the row."""
        return _SIGNS[self.kind]


@dataclass(frozen=True)
class TableOfChanges:
    """The changed rows of one table."""

    name: str
    columns: tuple[str, ...]
    """Those of the key first."""
    rows: tuple[ChangedRow, ...]

    @property
    def counts(self) -> str:
        """How many rows changed in which way: `2 added, 1 altered`."""
        kinds = [row.kind for row in self.rows]
        return ", ".join(f"{kinds.count(kind)} {kind}" for kind in _SIGNS if kind in kinds)


def changes(final: Mapping[str, TableChange]) -> tuple[TableOfChanges, ...]:
    """Return the tables that changed; `final` is the change of a database, by table."""
    tables = (_table(name, change) for name, change in final.items())
    return tuple(table for table in tables if table.rows)


def _table(name: str, change: TableChange) -> TableOfChanges:
    pairs: list[tuple[Kind, Row, Row]] = [
        *(("added", row, row) for row in change.added),
        *(("removed", row, row) for row in change.removed),
        *(("altered", before, after) for before, after in change.altered),
    ]
    # From all rows, since a recording does not say which columns a table has.
    columns = tuple(dict.fromkeys((*change.key, *(column for _, *rows in pairs for row in rows for column in row))))
    return TableOfChanges(name, columns, tuple(_row(kind, before, after, columns) for kind, before, after in pairs))


def _row(kind: Kind, before: Row, after: Row, columns: Sequence[str]) -> ChangedRow:
    return ChangedRow(kind, tuple(_cell(before, after, column) for column in columns))


def _cell(before: Row, after: Row, column: str) -> Cell:
    earlier, now = _value(before, column), _value(after, column)
    return Cell(None if earlier == now else earlier, now)


def _value(row: Row, column: str) -> str:
    """Return a value as a reader sees it: a text as it is, and what is no text, or an empty one, so that it shows."""
    value = row.get(column)
    # A column that a row lacks is not the same as one that holds NULL, which is shown as `null`.
    if column not in row:
        return "–"
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)
