"""Snapshots of a site's database, and their differences."""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from stressweb.core.entity import Entity

type Key = tuple[Any, ...]
type Rows = dict[Key, Entity]


@dataclass(frozen=True)
class Snapshot:
    """All rows of a database at one moment."""

    keys: Mapping[str, tuple[str, ...]]
    """The columns of each table's primary key; all its columns if it has none."""
    columns: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, Rows]
    """The rows of each table, by the values of its key."""

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> Self:
        """Read every table of an open database."""
        # Tables named sqlite_ are SQLite's own, such as the counters of keys.
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        keys, columns, rows = {}, {}, {}
        for table in sorted(name for (name,) in tables.fetchall()):
            info = list(connection.execute(f'PRAGMA table_info("{table}")'))
            columns[table] = tuple(row[1] for row in info)
            # The sixth value is the column's position in the primary key, from 1; 0 if it is not part of it.
            keys[table] = tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]) or columns[table]
            rows[table] = {
                tuple(row[column] for column in keys[table]): row
                for values in connection.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a name of the schema
                for row in (Entity(zip(columns[table], values, strict=True)),)
            }
        return cls(keys, columns, rows)

    @classmethod
    def of(cls, template: bytes) -> Self:
        """Read a database from `sqlite3.Connection.serialize`."""
        connection = sqlite3.connect(":memory:")
        try:
            # In memory, which takes a tenth of a millisecond.
            connection.deserialize(template)
            return cls.read(connection)
        finally:
            connection.close()

    def changes_to(self, after: "Snapshot") -> "dict[str, TableChange]":
        """Return the changes from this snapshot to `after`, by table, without unchanged tables.

        A row that was changed back counts as unchanged.
        """
        changes = {
            table: _change(key_columns, self.rows.get(table, {}), after.rows[table])
            for table, key_columns in after.keys.items()
        }
        return {table: change for table, change in changes.items() if change}


@dataclass(frozen=True)
class TableChange:
    """The change of one table over an episode."""

    key: tuple[str, ...]
    """The columns of the primary key."""
    added: tuple[Entity, ...] = ()
    removed: tuple[Entity, ...] = ()
    altered: tuple[tuple[Entity, Entity], ...] = ()
    """Rows before and after."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return the change from its `record`."""
        return cls(
            key=tuple(data["key"]),
            added=tuple(map(Entity, data["added"])),
            removed=tuple(map(Entity, data["removed"])),
            altered=tuple((Entity(before), Entity(after)) for before, after in data["altered"]),
        )

    def record(self) -> dict[str, Any]:
        """Return the change as JSON values, for `read`."""
        altered = [[before, after] for before, after in self.altered]
        return {"key": [*self.key], "added": [*self.added], "removed": [*self.removed], "altered": altered}

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.removed or self.altered)

    def key_of(self, row: Mapping[str, Any]) -> Key:
        """Return the key of a row."""
        return tuple(row[column] for column in self.key)

    def keys(self) -> Iterator[Key]:
        """Yield the key of every row that differs."""
        return map(self.key_of, (*self.added, *self.removed, *(after for _, after in self.altered)))


def _change(key_columns: tuple[str, ...], before: Rows, after: Rows) -> TableChange:
    return TableChange(
        key=key_columns,
        added=tuple(row for row_key, row in after.items() if row_key not in before),
        removed=tuple(row for row_key, row in before.items() if row_key not in after),
        # A row whose key changes counts as one removed and one added, because nothing else identifies it.
        altered=tuple(
            (before[row_key], row) for row_key, row in after.items() if row_key in before and before[row_key] != row
        ),
    )
