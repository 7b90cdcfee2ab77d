"""The SQLite file of a run: how it is opened, which files are rejected, and what failed writes mean.

A file is untrusted. Nothing in it is evaluated before its schema is known to be ours, and nothing is written until
then.
"""

import contextlib
import os
import shutil
import sqlite3
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stressweb.core.errors import DiskFullError, UserError
from stressweb.log import schema

MOST = 32_000_000
"""Largest row, text or content in bytes, for writing and reading."""
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
"""Rights of a run's folder and files: actions and pages of an agent are for its owner alone."""
PAGE_BYTES = 16_384
"""SQLite's page size: with the default of 4,096 bytes, contents of two or three kilobytes waste a sixth of the
space."""
_MAGIC = b"SQLite format 3\x00"
_WAL = b"\x02\x02"
"""Bytes 18 and 19 of the header of a file with a write-ahead log."""
_ROOM = 1_000_000
"""Free space, in bytes, below which SQLite cannot open a file: it creates an index of the log beside it."""
_TICK = 100_000
"""SQLite instructions between two checks of the budget."""
_TICKS_PER_BYTE = 1 / 5_000
"""20 instructions per byte of the file; ours takes about one."""


def make(path: Path) -> sqlite3.Connection:
    """Create an empty file for its owner alone, with its folder, and return a connection to it.

    Raises FileExistsError if it exists, and OSError.
    """
    with contextlib.suppress(FileExistsError):
        # If something else has that name, creating the file fails.
        path.parent.mkdir(parents=True)
    # Created here and not by SQLite, which would open an existing file, follow links, and make it readable for others.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, PRIVATE_FILE)
    try:
        # Whatever the umask is; the log and its index get the rights of the file.
        os.fchmod(handle, PRIVATE_FILE)
    finally:
        os.close(handle)
    connection = _connect(path)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    _for_writing(connection)
    return connection


def open_checked(path: Path, *, writable: bool, known: bool = False) -> sqlite3.Connection:
    """Check and open the file of a run; raises UserError and changes nothing if it is not a run of ours.

    SQLite first recovers the log of a killed process: during a checkpoint the file alone is incomplete. For a `known`
    file, which this command has already opened, only the schema is checked and not the content. Raises DiskFullError if
    there is no space for the index of the log.
    """
    size, header = _header(path)
    logged = _sidecars(path)
    connection: sqlite3.Connection | None = None
    try:
        # A file without a log can be read without writing anything beside it.
        connection = _connect(path, writable=writable or header[18:20] == _WAL)
        # The log is not checkpointed until the file is known to be valid, and never if it is only read.
        _configure(connection, sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on=logged)
        _check(connection, path, size, header, known=known)
        if writable:
            _configure(connection, sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on=False)
            _for_writing(connection)
        else:
            connection.execute("PRAGMA query_only = ON")
    # Also after Ctrl-C: an open connection would keep its locks, and the log beside the file.
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.Error):
            damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT
            what = "is damaged" if damaged else "cannot be opened"
            raise full(path, error) or UserError(f"{path} {what}: {why(error)}") from None
        raise
    return connection


