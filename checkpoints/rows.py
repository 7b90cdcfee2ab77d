"""What checkpoints of any site ask of database rows."""

from typing import Any

from stressweb.query import Run
from stressweb.records import Entity


def touched(run: Run) -> set[str]:
    """Return the tables in which anything is other than at the start."""
    return {table for table, _ in run.changed()}


def same(row: Entity, **values: Any) -> bool:
    """Return whether a row holds all these values, compared as text."""
    return all(str(row[column]) == str(value) for column, value in values.items())


def only(rows: tuple[Entity, ...], **values: Any) -> bool:
    """Return whether there is exactly one row, and it holds these values."""
    return len(rows) == 1 and same(rows[0], **values)


def kept(before: Entity, after: Entity, *changing: str) -> bool:
    """Return whether two rows agree in all columns but these."""
    return all(after[column] == value for column, value in before.items() if column not in changing)
