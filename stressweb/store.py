"""The run database: one SQLite file per run, one transaction per finished episode, pages stored once and compressed."""

import contextlib
import hashlib
import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import zstandard

from stressweb.actions import Action, Outcome
from stressweb.agent import Usage
from stressweb.checks import Grade
from stressweb.errors import UserError
from stressweb.ledger import Entry
from stressweb.recording import Cell, Claim, EpisodeRecord, Shown, Status, StepRecord

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
    seconds REAL NOT NULL, usage TEXT, traceback TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE step (
    cell TEXT NOT NULL, n INTEGER NOT NULL, action TEXT, outcome TEXT, url TEXT NOT NULL, state BLOB NOT NULL,
    screenshot BLOB, seconds REAL NOT NULL, usage TEXT,
    PRIMARY KEY (cell, n)) WITHOUT ROWID;
CREATE TABLE closing (
    cell TEXT NOT NULL, path TEXT NOT NULL, url TEXT NOT NULL, state BLOB NOT NULL,
    PRIMARY KEY (cell, path)) WITHOUT ROWID;
CREATE TABLE ledger (cell TEXT NOT NULL, n INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (cell, n)) WITHOUT ROWID;
CREATE TABLE blob (hash BLOB PRIMARY KEY, data BLOB NOT NULL);
"""
_MAGIC = b"SQLite format 3\x00"


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


class Store:
    """The database of one run. Several processes may have it open; each writes whole episodes."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Take an open connection; use `create` or `open`."""
        self.path = path
        self._connection = connection
        self._squeeze = zstandard.ZstdCompressor(level=3)
        self._expand = zstandard.ZstdDecompressor()

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
            connection = _connect(path)
            with _transaction(connection):
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
            raise UserError(f"{path} cannot be written: {_why(error)}") from None
        return cls(path, connection)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the database of a run; raise UserError and leave the file as it is if it is none, or damaged."""
        _inspect(path)
        try:
            connection = _connect(path)
            connection.execute("SELECT count(*) FROM meta").fetchone()
        except sqlite3.Error as error:
            raise UserError(f"{path} cannot be opened: {_why(error)}") from None
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
        """Write a finished episode in one transaction; it takes the place of an earlier one of its cell."""
        key = record.cell.key
        pages = [step.page for step in record.steps] + list(record.closings.values())
        texts = {page.html: _hash(page.html.encode()) for page in pages}
        shots = {page.screenshot: _hash(page.screenshot) for page in pages if page.screenshot is not None}
        with _transaction(self._connection):
            self._forget(key)
            self._put((digest, text.encode()) for text, digest in texts.items())
            self._put((digest, shot) for shot, digest in shots.items())
            self._insert("episode", [_episode_row(record)])
            self._insert("step", [_step_row(key, n, step, texts, shots) for n, step in enumerate(record.steps)])
            closings = [(key, path, page.url, texts[page.html]) for path, page in record.closings.items()]
            self._insert("closing", closings)
            self._insert("ledger", [(key, n, entry.model_dump_json()) for n, entry in enumerate(record.ledger)])

    def regrade(self, grades: Mapping[str, Grade]) -> None:
        """Replace grades, by key of the cell, in one transaction."""
        rows = [(json.dumps(asdict(grade)), key) for key, grade in grades.items()]
        with _transaction(self._connection):
            self._connection.executemany("UPDATE episode SET grade = ? WHERE cell = ?", rows)

    def episodes(self) -> list[Episode]:
        """Return every finished episode without its pages, in the order of the plan."""
        rows = self._connection.execute(
            "SELECT data, status, claim, message, steps, grade, seconds, usage"
            " FROM episode JOIN cell ON cell.key = episode.cell ORDER BY position"
        )
        return [
            Episode(Cell.model_validate_json(data), status, claim, message, steps, _grade(grade), seconds, _usage(cost))
            for data, status, claim, message, steps, grade, seconds, cost in rows
        ]

    def load(self, cell: Cell) -> EpisodeRecord:
        """Return a finished episode with all its pages; raise KeyError if the cell has none."""
        columns = "status, claim, message, grade, final, seconds, traceback"
        row = self._connection.execute(f"SELECT {columns} FROM episode WHERE cell = ?", (cell.key,)).fetchone()  # noqa: S608
        if row is None:
            raise KeyError(cell.key)
        status, claim, message, grade, final, seconds, traceback = row
        return EpisodeRecord(
            cell=cell,
            status=status,
            claim=claim,
            message=message,
            steps=self._steps(cell.key),
            closings=self._closings(cell.key),
            final=json.loads(final),
            ledger=self.ledger(cell),
            grade=_grade(grade),
            seconds=seconds,
            traceback=traceback,
        )

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
            "steps": [(step.action, step.outcome, step.page.url, step.page.html) for step in record.steps],
            "closings": {path: (page.url, page.html) for path, page in record.closings.items()},
        }

    def _steps(self, key: str) -> list[StepRecord]:
        columns = "action, outcome, url, state, screenshot, seconds, usage"
        rows = self._connection.execute(f"SELECT {columns} FROM step WHERE cell = ? ORDER BY n", (key,))  # noqa: S608
        return [
            StepRecord(
                page=Shown(url, self._text(state), None if shot is None else self._get(shot)),
                action=None if action is None else Action.model_validate_json(action),
                outcome=None if outcome is None else Outcome.model_validate_json(outcome),
                seconds=seconds,
                usage=_usage(usage),
            )
            for action, outcome, url, state, shot, seconds, usage in rows.fetchall()
        ]

    def _closings(self, key: str) -> dict[str, Shown]:
        query = "SELECT path, url, state FROM closing WHERE cell = ? ORDER BY path"
        rows = self._connection.execute(query, (key,))
        return {path: Shown(url, self._text(state)) for path, url, state in rows.fetchall()}

    def _insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        for row in rows:
            self._connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608

    def _forget(self, key: str) -> None:
        for table in ("episode", "step", "closing", "ledger"):
            self._connection.execute(f"DELETE FROM {table} WHERE cell = ?", (key,))  # noqa: S608

    def _put(self, blobs: Iterable[tuple[bytes, bytes]]) -> None:
        for digest, data in blobs:
            if self._connection.execute("SELECT 1 FROM blob WHERE hash = ?", (digest,)).fetchone() is None:
                self._connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, self._squeeze.compress(data)))

    def _get(self, digest: bytes) -> bytes:
        (data,) = self._connection.execute("SELECT data FROM blob WHERE hash = ?", (digest,)).fetchone()
        return self._expand.decompress(data)

    def _text(self, digest: bytes) -> str:
        return self._get(digest).decode()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=60.0, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    # A process that is killed loses nothing; only a power cut could, and it cannot corrupt.
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # The log was perhaps what failed; then there is nothing to roll back and the first error is the one to tell.
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _inspect(path: Path) -> None:
    """Refuse what is no run database of this version, reading only: SQLite would write to a file that it opens."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {_why(error)}") from None
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise UserError(f"{path} is not a run database")
    page, pages, version = _header(head)
    if version != VERSION:
        raise UserError(f"{path} has schema version {version}; this stressweb reads version {VERSION}")
    if size < page * pages:
        raise UserError(f"{path} is damaged: {size} of {page * pages} bytes are there")
    log = path.with_name(f"{path.name}-wal")
    if not (log.exists() and log.stat().st_size):
        _check(path)


