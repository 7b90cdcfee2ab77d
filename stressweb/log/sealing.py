"""The seal of a recorded episode: a hash over everything that is stored of it, so that an edited recording is found.

It finds damage and edits by hand. It is no signature: whoever runs this code can seal anything anew.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from typing import Any

TABLES = {"cell": "key", "episode": "cell", "step": "cell", "closing": "cell", "ledger": "cell"}
"""Every table that holds something of an episode, and the column by which it is found."""


def hash_of(data: bytes) -> bytes:
    """Return the hash by which stored contents are called."""
    return hashlib.blake2b(data, digest_size=16).digest()


def seal(connection: sqlite3.Connection, key: str) -> bytes:
    """Return the seal of an episode as it is stored: over its plan, its rows in order, and so the hashes of its pages.

    Times and costs are in it too. The seal itself is the one column that is not.
    """
    sealed = hashlib.blake2b(digest_size=16)
    for line in _lines(connection, key):
        # JSON writes no bare line feed, so that no value can look like the end of its row and the beginning of another
        # one.
        sealed.update(_JSON.encode(line).encode() + b"\n")
    return sealed.digest()


def _lines(connection: sqlite3.Connection, key: str) -> Iterator[list[Any]]:
    for table, column in TABLES.items():
        # In the order of the primary key, which is what WITHOUT ROWID tables are sorted by.
        found = connection.execute(f"SELECT * FROM {table} WHERE {column} = ? ORDER BY 1, 2", (key,))  # noqa: S608
        names = [one[0] for one in found.description]
        own = names.index("seal") if "seal" in names else None
        for row in found:
            # Table and columns are named, so that a value cannot move to another place that has the same type.
            pairs = [*zip(names, row, strict=True)]
            yield [table, *(pairs if own is None else pairs[:own] + pairs[own + 1 :])]


def _marked(data: bytes) -> dict[str, str]:
    """Return bytes as JSON has them, unlike any text."""
    # A text can never become a mapping, so that a hash cannot be exchanged for a text of the same digits.
    return {"bytes": data.hex()}


# Made once, since an episode has dozens of lines; a row of a table cannot hold itself.
_JSON = json.JSONEncoder(default=_marked, check_circular=False)
