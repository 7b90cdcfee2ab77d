"""Style sheets of a run: each stored once per site, world seed and URL, beside the entries about the run.

They are not part of episodes or seals: only the look of pages in the report depends on them. They are optional, so the
schema is the same without them.
"""

import json
import re
import sqlite3
from collections.abc import Mapping

from stressweb.core.errors import UserError
from stressweb.log.blobs import Blobs

NAMES = "sheet "
"""Prefix of the names of their rows in the table `meta`."""
LONGEST = 2_000_000
"""Longest sheet that is stored, in characters."""
LONGEST_URL = 2_000
MOST = 40
"""Largest number of sheets per site and world seed."""


def missing(connection: sqlite3.Connection, site: str, world: int, sheets: Mapping[str, str]) -> dict[str, str]:
    """Return the sheets, by URL, that are not stored yet and fit."""
    start = _start(site, world)
    known = {name.removeprefix(start) for name, _ in _rows(connection, start)}
    fitting = {url: text for url, text in sheets.items() if len(url) <= LONGEST_URL and len(text) <= LONGEST}
    # Otherwise, a site that renames its sheets on every page would fill the run with them.
    new = [url for url in fitting if url not in known]
    return {url: fitting[url] for url in new[: MOST - len(known)]}


def put(connection: sqlite3.Connection, blobs: Blobs, site: str, world: int, sheets: Mapping[str, str]) -> None:
    """Store sheets of a site under a world seed, by URL, in the caller's transaction; known ones stay."""
    for url, text in missing(connection, site, world, sheets).items():
        # Every value in `meta` is JSON.
        row = (_start(site, world) + url, json.dumps(blobs.put_text(text).hex()))
        connection.execute("INSERT INTO meta VALUES (?, ?)", row)


def get(connection: sqlite3.Connection, blobs: Blobs, site: str, world: int) -> dict[str, str]:
    """Return the sheets of a site under a world seed, by URL; altered ones are left out."""
    texts = {}
    start = _start(site, world)
    for name, value in _rows(connection, start):
        try:
            texts[name.removeprefix(start)] = blobs.text(bytes.fromhex(json.loads(value)))
        # Without a sheet the report only loses the look of some pages; rejecting the run would lose its figures as
        # well.
        except UserError:
            continue
    return texts


def contents(connection: sqlite3.Connection) -> list[bytes]:
    """Return the hash of every stored sheet, in a fixed order; values that are not hashes are left out."""
    query = "SELECT DISTINCT value FROM meta WHERE substr(name, 1, ?) = ? ORDER BY value"
    rows = connection.execute(query, (len(NAMES), NAMES)).fetchall()
    # A hash is hexadecimal digits in quotes; an untrusted file may have anything else.
    return [bytes.fromhex(value[1:-1]) for (value,) in rows if re.fullmatch('"([0-9a-f]{2})+"', value)]


def _start(site: str, world: int) -> str:
    return f"{NAMES}{site} {world} "


def _rows(connection: sqlite3.Connection, start: str) -> list[tuple[str, str]]:
    # Not LIKE: in a URL, `_` and `%` are literal.
    query = "SELECT name, value FROM meta WHERE substr(name, 1, ?) = ? ORDER BY name LIMIT ?"
    return connection.execute(query, (len(start), start, MOST)).fetchall()
