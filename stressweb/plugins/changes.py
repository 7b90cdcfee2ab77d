"""What checkpoints ask about an episode's database: which rows changed, and which form changed them."""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from stressweb.core.entity import Entity
from stressweb.plugins.database import TableChange


class Deed(NamedTuple):
    """What a form did: who sent it, and what was in it."""

    by: str
    """Key of the person who was signed in, or the visitor."""
    sent: Mapping[str, str]
    """What each field held."""


class Changes:
    """How the database of an episode differs from the start."""

    tables: Mapping[str, TableChange]
    derived: Mapping[str, frozenset[str]]
    """Columns, by table, that the site keeps up to date itself: as for the verdict, they are no change of a row."""

    def added(self, table: str) -> tuple[Entity, ...]:
        """Return the rows that a table gained."""
        return self._table(table).added

    def removed(self, table: str) -> tuple[Entity, ...]:
        """Return the rows that a table lost."""
        return self._table(table).removed

    def altered(self, table: str) -> tuple[tuple[Entity, Entity], ...]:
        """Return the rows that a table holds with other values, before and after."""
        derived = self.derived.get(table, frozenset())
        return tuple(
            (before, after)
            for before, after in self._table(table).altered
            if any(after[column] != value for column, value in before.items() if column not in derived)
        )

    def events(self) -> tuple[Entity, ...]:
        """Return the server's event log: one row for every POST that it handled, in order."""
        return self.added("event")

    def deeds(self, action: str) -> list[Deed]:
        """Return what the forms of an action did, in order; those that the server refused are left out."""
        details = [json.loads(row.detail) for row in self.events() if row.kind == action]
        return [Deed(detail["by"], detail["sent"]) for detail in details if detail["done"]]

    def touched(self, table: str) -> set[str]:
        """Return the keys of those rows of the start that a table holds with other values, or no longer."""
        change = self._table(table)
        return {_key(change, row) for row in (*change.removed, *(after for _, after in self.altered(table)))}

    def only(self, table: str, rows: Iterable[Entity], *columns: str) -> bool:
        """Return whether rows of the start were altered, and nothing but these columns of these rows.

        A row that was removed and given back with another key counts as altered; whether it came back is for `expect`
        to say. Rows that were added do not count.
        """
        change, wanted = self._table(table), {row.id for row in rows}
        altered = [
            _key(change, after) in wanted and column in columns
            for before, after in self.altered(table)
            for column in before.keys() - self.derived.get(table, frozenset())
            if before[column] != after[column]
        ]
        gone = {_key(change, row) for row in change.removed}
        return bool(altered or gone) and all(altered) and gone <= wanted

    def untouched(self, *tables: str) -> bool:
        """Return whether no row of these tables was added, removed or altered, as after an agent that did nothing."""
        return not any(self.added(table) or self.touched(table) for table in tables)

    def _table(self, name: str) -> TableChange:
        return self.tables.get(name, TableChange(key=()))


def _key(change: TableChange, row: Entity) -> str:
    return " ".join(map(str, change.key_of(row)))
