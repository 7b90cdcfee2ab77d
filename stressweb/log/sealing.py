"""The seal of a recorded episode: a hash over everything that is stored of it, so that an edited recording is found.

It finds damage and edits by hand. It is no signature: whoever runs this code can seal anything anew.
"""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

TABLES = {"cell": "key", "episode": "cell", "step": "cell", "closing": "cell", "ledger": "cell"}
"""Every table that holds something of an episode, and the column by which it is found."""


class Rows(NamedTuple):
    """The rows that a table has of an episode, as they are stored, in the order of the primary key."""

    columns: tuple[str, ...]
    values: list[tuple[Any, ...]]

    def of(self, *columns: str) -> list[tuple[Any, ...]]:
        """Return the values of these columns, for each row."""
        positions = [self.columns.index(column) for column in columns]
        return [tuple([row[n] for n in positions]) for row in self.values]


type Stored = Mapping[str, Rows]
"""Everything that is stored of an episode but its contents, by table."""


def hash_of(data: bytes) -> bytes:
    """Return the hash by which stored contents are called."""
    return hashlib.blake2b(data, digest_size=16).digest()


def stored(connection: sqlite3.Connection, key: str) -> Stored:
    """Return the rows of an episode; tables that have none of it have an entry, too."""
    rows_by_table = {}
    for table, column in TABLES.items():
        # In the order of the primary key, which is what WITHOUT ROWID tables are sorted by.
        rows = connection.execute(f"SELECT * FROM {table} WHERE {column} = ? ORDER BY 1, 2", (key,))  # noqa: S608
        rows_by_table[table] = Rows(tuple([column_info[0] for column_info in rows.description]), rows.fetchall())
    return rows_by_table


def seal(connection: sqlite3.Connection, key: str) -> bytes:
    """Return the seal of an episode as it is stored."""
    return seal_of(stored(connection, key))


def seal_of(episode: Stored) -> bytes:
    """Return the seal of an episode: over its plan, its rows in order, and so the hashes of its pages.

    Times and costs are in it too. The seal itself is the one column that is not.
    """
    text = "".join([_text(table, *rows) for table, rows in episode.items() if rows.values])
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _text(table: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """Return the rows of a table as they are sealed: a line of JSON for each, such as `["ledger", ["n", 0], …]`."""
    if "seal" in columns:
        own = columns.index("seal")
        columns, rows = columns[:own] + columns[own + 1 :], [row[:own] + row[own + 1 :] for row in rows]
    # All values in one go: an episode has a thousand of them, and each call of the encoder takes as long as a few. JSON
    # writes no control character, so that these part the values and nothing else.
    values = _JSON.encode([value for row in rows for value in row])[1:-1].split("\0")
    return _line(table, columns) * len(rows) % tuple(values)


@lru_cache
def _line(table: str, columns: tuple[str, ...]) -> str:
    """Return the line of a table's row, with a place for the value of each column."""
    # Table and columns are named, so that a value cannot move to another place that has the same type. JSON writes no
    # bare line feed, so that no value can look like the end of its row and the beginning of another one.
    pairs = [f'["{column}", %s]' for column in columns]
    return f'["{table}", {", ".join(pairs)}]\n'


def _marked(data: bytes) -> dict[str, str]:
    """Return bytes as JSON has them, unlike any text."""
    # A text can never become a mapping, so that a hash cannot be exchanged for a text of the same digits.
    return {"bytes": data.hex()}


_JSON = json.JSONEncoder(default=_marked, check_circular=False, separators=("\0", ": "))
