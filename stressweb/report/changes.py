"""Tables of an episode's changes to the site's database."""

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
    """The previous value, if it was different."""
    now: str


class ChangedRow(NamedTuple):
    """One row that was added, removed or altered."""

    kind: Kind
    cells: tuple[Cell, ...]
    """One per column of the table."""

    @property
    def sign(self) -> str:
        """The sign before the row."""
        return _SIGNS[self.kind]


@dataclass(frozen=True)
class TableOfChanges:
    """The changed rows of one table."""

    name: str
    columns: tuple[str, ...]
    """Key columns first."""
    rows: tuple[ChangedRow, ...]

    @property
    def counts(self) -> str:
        """Number of changed rows by kind: `2 added, 1 altered`."""
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
    # From all rows, because a recording does not list a table's columns.
    columns = tuple(dict.fromkeys((*change.key, *(column for _, *rows in pairs for row in rows for column in row))))
    return TableOfChanges(name, columns, tuple(_row(kind, before, after, columns) for kind, before, after in pairs))


def _row(kind: Kind, before: Row, after: Row, columns: Sequence[str]) -> ChangedRow:
    return ChangedRow(kind, tuple(_cell(before, after, column) for column in columns))


def _cell(before: Row, after: Row, column: str) -> Cell:
    earlier, now = _value(before, column), _value(after, column)
    return Cell(None if earlier == now else earlier, now)


def _value(row: Row, column: str) -> str:
    """Return a value as shown: texts unchanged, everything else and empty texts as JSON."""
    value = row.get(column)
    # A missing column differs from NULL, which is shown as `null`.
    if column not in row:
        return "–"
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)
