"""The episode's database as pages and actions use it, and the site's time."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.templates import Bound, Scalar, Where, fill, matching, ordered
from stressweb.sites.kit.spec.conditions import holds
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.site import SiteSpec
from stressweb.sites.kit.spec.stages import COLUMN, TABLE, Stages
from stressweb.sites.kit.wording.dates import moment
from stressweb.sites.kit.wording.slugs import slug


class Tables:
    """One episode's rows, read and written by entity; the caller commits."""

    def __init__(self, connection: sqlite3.Connection, spec: SiteSpec, start: datetime) -> None:
        """Take an open connection, the spec that names its tables, and the start of the site's time."""
        self._connection, self._spec, self._start = connection, spec, start

    def run(self, statement: str, *values: Any) -> list[Entity]:
        """Run one statement and return its rows."""
        cursor = self._connection.cursor()
        cursor.row_factory = sqlite3.Row
        return [Entity(dict(row)) for row in cursor.execute(statement, values)]

    def rows(self, source: Source, names: Mapping[str, Any]) -> list[Entity]:
        """Return the rows of a source, ordered and joined; its templates are filled from `names`."""
        matched = ordered(self.where(source.of, source.where, names), source.order)[: source.limit]
        return [self.joined(row, source.join) for row in matched]

    def where(self, entity: str, where: Where, names: Mapping[str, Any] = {}) -> list[Entity]:
        """Return the rows of an entity that satisfy `where`, in the order of insertion.

        Templates are filled from `names`; without names, braces are plain text.
        """
        stored_columns = {
            column: value for column, value in where.items() if column != COLUMN or not self._stages(entity)
        }
        # Without names, fill nothing: a site's function may search for text of a query, which may contain braces.
        texts = {column: value for column, value in stored_columns.items() if not isinstance(value, Bound)}
        equal = {column: fill(value, names) if names else str(value) for column, value in texts.items()}
        # Compare as text: templates give text, and in a column without a type the number 1 is not equal to the text
        # '1'.
        clause = " AND ".join(f'CAST("{column}" AS TEXT) = ?' for column in equal) or "1"
        # Without ORDER BY, SQLite guarantees no order, so pages could differ from run to run.
        rows = self.run(f'SELECT * FROM "{self._table(entity)}" WHERE {clause} ORDER BY rowid', *equal.values())  # noqa: S608
        # Bounds are checked in Python by the function that tasks and data use, so a bound means the same everywhere.
        rest = {column: value for column, value in where.items() if column not in equal}
        return matching(self._with_stages(entity, rows), rest, names)

    def one(self, entity: str, key: str) -> Entity | None:
        """Return the row of an entity with this key; None if there is none."""
        rows = self.run(f'SELECT * FROM "{self._table(entity)}" WHERE id = ?', key)  # noqa: S608
        return next(iter(self._with_stages(entity, rows)), None)

    def owned(self, entity: str, key: str, owner: str) -> Entity | None:
        """Return the row of an entity with this key; None if there is none or it belongs to somebody else."""
        row, column = self.one(entity, key), self._spec.entities[entity].owner
        return None if row is None or (column and row[column] != owner) else row

    def free_key(self, entity: str, values: Mapping[str, Any]) -> str:
        """Return a key for a new row: the slug of its `key` column after its owner, with a number if it is taken."""
        spec = self._spec.entities[entity]
        # Derive the key from the row, so that checkpoints know the page of a row that the agent adds. The slug is empty
        # if the text has no ASCII letter or digit.
        first = (slug(str(values[spec.key])) if spec.key else "") or "untitled"
        if spec.owner:
            first = f"{values[spec.owner]}/{first}"
        number, key = 1, first
        while self.one(entity, key) is not None:
            number += 1
            key = f"{first}-{number}"
        return key

    def joined(self, row: Entity, join: Mapping[str, str]) -> Entity:
        """Return a row in which the keys in the columns of `join` are replaced by their rows."""
        return Entity({**row, **{column: self.one(entity, row[column]) for column, entity in join.items()}})

    def put(self, entity: str, values: Mapping[str, Any]) -> None:
        """Insert a row, or overwrite these columns of the row with the same id."""
        columns = ", ".join(f'"{column}"' for column in values)
        marks = ", ".join("?" for _ in values)
        assignments = ", ".join(f'"{column}" = excluded."{column}"' for column in values)
        statement = f'INSERT INTO "{self._table(entity)}" ({columns}) VALUES ({marks})'  # noqa: S608
        # An upsert keeps the row's place. INSERT OR REPLACE would delete the row and add it at the end of every list.
        self.run(f"{statement} ON CONFLICT (id) DO UPDATE SET {assignments}", *values.values())

    def change(self, entity: str, where: Mapping[str, Scalar], values: Mapping[str, Any]) -> None:
        """Set `values` in the rows whose columns equal `where`."""
        setting = ", ".join(f'"{column}" = ?' for column in values)
        clause, wanted = _equal(where)
        self.run(f'UPDATE "{self._table(entity)}" SET {setting} WHERE {clause}', *values.values(), *wanted)  # noqa: S608

    def drop(self, entity: str, where: Mapping[str, Scalar]) -> None:
        """Delete the rows whose columns equal `where`."""
        if self._stages(entity):
            # Delete the stages too: a new row may get the same key, and must begin with the first stage.
            for row in self.where(entity, where):
                self.run(f"DELETE FROM {TABLE} WHERE id = ?", f"{entity}/{row.id}")  # noqa: S608
        clause, wanted = _equal(where)
        self.run(f'DELETE FROM "{self._table(entity)}" WHERE {clause}', *wanted)  # noqa: S608

    def move_on(self, entity: str, key: str) -> None:
        """Move a row to its next stage, if the conditions of its stages allow it."""
        stages, row = self._stages(entity), self.one(entity, key)
        if stages is None or row is None:
            return
        name = f"{entity}/{key}"
        stage = next((record.at for record in self.run(f"SELECT at FROM {TABLE} WHERE id = ?", name)), None)  # noqa: S608
        after = stages.after(stage, lambda condition: holds(condition, {"row": row}))
        if after != stage:
            self.run(f"INSERT OR REPLACE INTO {TABLE} VALUES (?, ?)", name, after)  # noqa: S608

    def known(self) -> str:
        """Return the key of the person who is signed in from the start; empty if the site has no such person."""
        people = self._spec.people
        if people is None or not people.known:
            return ""
        (first,) = self.run(f'SELECT id FROM "{self._table(people.entity)}" ORDER BY rowid LIMIT 1')  # noqa: S608
        return str(first.id)

    def log(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Add an entry to the event log, which advances the site's time by a second."""
        text = json.dumps(detail, sort_keys=True, ensure_ascii=False)
        # Read the time before adding the entry, so that the first write happens at the start of the site's time.
        self.run("INSERT INTO event (at, kind, detail) VALUES (?, ?, ?)", self.now, kind, text)

    @property
    def now(self) -> str:
        """The site's time: its start plus a second for every write so far."""
        # Do not use the clock: pages show the time, which must be the same in every run.
        (count,) = self.run("SELECT COUNT(*) AS written FROM event")
        return moment(self._start + timedelta(seconds=count.written))

    def _stages(self, entity: str) -> Stages | None:
        return self._spec.entities[entity].stages

    def _with_stages(self, entity: str, rows: list[Entity]) -> list[Entity]:
        """Return rows with their stages, if their entity has any."""
        stages = self._stages(entity)
        if stages is None or not rows:
            return rows
        stages_by_id = {record.id: record.at for record in self.run(f"SELECT id, at FROM {TABLE}")}  # noqa: S608
        return [Entity({**row, COLUMN: stages.shown(stages_by_id.get(f"{entity}/{row.id}"))}) for row in rows]

    def _table(self, entity: str) -> str:
        table = self._spec.entities[entity].table
        if table is None:
            raise LookupError(f"{entity} has no table")
        return table


def _equal(where: Mapping[str, Scalar]) -> tuple[str, Iterator[str]]:
    """Return a clause and its values; columns are compared as text, because templates give text."""
    return " AND ".join(f'CAST("{column}" AS TEXT) = ?' for column in where), map(str, where.values())