def _header(head: bytes) -> tuple[int, int, int]:
    """Return page size in bytes, number of pages and schema version from the header of a SQLite file."""
    (page,) = struct.unpack_from(">H", head, 16)
    (pages,) = struct.unpack_from(">I", head, 28)
    (version,) = struct.unpack_from(">I", head, 60)
    return 65536 if page == 1 else page, pages, version


def _check(path: Path) -> None:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        found = str(error)
    finally:
        connection.close()
    if found != "ok":
        raise UserError(f"{path} is damaged: {_why(found)}")


def _why(error: object) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _grade(text: str | None) -> Grade | None:
    return None if text is None else Grade(**json.loads(text))


def _usage(text: str | None) -> Usage:
    return Usage() if text is None else Usage(**{name: _frozen(value) for name, value in json.loads(text).items()})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _cost(usage: Usage) -> str | None:
    """Return a usage as it is stored: only what differs from nothing, and nothing at all for a scripted agent."""
    told = {name: value for name, value in asdict(usage).items() if value}
    return json.dumps(told) if told else None


def _episode_row(record: EpisodeRecord) -> tuple[Any, ...]:
    return (
        record.cell.key,
        record.status,
        record.claim,
        record.message,
        len(record.actions),
        None if record.grade is None else json.dumps(asdict(record.grade)),
        json.dumps(record.final),
        record.cell.mark_key,
        record.seconds,
        _cost(record.usage),
        record.traceback,
    )


def _step_row(
    key: str, n: int, step: StepRecord, texts: Mapping[str, bytes], shots: Mapping[bytes, bytes]
) -> tuple[Any, ...]:
    return (
        key,
        n,
        None if step.action is None else step.action.model_dump_json(exclude_defaults=True),
        None if step.outcome is None else step.outcome.model_dump_json(),
        step.page.url,
        texts[step.page.html],
        None if step.page.screenshot is None else shots[step.page.screenshot],
        step.seconds,
        _cost(step.usage),
    )
