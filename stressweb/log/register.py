"""The register of a run: its plan and its finished episodes, so that removals and additions are detected.

It is a row of the table `meta`, written in the transaction of the episode that it counts. An episode that never ran is
in neither; a removed one is still counted here. Like a seal it detects damage and manual edits, and is not a signature.
Older runs have none.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from stressweb.core.words import counted

NAME = "register"
"""Name of its row in the table `meta`."""
SEALED = ("goals", "modes", "plan", "prices", "suite", "tasks")
"""Entries about a run as a whole that determine its figures or what its report says was planned."""
_APPLICATION = 0x73777231
"""Written into the header of the file: a run with this number and without a register has lost it."""


class Register(NamedTuple):
    """The contents of a register."""

    episodes: int
    """Finished episodes, each cell counted once."""
    digest: int
    """Their hashes combined by exclusive or, because workers finish in any order."""
    plan: str
    """Hash of the cells and of `SEALED`."""


def begin(connection: sqlite3.Connection) -> None:
    """Write the register of a new run without episodes, in the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    _write(connection, Register(0, 0, _plan(connection)))


def entry(connection: sqlite3.Connection, key: str) -> int | None:
    """Return the hash of a cell's episode as the register counts it; None if there is none."""
    row = connection.execute("SELECT cell, seconds FROM episode WHERE cell = ?", (key,)).fetchone()
    return None if row is None else _hash(*row)


def exchange(connection: sqlite3.Connection, before: int | None, key: str) -> None:
    """Count the saved episode of a cell, in the transaction that saves it.

    `before` is the entry of the episode that it replaced.
    """
    known, after = _read(connection), entry(connection, key)
    if known is not None and after is not None:
        digest = known.digest ^ (before or 0) ^ after
        _write(connection, known._replace(episodes=known.episodes + (before is None), digest=digest))


def renew_plan(connection: sqlite3.Connection) -> None:
    """Hash the plan again, in the transaction that changed the entries about the run."""
    if known := _read(connection):
        _write(connection, known._replace(plan=_plan(connection)))


def carry_over(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Mark a copy of a run as one with a register, if the run has one; the row itself is copied with its table."""
    (mark,) = source.execute("PRAGMA application_id").fetchone()
    target.execute(f"PRAGMA application_id = {int(mark)}")


def misfit(connection: sqlite3.Connection) -> str:
    """Return how the run as a whole differs from what was recorded, in one sentence; "" if it does not."""
    known = _read(connection)
    if known is None:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        has_row = connection.execute("SELECT 1 FROM meta WHERE name = ?", (NAME,)).fetchone()
        return "its register of finished episodes is gone" if mark == _APPLICATION or has_row else ""
    present = [_hash(key, seconds) for key, seconds in connection.execute("SELECT cell, seconds FROM episode")]
    if removed := known.episodes - len(present):
        return _removal_message(connection, removed, known.episodes) if removed > 0 else _addition_message(-removed)
    if _combined_hash(present) != known.digest:
        return "an episode was exchanged for another one"
    return "" if known.plan == _plan(connection) else "its plan, or what it knows of its tasks, was changed"


def _removal_message(connection: sqlite3.Connection, removed: int, recorded: int) -> str:
    query = "SELECT key FROM cell WHERE key NOT IN (SELECT cell FROM episode) ORDER BY position"
    keys = [key for (key,) in connection.execute(query)]
    was = "was" if removed == 1 else "were"
    named = ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
    # In an unfinished run, cells that never ran have no episode either.
    which = f": {named}" if len(keys) == removed else f"; there is no episode of {named}" if named else ""
    return f"{removed} of {counted(recorded, 'recorded episode')} {was} removed{which}"


def _addition_message(count: int) -> str:
    return f"{counted(count, 'episode')} {'was' if count == 1 else 'were'} added"


def _hash(key: str, seconds: float) -> int:
    # The duration distinguishes recordings of one cell; grades are left out, because regrading may change them.
    return int.from_bytes(hashlib.blake2b(json.dumps([key, seconds]).encode(), digest_size=16).digest())


def _combined_hash(hashes: Iterable[int]) -> int:
    combined = 0
    for entry_hash in hashes:
        combined ^= entry_hash
    return combined


def _plan(connection: sqlite3.Connection) -> str:
    cells = connection.execute("SELECT key, position, data, identity FROM cell ORDER BY key").fetchall()
    places = ", ".join("?" * len(SEALED))
    query = f"SELECT name, value FROM meta WHERE name IN ({places}) ORDER BY name"  # noqa: S608 - only question marks
    about = connection.execute(query, SEALED).fetchall()
    return hashlib.blake2b(json.dumps([cells, about]).encode(), digest_size=16).hexdigest()


def _read(connection: sqlite3.Connection) -> Register | None:
    """Return the register; None if there is none, or if the row is invalid."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (NAME,)).fetchone()
    try:
        fields: Any = json.loads(row[0]) if row and len(row[0]) < 1_000 else None
        return Register(int(fields["episodes"]), int(fields["digest"], 16), str(fields["plan"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _write(connection: sqlite3.Connection, register: Register) -> None:
    value = json.dumps({**register._asdict(), "digest": f"{register.digest:032x}"})
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (NAME, value))
