"""The run database: one SQLite file per run, one transaction per finished episode, pages stored once and compressed."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from stressweb.core.errors import TooLargeError, UserError
from stressweb.log import boxes, register, schema, sheets
from stressweb.log.recording import Cell, EpisodeRecord, StepRecord
from stressweb.log.run_file import MOST, make, why, writing
from stressweb.log.sealing import seal
from stressweb.log.store_reader import StoreReader
from stressweb.log.store_rows import (
    browser_column,
    episode_row,
    usage_column,
)
from stressweb.plugins.checks import Grade

FILE = "run.db"


class Store(StoreReader):
    """The database of one run. Several processes may have it open; each writes whole episodes.

    Reads are checked: an episode that was changed raises AlteredError.
    """

    @classmethod
    def create(
        cls, path: Path, meta: Mapping[str, Any], cells: Sequence[Cell], identities: Mapping[str, str] | None = None
    ) -> Self:
        """Create the database of a new run; raise UserError if it exists, or cannot be written.

        `identities` are those of the cells, by key; other cells have none.
        """
        try:
            connection = make(path)
        except FileExistsError:
            raise UserError(f"{path} exists; give the run another name, or resume it with --resume") from None
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"{path} cannot be written: {why(error)}") from None
        try:
            with writing(connection, path):
                schema.make(connection)
                values = [(name, json.dumps(value)) for name, value in meta.items()]
                connection.executemany("INSERT INTO meta VALUES (?, ?)", values)
                known = identities or {}
                # A separate column, because keys do not sort in the order of the plan.
                planned = [
                    (cell.key, position, cell.model_dump_json(), known.get(cell.key, ""))
                    for position, cell in enumerate(cells)
                ]
                connection.executemany("INSERT INTO cell VALUES (?, ?, ?, ?)", planned)
                register.begin(connection)
            # So that the version is in the file itself, where `open` reads it before it touches anything.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException as error:
            connection.close()
            # Half a file would block the next try, which may have another place or fewer cells.
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
            if isinstance(error, OSError | sqlite3.Error):
                raise UserError(f"{path} cannot be written: {why(error)}") from None
            raise
        return cls(path, connection)

    def add(self, cell: Cell, identity: str, meta: Mapping[str, Any]) -> None:
        """Add a cell to the plan and update the entries about the run, in one transaction.

        An existing cell keeps its place and its identity.
        """
        with writing(self._connection, self.path):
            row = (cell.key, cell.model_dump_json(), identity)
            query = "INSERT OR IGNORE INTO cell SELECT ?, COUNT(*), ?, ? FROM cell"
            self._connection.execute(query, row)
            values = [(name, json.dumps(value)) for name, value in meta.items()]
            self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)
            register.renew_plan(self._connection)

    def save(self, record: EpisodeRecord) -> None:
        """Write and seal a finished episode in one transaction; it replaces an earlier one of its cell.

        Raises DiskFullError if there is no space, TooLargeError if it could not be read again.
        """
        key = record.cell.key
        # The transaction is the outer one: pages build on each other only if all of them are stored or none.
        with writing(self._connection, self.path), self._blobs.together():
            # A resumed run replaces an error by its episode.
            before = register.entry(self._connection, key)
            self._forget(key)
            self._insert("episode", [episode_row(record)])
            self._insert("step", [self._step_row(key, n, step) for n, step in enumerate(record.steps)])
            pages = record.closings.items()
            self._insert(
                "closing", [(key, path, page.url, self._blobs.put_text(page.recorded)) for path, page in pages]
            )
            self._insert("ledger", [(key, n, entry.model_dump_json()) for n, entry in enumerate(record.ledger)])
            # Last, because both read the rows back as SQLite stored them.
            self._seal(key)
            register.exchange(self._connection, before, key)
        # Outside of the transaction: the episode is safe before optional data is written.
        self._save_sheets(record)

    def _save_sheets(self, record: EpisodeRecord) -> None:
        """Write missing style sheets, apart from the episode, which counts without them too."""
        site_and_world = record.cell.site, record.cell.world
        # Nearly always all are stored, and the worker need not wait for its turn to write. `put` checks again, because
        # another worker may have been faster.
        if sheets.missing(self._connection, *site_and_world, record.sheets):
            with writing(self._connection, self.path):
                sheets.put(self._connection, self._blobs, *site_and_world, record.sheets)

    def note(self, name: str, value: Any) -> None:
        """Write an entry about the run as a whole, replacing an earlier one of that name."""
        with writing(self._connection, self.path):
            self._note(name, value)

    def _note(self, name: str, value: Any) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value)))
        if name in register.SEALED:
            register.renew_plan(self._connection)

    def regrade(self, grades: Mapping[str, Grade], notes: Mapping[str, Any] | None = None) -> None:
        """Replace grades, by key of the cell, in one transaction, and seal the episodes anew.

        `notes` are written in the same transaction.
        """
        with writing(self._connection, self.path):
            for name, value in (notes or {}).items():
                self._note(name, value)
            for key, grade in grades.items():
                # The grade is sealed, so a new one needs a new seal.
                row = (json.dumps(grade.record()), key)
                self._connection.execute("UPDATE episode SET grade = ? WHERE cell = ?", row)
                self._seal(key)

    def _seal(self, key: str) -> None:
        row = (seal(self._connection, key), key)
        self._connection.execute("UPDATE episode SET seal = ? WHERE cell = ?", row)

    def _step_row(self, key: str, n: int, step: StepRecord) -> tuple[Any, ...]:
        page = step.page
        return (
            key,
            n,
            None if step.action is None else step.action.model_dump_json(exclude_defaults=True),
            None if step.outcome is None else step.outcome.model_dump_json(),
            page.url,
            self._blobs.put_text(page.recorded),
            None if page.screenshot is None else self._blobs.put(page.screenshot),
            self._blobs.put_text(page.tree) if page.tree else None,
            self._blobs.put(boxes.pack(page.boxes), boxes.WEIGHT) if page.boxes else None,
            browser_column(page, {name: self._blobs.put(data) for name, data in page.sources.packed.items()}),
            step.seconds,
            usage_column(step.usage),
        )

    def _insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        for row in rows:
            try:
                self._connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
            except sqlite3.DataError as error:
                # Only SQLite knows the final size of a row; the limit is the one at which it would refuse to read it.
                if error.sqlite_errorcode != sqlite3.SQLITE_TOOBIG:
                    raise
                raise TooLargeError(f"a {table} of the recording is larger than {MOST} bytes") from None

    def _forget(self, key: str) -> None:
        for table in ("episode", "step", "closing", "ledger"):
            # Contents stay: another episode may have the same page.
            self._connection.execute(f"DELETE FROM {table} WHERE cell = ?", (key,))  # noqa: S608
