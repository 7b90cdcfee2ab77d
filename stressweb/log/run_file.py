"""The SQLite file of a run: how it is opened, what is refused, and what a write that fails means.

A file may come from a stranger. Nothing in it is evaluated before its schema is known to be ours, and until then
nothing is written.
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
"""Bytes that a row, a text or a content may have: more is neither written nor read."""
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
"""Rights of a run's folder and of the files in it: what an agent did and saw is for its owner alone."""
PAGE_BYTES = 16_384
"""Size of SQLite's pages: contents of two or three kilobytes leave a sixth of the usual 4,096 bytes empty."""
_MAGIC = b"SQLite format 3\x00"
_WAL = b"\x02\x02"
"""Bytes 18 and 19 of the header of a file that has a log."""
_ROOM = 1_000_000
"""Bytes without which SQLite cannot open a file: it makes an index of its log beside it."""
_TICK = 100_000
"""Instructions of SQLite's machine between two looks at how many there were."""
_TICKS_PER_BYTE = 1 / 5_000
"""20 instructions for each byte of the file; ours takes about one."""


def make(path: Path) -> sqlite3.Connection:
    """Make an empty file for its owner alone, in a folder that is made if need be, and return a connection to it.

    Raises FileExistsError if there is one, and OSError.
    """
    with contextlib.suppress(FileExistsError):
        # Something else of that name is found out when the file is made.
        path.parent.mkdir(parents=True)
    # Made here and not by SQLite, which would open what is there, follow a link, and make it readable for others.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, PRIVATE_FILE)
    try:
        # Whatever the umask takes away or leaves; the log and its index get the rights of the file.
        os.fchmod(handle, PRIVATE_FILE)
    finally:
        os.close(handle)
    connection = _connect(path)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    _for_writing(connection)
    return connection


