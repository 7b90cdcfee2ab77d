"""The SQLite file of a run: how it is opened, what is refused, and what a write that fails means."""

import contextlib
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stressweb.errors import DiskFullError, UserError

_MAGIC = b"SQLite format 3\x00"
_ROOM = 1_000_000
"""Bytes without which SQLite cannot open a file: it makes an index of its log beside it."""


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection on which transactions are begun and ended by hand."""
    connection = sqlite3.connect(path, timeout=60.0, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    # A process that is killed loses nothing; only a power cut could, and it cannot corrupt.
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


@contextmanager
def writing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Do all of the body or nothing; raises DiskFullError if there is no space for it."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # The log was perhaps what failed; then there is nothing to roll back and the first error says why.
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        raise full(path, error) or error from None


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Have all reads of the body see one state of the file, whatever others write meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def full(path: Path, error: sqlite3.Error) -> DiskFullError | None:
    """Return an error to raise if that is what SQLite's means: the disk is full, or does not take what is written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return DiskFullError(f"{path} cannot be written: {why(error)}")
    with contextlib.suppress(OSError):
        if code == sqlite3.SQLITE_CANTOPEN and shutil.disk_usage(path.parent).free < _ROOM:
            return DiskFullError(f"no space left in the run's folder, {path.parent}")
    return None


def inspect(path: Path, schema: int) -> None:
    """Refuse what is no run database of this schema, reading only: SQLite would write to a file that it opens."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {why(error)}") from None
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise UserError(f"{path} is not a run database")
    page, pages, version = _header(head)
    if version != schema:
        raise UserError(f"{path} has schema version {version}; this stressweb reads version {schema}")
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        # What is missing in the file is in the log: a full disk may have ended the copying from there in the middle.
        return
    if size < page * pages:
        raise UserError(f"{path} is damaged: {size} of {page * pages} bytes are there")
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
        raise UserError(f"{path} is damaged: {why(found)}")


def why(error: object) -> str:
    """Return what an error says, on one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())
