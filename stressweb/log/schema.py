"""The tables of a run database, and the check that a file has exactly these."""

import sqlite3
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from operator import itemgetter

VERSION = 5
"""Version of the schema; files of other versions are rejected, never changed."""

# Tables without row ids are sorted by their primary key, so an episode is read in one piece and sealed in a fixed
# order. `blob` has row ids: SQLite advises so for rows larger than a fraction of a page.
TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cell (
    key TEXT PRIMARY KEY, position INTEGER NOT NULL, data TEXT NOT NULL, identity TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episode (
    cell TEXT PRIMARY KEY REFERENCES cell(key), status TEXT NOT NULL, claim TEXT NOT NULL, message TEXT NOT NULL,
    steps INTEGER NOT NULL, grade TEXT, final TEXT NOT NULL,
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

# All cells of a plan are in memory at once.
_MOST_CELLS = 1_000_000
_LONGEST_KEY = 8000
"""Longest key of a cell in characters: more than its parts may have together."""


def make(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty database, in the caller's transaction."""
    for statement in TABLES.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def strange(connection: sqlite3.Connection) -> str:
    """Return what a database's schema has beyond ours, or lacks, in a few words; "" if it equals ours.

    Reads only the schema: no untrusted view, trigger, virtual table, default or check is evaluated.
    """
    schema = _own_schema()
    missing = dict(schema)
    # Compared as text and never parsed: untrusted checks, defaults and generated columns are part of the text.
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema"):
        if (kind, name) not in schema:
            return f"it has the {_short(kind)} {_short(name)}"
        # The second half is for a file that names a table twice, which SQLite never writes.
        if schema[kind, name] != sql or (kind, name) not in missing:
            return f"its {kind} {name} is defined otherwise"
        del missing[kind, name]
    return f"the {' '.join(next(iter(missing)))} is missing" if missing else ""


def misfit(connection: sqlite3.Connection) -> str:
    """Return which value has the wrong type or is out of bounds; "" if none.

    SQLite allows any value in any column. Values that seals protect are not checked here, only those that would break
    reading.
    """
    for table, columns in groupby(_columns(), key=itemgetter(0)):
        # Type and size of a value are known without reading it.
        tests = [
            (column, storage, f"typeof({column}) <> '{storage}'" + (f" AND {column} IS NOT NULL" if nullable else ""))
            for _, column, storage, nullable in columns
        ]
        # In a large run most rows are of this kind, so all columns are checked in one pass.
        which = "".join(f" WHEN {test} THEN {number}" for number, (_, _, test) in enumerate(tests))
        either = " OR ".join(f"({test})" for _, _, test in tests)
        misfit_row = connection.execute(f"SELECT CASE{which} END FROM {table} WHERE {either} LIMIT 1").fetchone()  # noqa: S608
        if misfit_row:
            column, storage, _ = tests[misfit_row[0]]
            return f"a value in {table}.{column} is no {storage}"
    for table, what, wrong in _BOUNDS:
        if connection.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():  # noqa: S608
            return f"{what} in the table {table}"
    (cells,) = connection.execute("SELECT count(*) FROM cell").fetchone()
    return f"{cells} cells, more than {_MOST_CELLS}" if cells > _MOST_CELLS else ""


# SQLite checks references only on request, and never for existing rows, so they are checked here.
_BOUNDS = (
    ("cell", "a key that is too long", f"length(key) > {_LONGEST_KEY}"),
    ("episode", "an unknown cell", "cell NOT IN (SELECT key FROM cell)"),
    ("step", "an unknown episode", "cell NOT IN (SELECT cell FROM episode)"),
    ("closing", "an unknown episode", "cell NOT IN (SELECT cell FROM episode)"),
    ("ledger", "an unknown episode", "cell NOT IN (SELECT cell FROM episode)"),
    ("episode", "an unknown status", "status NOT IN ('done', 'gave_up', 'out_of_steps', 'crashed', 'error')"),
    ("episode", "an unknown claim", "claim NOT IN ('done', 'failed', 'none')"),
)


@cache
def _own_schema() -> dict[tuple[str, str], str | None]:
    # Read from SQLite and not from `TABLES`, because SQLite adds indexes for primary keys.
    with _fresh() as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    connection.close()
    return {(kind, name): sql for kind, name, sql in rows}


@cache
def _columns() -> tuple[tuple[str, str, str, bool], ...]:
    """Return table, column, storage class and whether it may be NULL, of every column."""
    with _fresh() as connection:
        columns = tuple(_of_tables(connection))
    connection.close()
    return columns


def _of_tables(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str, bool]]:
    for kind, table in _own_schema():
        if kind == "table":
            for _, column, storage, required, _, primary in connection.execute(f"PRAGMA table_info({table})"):
                yield table, column, storage.lower(), not (required or primary)


def _fresh() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    make(connection)
    return connection


def _short(word: object) -> str:
    return repr(word)[:60]
