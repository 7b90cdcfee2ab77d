"""The run database: one SQLite file per run, one transaction per finished episode, pages stored once and compressed."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from stressweb import boxes
from stressweb.actions import Action, Outcome
from stressweb.agent import Usage
from stressweb.blobs import Blobs
from stressweb.checks import Grade
from stressweb.errors import AlteredError, UserError
from stressweb.ledger import Entry
from stressweb.recording import Cell, Claim, EpisodeRecord, Shown, Status, StepRecord
from stressweb.runfile import connect, full, inspect, reading, why, writing
from stressweb.sealing import seal
from stressweb.store_rows import browser_column, browser_in, episode_row, grade_in, usage_column, usage_in

VERSION = 3
"""Version of the schema; a file of another version is refused, never changed."""
FILE = "run.db"

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cell (
    key TEXT PRIMARY KEY, position INTEGER NOT NULL, data TEXT NOT NULL, identity TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episode (
    cell TEXT PRIMARY KEY REFERENCES cell(key), status TEXT NOT NULL, claim TEXT NOT NULL, message TEXT NOT NULL,
    steps INTEGER NOT NULL, grade TEXT, final TEXT NOT NULL, mark_key BLOB NOT NULL,
    seconds REAL NOT NULL, usage TEXT, traceback TEXT NOT NULL, seal BLOB) WITHOUT ROWID;
CREATE TABLE step (
    cell TEXT NOT NULL, n INTEGER NOT NULL, action TEXT, outcome TEXT, url TEXT NOT NULL, state BLOB NOT NULL,
    screenshot BLOB, tree BLOB, boxes BLOB, browser TEXT, seconds REAL NOT NULL, usage TEXT,
    PRIMARY KEY (cell, n)) WITHOUT ROWID;
CREATE TABLE closing (
    cell TEXT NOT NULL, path TEXT NOT NULL, url TEXT NOT NULL, state BLOB NOT NULL,
    PRIMARY KEY (cell, path)) WITHOUT ROWID;
CREATE TABLE ledger (cell TEXT NOT NULL, n INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (cell, n)) WITHOUT ROWID;
CREATE TABLE blob (hash BLOB PRIMARY KEY, data BLOB NOT NULL);
"""


@dataclass(frozen=True)
class Episode:
    """A finished episode without its pages: what measures are made of."""

    cell: Cell
    status: Status
    claim: Claim
    message: str
    steps: int
    """Actions taken, DONE or FAIL included."""
    grade: Grade | None
    seconds: float
    usage: Usage
    """What all decisions cost together."""
    traceback: str = ""
    """The whole traceback of what ended a crash or an error."""


