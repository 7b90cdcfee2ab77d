"""Queries of checkpoints about an episode's database: changed rows, and the forms that changed them."""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from stressweb.core.entity import Entity
from stressweb.plugins.database import TableChange


class Deed(NamedTuple):
    """A form that had an effect: its sender and content."""

    by: str
    """Key of the signed-in person, or the visitor."""
    sent: Mapping[str, str]
    """Content of each field."""


class Changes:
    """How the database of an episode differs from its initial state."""

    tables: Mapping[str, TableChange]
    derived: Mapping[str, frozenset[str]]
    """Columns, by table, that the site maintains itself; their changes do not count, as in the verdict."""

    def added(self, table: str) -> tuple[Entity, ...]:
        """Return the rows that were added to a table."""
        return self._table(table).added

    def removed(self, table: str) -> tuple[Entity, ...]:
        """Return the rows that were removed from a table."""
        return self._table(table).removed

    def altered(self, table: str) -> tuple[tuple[Entity, Entity], ...]:
        """Return the altered rows of a table, before and after."""
        derived = self.derived.get(table, frozenset())
        return tuple(
            (before, after)
            for before, after in self._table(table).altered
            if any(after[column] != value for column, value in before.items() if column not in derived)
        )

    def events(self) -> tuple[Entity, ...]:
        """Return the server's event log: one row for every handled POST, in order."""
        return self.added("event")

    def deeds(self, action: str) -> list[Deed]:
        """Return the accepted forms of an action, in order."""
        details = [json.loads(row.detail) for row in self.events() if row.kind == action]
        return [Deed(detail["by"], detail["sent"]) for detail in details if detail["done"]]

    def touched(self, table: str) -> set[str]:
        """Return the keys of the initial rows of a table that were altered or removed."""
        change = self._table(table)
        return {_key(change, row) for row in (*change.removed, *(after for _, after in self.altered(table)))}

    def only(self, table: str, rows: Iterable[Entity], *columns: str) -> bool:
        """Return whether initial rows were altered, and only these columns of these rows.

        A removed row counts as altered, because it may have been added again with another key; `expect` checks that.
        Added rows do not count.
        """
        change, allowed_ids = self._table(table), {row.id for row in rows}
        altered = [
            _key(change, after) in allowed_ids and column in columns
            for before, after in self.altered(table)
            for column in before.keys() - self.derived.get(table, frozenset())
            if before[column] != after[column]
        ]
        removed = {_key(change, row) for row in change.removed}
        return bool(altered or removed) and all(altered) and removed <= allowed_ids

    def untouched(self, *tables: str) -> bool:
        """Return whether no row of these tables was added, removed or altered."""
        return not any(self.added(table) or self.touched(table) for table in tables)

    def _table(self, name: str) -> TableChange:
        return self.tables.get(name, TableChange(key=()))


def _key(change: TableChange, row: Entity) -> str:
    return " ".join(map(str, change.key_of(row)))
