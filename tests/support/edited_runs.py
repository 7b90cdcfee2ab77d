"""Run files read and changed with SQL, as somebody could who knows the format."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from stressweb.log.sealing import seal


def rows(run: Path, query: str, *parameters: object) -> list[Any]:
    """Return the rows of a query."""
    with closing(sqlite3.connect(run)) as connection:
        return connection.execute(query, parameters).fetchall()


def edit(run: Path, statement: str, *parameters: object, sealed: str | None = None) -> None:
    """Change a run; `sealed` is the key of a cell whose episode then gets a fitting seal."""
    with closing(sqlite3.connect(run)) as connection, connection:
        connection.execute(statement, parameters)
        if sealed is not None:
            connection.execute("UPDATE episode SET seal = ? WHERE cell = ?", (seal(connection, sealed), sealed))