class Store:
    """The database of one run. Several processes may have it open; each writes whole episodes.

    What is read is checked: an episode that is not what was saved raises AlteredError.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Take an open connection; use `create` or `open`."""
        self.path = path
        self._connection = connection
        self._blobs = Blobs(connection)

    @classmethod
    def create(
        cls, path: Path, meta: Mapping[str, Any], cells: Sequence[Cell], identities: Mapping[str, str] | None = None
    ) -> Self:
        """Make the database of a new run; raise UserError if there is one, or if it cannot be written.

        `identities` are those of the cells, by key; a cell that is not among them has none.
        """
        if path.exists():
            raise UserError(f"{path} exists; give the run another name, or resume it with --resume")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = connect(path)
            with writing(connection, path):
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")
                values = [(name, json.dumps(value)) for name, value in meta.items()]
                connection.executemany("INSERT INTO meta VALUES (?, ?)", values)
                known = identities or {}
                planned = [(one.key, at, one.model_dump_json(), known.get(one.key, "")) for at, one in enumerate(cells)]
                connection.executemany("INSERT INTO cell VALUES (?, ?, ?, ?)", planned)
            # So that the version stands in the file itself, where `open` reads it before it touches anything.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except (OSError, sqlite3.OperationalError) as error:
            raise UserError(f"{path} cannot be written: {why(error)}") from None
        return cls(path, connection)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the database of a run; raise UserError and leave the file as it is if it is none, or damaged.

        Raises DiskFullError if there is no space for the index of its log.
        """
        inspect(path, VERSION)
        try:
            connection = connect(path)
            connection.execute("SELECT count(*) FROM meta").fetchone()
        except sqlite3.Error as error:
            raise full(path, error) or UserError(f"{path} cannot be opened: {why(error)}") from None
        return cls(path, connection)

    def close(self) -> None:
        """Close the connection; the last one to close folds the log into the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def meta(self) -> dict[str, Any]:
        """Return what was written down about the run as a whole."""
        return {name: json.loads(value) for name, value in self._connection.execute("SELECT name, value FROM meta")}

    def cells(self) -> list[Cell]:
        """Return every planned cell, in the order of the plan."""
        rows = self._connection.execute("SELECT data FROM cell ORDER BY position")
        return [Cell.model_validate_json(data) for (data,) in rows]

    def identities(self) -> dict[str, str]:
        """Return what each planned cell is made of, as a hash by key; "" for a cell whose identity is not known."""
        return dict(self._connection.execute("SELECT key, identity FROM cell ORDER BY position").fetchall())

    def pending(self) -> list[Cell]:
        """Return the cells that have no episode, or one that ended in error."""
        rows = self._connection.execute("SELECT cell FROM episode WHERE status <> 'error'")
        finished = {key for (key,) in rows}
        return [cell for cell in self.cells() if cell.key not in finished]

    def has(self, cell: Cell) -> bool:
        """Return whether the cell has an episode."""
        return self._connection.execute("SELECT 1 FROM episode WHERE cell = ?", (cell.key,)).fetchone() is not None

    def save(self, record: EpisodeRecord) -> None:
        """Write a finished episode in one transaction and seal it; it takes the place of an earlier one of its cell.

        Raises DiskFullError if there is no space for it.
        """
        key = record.cell.key
        with writing(self._connection, self.path):
            self._forget(key)
            self._insert("episode", [episode_row(record)])
            self._insert("step", [self._step_row(key, n, step) for n, step in enumerate(record.steps)])
            pages = record.closings.items()
            self._insert("closing", [(key, path, page.url, self._blobs.put_text(page.html)) for path, page in pages])
            self._insert("ledger", [(key, n, entry.model_dump_json()) for n, entry in enumerate(record.ledger)])
            self._seal(key)

    def regrade(self, grades: Mapping[str, Grade]) -> None:
        """Replace grades, by key of the cell, in one transaction, and seal the episodes anew."""
        with writing(self._connection, self.path):
            for key, grade in grades.items():
                row = (json.dumps(asdict(grade)), key)
                self._connection.execute("UPDATE episode SET grade = ? WHERE cell = ?", row)
                self._seal(key)

    def altered(self, *, contents: bool = False) -> dict[str, str]:
        """Return what does not fit, by key of each episode that is not what was saved; `contents`: pages as well.

        Without its pages an episode takes well below a millisecond.
        """
        keys = self._connection.execute("SELECT cell FROM episode LEFT JOIN cell ON key = cell ORDER BY position")
        found = {key: self._misfit(key, contents=contents) for (key,) in keys.fetchall()}
        return {key: misfit for key, misfit in found.items() if misfit}

    def episodes(self, without: Collection[str] = ()) -> list[Episode]:
        """Return every finished episode without its pages, in the order of the plan; raises AlteredError.

        `without` are keys of cells that are left out.
        """
        keys = self._connection.execute("SELECT cell FROM episode JOIN cell ON key = cell ORDER BY position")
        return [self._episode(key) for (key,) in keys.fetchall() if key not in without]

    def _episode(self, key: str) -> Episode:
        with reading(self._connection):
            self._check(key)
            columns = "data, status, claim, message, steps, grade, seconds, usage, traceback"
            query = f"SELECT {columns} FROM episode JOIN cell ON key = cell WHERE cell = ?"  # noqa: S608
            row = self._connection.execute(query, (key,)).fetchone()
        data, status, claim, message, steps, grade, seconds, cost, traceback = row
        cell = Cell.model_validate_json(data)
        return Episode(cell, status, claim, message, steps, grade_in(grade), seconds, usage_in(cost), traceback)

    def load(self, cell: Cell) -> EpisodeRecord:
        """Return a finished episode with all its pages; raise KeyError if the cell has none, AlteredError."""
        columns = "status, claim, message, grade, final, seconds, traceback"
        with reading(self._connection):
            query = f"SELECT {columns} FROM episode WHERE cell = ?"  # noqa: S608
            row = self._connection.execute(query, (cell.key,)).fetchone()
            if row is None:
                raise KeyError(cell.key)
            self._check(cell.key)
            status, claim, message, grade, final, seconds, traceback = row
            try:
                steps, closings = self._steps(cell.key), self._closings(cell.key)
            except AlteredError as error:
                raise self._refusal(cell.key, str(error)) from None
            return EpisodeRecord(
                cell=cell,
                status=status,
                claim=claim,
                message=message,
                steps=steps,
                closings=closings,
                final=json.loads(final),
                ledger=self.ledger(cell),
                grade=grade_in(grade),
                seconds=seconds,
                traceback=traceback,
            )

    def _check(self, key: str) -> None:
        if misfit := self._misfit(key, contents=False):
            raise self._refusal(key, misfit)

    def _refusal(self, key: str, misfit: str) -> AlteredError:
        return AlteredError(f"episode {key} of {self.path} was changed after it was recorded: {misfit}")

    def _misfit(self, key: str, *, contents: bool) -> str:
        """Return what of an episode does not fit; an empty text if all does."""
        with reading(self._connection):
            (stored,) = self._connection.execute("SELECT seal FROM episode WHERE cell = ?", (key,)).fetchone()
            if stored != seal(self._connection, key):
                return "its seal does not fit"
            try:
                for digest in self._contents(key) if contents else ():
                    self._blobs.get(digest)
            except AlteredError as error:
                return str(error)
        return ""

    def _contents(self, key: str) -> set[bytes]:
        """Return the hash of every content that an episode has."""
        steps = self._connection.execute("SELECT state, screenshot, tree, boxes FROM step WHERE cell = ?", (key,))
        found = {digest for row in steps for digest in row if digest is not None}
        closings = self._connection.execute("SELECT state FROM closing WHERE cell = ?", (key,))
        return found | {digest for (digest,) in closings}

    def _seal(self, key: str) -> None:
        row = (seal(self._connection, key), key)
        self._connection.execute("UPDATE episode SET seal = ? WHERE cell = ?", row)

    def ledger(self, cell: Cell) -> list[Entry]:
        """Return the ledger of an episode."""
        rows = self._connection.execute("SELECT entry FROM ledger WHERE cell = ? ORDER BY n", (cell.key,))
        return [Entry.model_validate_json(entry) for (entry,) in rows]

    def actions(self, cell: Cell) -> list[Action]:
        """Return the actions of an episode, without its pages."""
        rows = self._connection.execute(
            "SELECT action FROM step WHERE cell = ? AND action IS NOT NULL ORDER BY n", (cell.key,)
        )
        return [Action.model_validate_json(action) for (action,) in rows]

    def content(self) -> dict[str, dict[str, Any]]:
        """Return what two runs of one plan must agree on, by key of the cell: everything but times."""
        return {episode.cell.key: self._content(episode) for episode in self.episodes()}

    def _content(self, episode: Episode) -> dict[str, Any]:
        record = self.load(episode.cell)
        return {
            "status": record.status,
            "claim": record.claim,
            "grade": record.grade,
            "final": record.final,
            "ledger": [entry.model_dump() for entry in record.ledger],
            "steps": [(step.action, step.outcome, replace(step.page, screenshot=None)) for step in record.steps],
            "closings": {path: (page.url, page.html) for path, page in record.closings.items()},
        }

    def _steps(self, key: str) -> list[StepRecord]:
        columns = "action, outcome, url, state, screenshot, tree, boxes, browser, seconds, usage"
        rows = self._connection.execute(f"SELECT {columns} FROM step WHERE cell = ? ORDER BY n", (key,))  # noqa: S608
        return [
            StepRecord(
                page=self._shown(*shown),
                action=None if action is None else Action.model_validate_json(action),
                outcome=None if outcome is None else Outcome.model_validate_json(outcome),
                seconds=seconds,
                usage=usage_in(usage),
            )
            for action, outcome, *shown, seconds, usage in rows.fetchall()
        ]

    def _shown(
        self, url: str, state: bytes, shot: bytes | None, tree: bytes | None, drawn: bytes | None, browser: str | None
    ) -> Shown:
        page = Shown(
            url=url,
            html=self._blobs.text(state),
            screenshot=None if shot is None else self._blobs.get(shot),
            tree="" if tree is None else self._blobs.text(tree),
            boxes=() if drawn is None else boxes.unpack(self._blobs.get(drawn)),
        )
        dialog, tabs, tab = browser_in(browser)
        return replace(page, dialog=dialog, tabs=tabs, tab=tab)

    def _step_row(self, key: str, n: int, step: StepRecord) -> tuple[Any, ...]:
        page = step.page
        return (
            key,
            n,
            None if step.action is None else step.action.model_dump_json(exclude_defaults=True),
            None if step.outcome is None else step.outcome.model_dump_json(),
            page.url,
            self._blobs.put_text(page.html),
            None if page.screenshot is None else self._blobs.put(page.screenshot),
            self._blobs.put_text(page.tree) if page.tree else None,
            self._blobs.put(boxes.pack(page.boxes)) if page.boxes else None,
            browser_column(page),
            step.seconds,
            usage_column(step.usage),
        )

    def _closings(self, key: str) -> dict[str, Shown]:
        query = "SELECT path, url, state FROM closing WHERE cell = ? ORDER BY path"
        rows = self._connection.execute(query, (key,))
        return {path: Shown(url, self._blobs.text(state)) for path, url, state in rows.fetchall()}

    def _insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        for row in rows:
            self._connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608

    def _forget(self, key: str) -> None:
        for table in ("episode", "step", "closing", "ledger"):
            self._connection.execute(f"DELETE FROM {table} WHERE cell = ?", (key,))  # noqa: S608
