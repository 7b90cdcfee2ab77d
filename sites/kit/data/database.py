"""The initial database of a world."""

import sqlite3
from collections.abc import Mapping, Sequence

from stressweb.core.entity import Entity
from stressweb.sites.kit.spec.site import SiteSpec
from stressweb.sites.kit.spec.stages import STATEMENT, TABLE

_OWN_TABLES = {
    "event": "CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL)",
    "session": "CREATE TABLE session (id TEXT PRIMARY KEY, person TEXT NOT NULL, notes TEXT NOT NULL)",
}
OWN_TABLES = frozenset({*_OWN_TABLES, TABLE})
"""The kit's tables in the database of a site: the event log, the sessions, and the stages of rows."""


def initial_database(spec: SiteSpec, rows: Mapping[str, Sequence[Entity]]) -> bytes:
    """Return the initial database of a world, serialised."""
    connection = sqlite3.connect(":memory:")
    for statement in _OWN_TABLES.values():
        connection.execute(statement)
    if any(entity.stages for entity in spec.entities.values()):
        connection.execute(STATEMENT)
    for name, entity in spec.entities.items():
        if entity.table is None:
            continue
        columns = entity.stored
        # Columns other than the key have no type, so that SQLite stores numbers and texts without converting them.
        declared = ", ".join(f'"{column}"' + (" TEXT PRIMARY KEY" if column == "id" else "") for column in columns)
        connection.execute(f'CREATE TABLE "{entity.table}" ({declared})')
        marks = ", ".join("?" for _ in columns)
        values = [[row[column] for column in columns] for row in rows[name]]
        connection.executemany(f'INSERT INTO "{entity.table}" VALUES ({marks})', values)  # noqa: S608 - names of the spec
    connection.commit()
    # An episode begins by deserialising these bytes, which takes a tenth of a millisecond; copying a file takes about
    # 25 times as long.
    template = connection.serialize()
    connection.close()
    return template