def _connect(path: Path, *, writable: bool = True) -> sqlite3.Connection:
    """Return a connection with manual transactions that trusts no schema."""
    # Not `rwc`, the default: SQLite would create a missing database.
    address = f"{path.absolute().as_uri()}?mode={'rw' if writable else 'ro'}"
    # Workers take turns at writing: each waits until another one's episode is stored.
    connection = sqlite3.connect(address, uri=True, timeout=60.0, isolation_level=None)
    # SQLite's own limit is a thousand million bytes, which an untrusted row could make us load into memory.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST)
    # We never attach another file, and an untrusted file must not.
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for name in ("TRUSTED_SCHEMA", "ENABLE_VIEW", "ENABLE_TRIGGER", "ENABLE_LOAD_EXTENSION", "WRITABLE_SCHEMA"):
        _configure(connection, getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), on=False)
    _configure(connection, sqlite3.SQLITE_DBCONFIG_DEFENSIVE, on=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    # Checks a page when it is read, before a wrong size in it causes harm.
    connection.execute("PRAGMA cell_size_check = ON")
    # If somebody truncates a memory-mapped file, this process would end with SIGBUS.
    connection.execute("PRAGMA mmap_size = 0")
    return connection


def _configure(connection: sqlite3.Connection, what: int, *, on: bool) -> None:
    # Some versions and builds of SQLite do not have the switch, and nothing to switch.
    with contextlib.suppress(sqlite3.Error):
        connection.setconfig(what, on)


def _for_writing(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # A killed process loses nothing; only a power cut could, and it cannot corrupt the file.
    connection.execute("PRAGMA synchronous = NORMAL")


def _header(path: Path) -> tuple[int, bytes]:
    """Return the size and the first 100 bytes of a file; raises UserError unless it is a run database of our schema.

    Comes first, because SQLite would write to a file that it opens.
    """
    try:
        status = path.stat()
        # Reading from a named pipe would never return.
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{path} is not a regular file")
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {why(error)}") from None
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise UserError(f"{path} is not a run database")
    # In the file itself from the beginning: `Store.create` checkpoints the log.
    (version,) = struct.unpack_from(">I", head, 60)
    if version != schema.VERSION:
        raise UserError(f"{path} has schema version {version}; this stressweb reads version {schema.VERSION}")
    return status.st_size, head


def _sidecars(path: Path) -> bool:
    """Return whether a non-empty log is beside the file; raises UserError for files that SQLite must not touch.

    Through a link in place of the log, SQLite would write elsewhere; a rollback journal, which a run never has, names
    other files that SQLite removes.
    """
    # SQLite follows a link to the database and keeps the log beside its target.
    real = path.resolve()
    logged = False
    for ending in ("-journal", "-wal", "-shm"):
        sidecar = real.with_name(real.name + ending)
        try:
            status = sidecar.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UserError(f"{sidecar} cannot be read: {why(error)}") from None
        if ending == "-journal" or not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise UserError(f"{sidecar} was not written by stressweb; remove it if you know what it is")
        logged = logged or (ending == "-wal" and status.st_size > 0)
    return logged


def _check(connection: sqlite3.Connection, path: Path, size: int, header: bytes, *, known: bool) -> None:
    """Raise UserError if the database is damaged, or has anything that a run does not have.

    For a `known` file only the schema is checked.
    """
    with _time_limit(connection, size), reading(connection):
        try:
            # The schema comes first: checking the content would already evaluate untrusted constraints.
            if problem := schema.strange(connection):
                raise UserError(f"{path} is not a run database of stressweb: {problem}")
            if known:
                return
            # The quick check takes a fraction of the time and omits whether indexes match their tables: a content that
            # is missing from its index is reported when it is read. One problem is enough.
            (problem,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if problem != "ok":
                raise UserError(f"{path} is damaged: {why(problem)}")
            if problem := schema.misfit(connection):
                raise UserError(f"{path} is damaged: {problem}")
        except UnicodeDecodeError as error:
            raise UserError(f"{path} is damaged: {why(error)}") from None
        except sqlite3.DatabaseError as error:
            raise _read_error(path, error, header) from None


def _read_error(path: Path, error: sqlite3.DatabaseError, header: bytes) -> Exception:
    """Return the meaning of a failed read: the file is damaged, locked or full, or takes too long."""
    # The low byte is the kind of error; the rest is its origin.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        # Only `_time_limit` interrupts our connections.
        return UserError(f"{path} is damaged: reading it takes more steps than any valid file of its size")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return UserError(f"{path} is locked by another process: {why(error)}")
    if disk := full(path, error):
        return disk
    # SQLite calls a truncated file malformed, which does not tell the user that a copy is incomplete.
    (page,), (pages,) = struct.unpack_from(">H", header, 16), struct.unpack_from(">I", header, 28)
    # The header has two bytes for the page size and writes the largest, 65536, as 1.
    whole, there = (65536 if page == 1 else page) * pages, path.stat().st_size
    return UserError(
        f"{path} is damaged: {f'it is truncated to {there} of {whole} bytes' if there < whole else why(error)}"
    )


@contextmanager
def _time_limit(connection: sqlite3.Connection, size: int) -> Iterator[None]:
    """Interrupt work that takes far longer than reading a whole file of `size` bytes."""
    # The thousand is for work that does not grow with the file, such as comparing the schema.
    connection.set_progress_handler(_budget(1_000 + int(size * _TICKS_PER_BYTE)), _TICK)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def _budget(ticks: int) -> Callable[[], bool]:
    remaining_ticks = iter(range(ticks))
    return lambda: next(remaining_ticks, None) is None


@contextmanager
def writing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Run the body in one transaction; raises DiskFullError if there is no space."""
    try:
        # IMMEDIATE takes the write lock at once; a transaction that has read first may fail to get it later.
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # The log may be what failed; then there is nothing to roll back, and the first error matters.
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        raise full(path, error) or error from None


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all reads of the body see one state of the file, whatever others write meanwhile."""
    # SQLite has no nested transactions, and the outer one already sees one state.
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def full(path: Path, error: sqlite3.Error) -> DiskFullError | None:
    """Return an error to raise if SQLite's error means a full or unwritable disk, else None."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_FULL or (code & 0xFF == sqlite3.SQLITE_IOERR and code not in _OF_READING):
        return DiskFullError(f"{path} cannot be written: {why(error)}")
    # The folder may be gone; then only SQLite's error is known.
    with contextlib.suppress(OSError):
        # SQLite reports missing rights the same way: only the free space distinguishes the two.
        if code & 0xFF == sqlite3.SQLITE_CANTOPEN and shutil.disk_usage(path.parent).free < _ROOM:
            return DiskFullError(f"no space left in the run's folder, {path.parent}")
    return None


# Read errors are unrelated to space; every other kind is treated as an unwritable disk.
_OF_READING = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)


def why(error: object) -> str:
    """Return the message of an error on one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())