def open_checked(path: Path, *, writable: bool, known: bool = False) -> sqlite3.Connection:
    """Open the file of a run after it was checked; raises UserError and changes nothing if it is no run of ours.

    SQLite first takes over what a killed process left in the log: during a checkpoint the file alone is not whole. Of a
    `known` file, which this command has opened already, the schema is checked and the content is not. Raises
    DiskFullError if there is no space for the index of the log.
    """
    size, header = _header(path)
    logged = _sidecars(path)
    connection: sqlite3.Connection | None = None
    try:
        # A file without a log can be read without writing anything beside it.
        connection = _connect(path, writable=writable or header[18:20] == _WAL)
        # What is in the log stays there until the file is known to be a good one, and if it is only read.
        _configure(connection, sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on=logged)
        _check(connection, path, size, header, known=known)
        if writable:
            _configure(connection, sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on=False)
            _for_writing(connection)
        else:
            connection.execute("PRAGMA query_only = ON")
    # Also for Ctrl-C: a connection that stays open keeps its locks, and the log beside the file.
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
    """Return a connection on which transactions are begun and ended by hand, and that trusts no schema."""
    # Not `rwc`, the default: SQLite would make an empty database where there is none.
    address = f"{path.absolute().as_uri()}?mode={'rw' if writable else 'ro'}"
    # Workers take turns at writing: each waits until the episode of another one is stored.
    connection = sqlite3.connect(address, uri=True, timeout=60.0, isolation_level=None)
    # SQLite's own limit is a thousand million bytes, which a stranger's row could make us hold in memory.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST)
    # Nothing of ours attaches another file, and nothing that a stranger wrote may.
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for name in ("TRUSTED_SCHEMA", "ENABLE_VIEW", "ENABLE_TRIGGER", "ENABLE_LOAD_EXTENSION", "WRITABLE_SCHEMA"):
        _configure(connection, getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), on=False)
    _configure(connection, sqlite3.SQLITE_DBCONFIG_DEFENSIVE, on=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    # Looks at a page when it is read, before a size in it that does not fit leads anywhere else.
    connection.execute("PRAGMA cell_size_check = ON")
    # A file that somebody shortens while it is mapped into memory would end this process with SIGBUS.
    connection.execute("PRAGMA mmap_size = 0")
    return connection


def _configure(connection: sqlite3.Connection, what: int, *, on: bool) -> None:
    # A SQLite that is older than the switch, or built without what it is for, has nothing to switch.
    with contextlib.suppress(sqlite3.Error):
        connection.setconfig(what, on)


def _for_writing(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # A process that is killed loses nothing; only a power cut could, and it cannot corrupt.
    connection.execute("PRAGMA synchronous = NORMAL")


def _header(path: Path) -> tuple[int, bytes]:
    """Return the size in bytes and the first 100 of them; raises UserError for what is no run database of our schema.

    SQLite would write to a file that it opens, so this comes first.
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
    # In the file itself from the beginning: `Store.create` folds the log into it.
    (version,) = struct.unpack_from(">I", head, 60)
    if version not in schema.READ:
        readable = " and ".join(map(str, schema.READ))
        raise UserError(f"{path} has schema version {version}; this stressweb reads versions {readable}")
    return status.st_size, head


def _sidecars(path: Path) -> bool:
    """Return whether a log with something in it is beside the file; raises UserError for what SQLite must not touch.

    A link in the place of the log would have SQLite write to where it leads; a rollback journal, which a run never has,
    names other files that SQLite removes.
    """
    # SQLite follows a link to the database and keeps the log beside the file that it leads to.
    real = path.resolve()
    logged = False
    for ending in ("-journal", "-wal", "-shm"):
        beside = real.with_name(real.name + ending)
        try:
            status = beside.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UserError(f"{beside} cannot be read: {why(error)}") from None
        if ending == "-journal" or not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise UserError(f"{beside} was not written by stressweb; remove it if you know what it is")
        logged = logged or (ending == "-wal" and status.st_size > 0)
    return logged


def _check(connection: sqlite3.Connection, path: Path, size: int, header: bytes, *, known: bool) -> None:
    """Raise UserError if the database is damaged, or if there is anything in it that a run does not have.

    Of a `known` file the schema alone is looked at.
    """
    with _bounded(connection, size), reading(connection):
        try:
            # The schema comes first: the check of the content would already evaluate the constraints of a stranger.
            if problem := schema.strange(connection):
                raise UserError(f"{path} is not a run database of stressweb: {problem}")
            if known:
                return
            # The quick check takes a fraction of the time and leaves out whether indexes fit their tables: a content
            # that the index of hashes does not have is found missing when it is read. One finding is enough.
            (problem,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if problem != "ok":
                raise UserError(f"{path} is damaged: {why(problem)}")
            if problem := schema.misfit(connection):
                raise UserError(f"{path} is damaged: {problem}")
        except UnicodeDecodeError as error:
            raise UserError(f"{path} is damaged: {why(error)}") from None
        except sqlite3.DatabaseError as error:
            raise _misread(path, error, header) from None


def _misread(path: Path, error: sqlite3.DatabaseError, header: bytes) -> Exception:
    """Return what it means that SQLite cannot read a file: that it is damaged, full, or takes too long."""
    # The low byte is the kind of error; the rest says in which of many places it came up.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        # Only `_bounded` interrupts a connection of ours.
        return UserError(f"{path} is damaged: reading it takes more steps than any valid file of its size")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return UserError(f"{path} is locked by another process: {why(error)}")
    if disk := full(path, error):
        return disk
    # SQLite calls a truncated file malformed, which does not tell the user that a copy is incomplete.
    (page,), (pages,) = struct.unpack_from(">H", header, 16), struct.unpack_from(">I", header, 28)
    # The header has two bytes for the size of a page and writes the largest, 65536, as 1.
    whole, there = (65536 if page == 1 else page) * pages, path.stat().st_size
    return UserError(
        f"{path} is damaged: {f'it is truncated to {there} of {whole} bytes' if there < whole else why(error)}"
    )


@contextmanager
def _bounded(connection: sqlite3.Connection, size: int) -> Iterator[None]:
    """Break off with SQLITE_INTERRUPT what takes far more work than reading a whole file of this size in bytes."""
    # The thousand is for what does not grow with the file, such as comparing the schema.
    connection.set_progress_handler(_budget(1_000 + int(size * _TICKS_PER_BYTE)), _TICK)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def _budget(ticks: int) -> Callable[[], bool]:
    left = iter(range(ticks))
    return lambda: next(left, None) is None


@contextmanager
def writing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Do all of the body or nothing; raises DiskFullError if there is no space for it."""
    try:
        # IMMEDIATE takes the right to write at once; a transaction that has read before may be refused it in the
        # middle.
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
    # SQLite has no transactions within transactions, and the outer one already sees one state.
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
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_FULL or (code & 0xFF == sqlite3.SQLITE_IOERR and code not in _OF_READING):
        return DiskFullError(f"{path} cannot be written: {why(error)}")
    # The folder may be gone; then the error of SQLite is all that is known.
    with contextlib.suppress(OSError):
        # SQLite says the same if the rights do not allow it: only the space that is left tells the two apart.
        if code & 0xFF == sqlite3.SQLITE_CANTOPEN and shutil.disk_usage(path.parent).free < _ROOM:
            return DiskFullError(f"no space left in the run's folder, {path.parent}")
    return None


# What fails in reading says nothing about space; every other kind is taken for a disk that does not take what is
# written.
_OF_READING = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)


def why(error: object) -> str:
    """Return what an error says, on one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())
