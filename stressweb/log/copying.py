"""Copies a run database, with or without pictures; the same content always gives the same bytes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from stressweb.core.errors import AlteredError
from stressweb.log import register, schema, sheets
from stressweb.log.run_file import PAGE_BYTES, PRIVATE_FILE, open_checked, reading
from stressweb.log.sealing import seal
from stressweb.log.store_reader import StoreReader
from stressweb.log.store_rows import sources_in

# The order of the rows determines where SQLite puts them in the file, and so the bytes of the copy.
_TABLES = {"meta": "1", "cell": "1", "episode": "1", "closing": "1, 2", "ledger": "1, 2"}
"""Tables that are copied unchanged, and the order of their rows."""
_USED = (
    "SELECT state FROM step UNION SELECT tree FROM step UNION SELECT boxes FROM step UNION SELECT state FROM closing"
)
"""Contents of episodes, without pictures; those of replaced episodes are not among them."""


def copy(source: Path, target: Path, *, pictures: bool = True) -> None:
    """Copy a run database to a new file; without `pictures` the episodes are sealed anew.

    Rows are written in a fixed order, so the history of the file does not matter. Raises AlteredError, and writes
    nothing, if an episode or the run as a whole was changed: a new seal would hide that.
    """
    connection = open_checked(source, writable=False)
    with StoreReader(source, connection) as store, reading(connection):
        # Pages are checked too, although that reads all of them, because the copy is for others.
        for key, misfit in store.altered(contents=True).items():
            raise AlteredError(f"episode {key} of {source} was changed after it was recorded: {misfit}")
        store.check_whole()
        # SQLite would create the file with the rights of the umask, and would accept an existing one.
        target.touch(PRIVATE_FILE, exist_ok=False)
        with closing(sqlite3.connect(target, isolation_level=None)) as copied:
            # No other process uses the file, and an incomplete copy is discarded.
            copied.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            copied.execute("PRAGMA journal_mode = OFF")
            copied.execute("PRAGMA synchronous = OFF")
            # Without a transaction SQLite would begin and end one for each row.
            copied.execute("BEGIN")
            schema.make(copied)
            register.carry_over(connection, copied)
            _fill(connection, copied, pictures=pictures)
            copied.execute("COMMIT")


def _fill(connection: sqlite3.Connection, copied: sqlite3.Connection, *, pictures: bool) -> None:
    for table, order in _TABLES.items():
        _insert(copied, table, connection.execute(f"SELECT * FROM {table} ORDER BY {order}"))  # noqa: S608
    step = "cell, n, action, outcome, url, state, screenshot, tree, boxes, browser, seconds, usage"
    # NULL in its place keeps the number of columns, so that the rows fit the same table.
    copied_columns = step if pictures else step.replace("screenshot", "NULL")
    _insert(copied, "step", connection.execute(f"SELECT {copied_columns} FROM step ORDER BY cell, n"))  # noqa: S608
    used = f"{_USED} UNION SELECT screenshot FROM step" if pictures else _USED  # noqa: S608
    # The bases of deltas are copied too: a delta begins with the hash of its base.
    bases = f"SELECT substr(data, 2, 16) FROM blob WHERE hash IN ({used}) AND substr(data, 1, 1) = x'd1'"  # noqa: S608
    needed = f"SELECT * FROM blob WHERE hash IN ({used}) OR hash IN ({bases}) ORDER BY hash"  # noqa: S608
    _insert(copied, "blob", connection.execute(needed))
    # Style sheets are referenced in `meta` and values of observation sources inside JSON, where no query above looks.
    # Some may have been copied already.
    for digest in (*sheets.contents(connection), *_read_by_sources(connection)):
        _insert(copied, "blob", connection.execute("SELECT * FROM blob WHERE hash = ?", (digest,)))
    # The seal covers the stored rows, including the column of pictures.
    if not pictures:
        for (key,) in copied.execute("SELECT cell FROM episode").fetchall():
            copied.execute("UPDATE episode SET seal = ? WHERE cell = ?", (seal(copied, key), key))


def _read_by_sources(connection: sqlite3.Connection) -> Iterator[bytes]:
    rows = connection.execute("SELECT browser FROM step WHERE browser IS NOT NULL ORDER BY cell, n")
    for (text,) in rows:
        yield from sources_in(text).values()


def _insert(target: sqlite3.Connection, table: str, rows: sqlite3.Cursor) -> None:
    places = ", ".join("?" * len(rows.description))
    # Row by row, because the rows of a large run do not fit into memory.
    target.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({places})", rows)  # noqa: S608
