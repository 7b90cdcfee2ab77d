"""The seal of a recorded episode: a hash over all of its rows, which reveals edits.

It detects damage and manual edits. It is not a signature: anyone with this code can seal anything again.
"""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

TABLES = {"cell": "key", "episode": "cell", "step": "cell", "closing": "cell", "ledger": "cell"}
"""Every table with rows of an episode, and the column with its key."""


class Rows(NamedTuple):
    """An episode's rows of one table, as stored, in the order of the primary key."""

    columns: tuple[str, ...]
    values: list[tuple[Any, ...]]

    def of(self, *columns: str) -> list[tuple[Any, ...]]:
        """Return the values of these columns, for each row."""
        positions = [self.columns.index(column) for column in columns]
        return [tuple([row[n] for n in positions]) for row in self.values]


type Stored = Mapping[str, Rows]
"""All rows of an episode, by table, without its contents."""


def hash_of(data: bytes) -> bytes:
    """Return the hash that identifies a stored content."""
    return hashlib.blake2b(data, digest_size=16).digest()


def stored(connection: sqlite3.Connection, key: str) -> Stored:
    """Return the rows of an episode; tables without rows have an entry too."""
    rows_by_table = {}
    for table, column in TABLES.items():
        # By primary key, the order of WITHOUT ROWID tables.
        rows = connection.execute(f"SELECT * FROM {table} WHERE {column} = ? ORDER BY 1, 2", (key,))  # noqa: S608
        rows_by_table[table] = Rows(tuple([column_info[0] for column_info in rows.description]), rows.fetchall())
    return rows_by_table


def seal(connection: sqlite3.Connection, key: str) -> bytes:
    """Return the seal of an episode as it is stored."""
    return seal_of(stored(connection, key))


def seal_of(episode: Stored) -> bytes:
    """Return the seal of an episode: over its plan and its rows in order, and so over the hashes of its pages.

    Times and costs are included. The seal itself is the only excluded column.
    """
    text = "".join([_text(table, *rows) for table, rows in episode.items() if rows.values])
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _text(table: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """Return the rows of a table as they are sealed: one line of JSON each, such as `["ledger", ["n", 0], …]`."""
    if "seal" in columns:
        own = columns.index("seal")
        columns, rows = columns[:own] + columns[own + 1 :], [row[:own] + row[own + 1 :] for row in rows]
    # All values at once: an episode has a thousand of them, and a call of the encoder takes as long as a few. JSON
    # writes no control characters, so these separate the values.
    values = _JSON.encode([value for row in rows for value in row])[1:-1].split("\0")
    return _line(table, columns) * len(rows) % tuple(values)


@lru_cache
def _line(table: str, columns: tuple[str, ...]) -> str:
    """Return the line for a row, with a placeholder for each column's value."""
    # Table and columns are named, so that a value cannot move to another place of the same type. JSON writes no bare
    # line feed, so no value can imitate the end of its row.
    pairs = [f'["{column}", %s]' for column in columns]
    return f'["{table}", {", ".join(pairs)}]\n'


def _json_of_bytes(data: bytes) -> dict[str, str]:
    """Return bytes in JSON, distinct from any text."""
    # A text never becomes a mapping, so a hash cannot be exchanged for a text of the same digits.
    return {"bytes": data.hex()}


_JSON = json.JSONEncoder(default=_json_of_bytes, check_circular=False, separators=("\0", ": "))
