"""What a walk changed in the database, so that two walks that leave the same can be compared."""

from collections.abc import Mapping
from typing import Any

from stressweb.plugins.database import TableChange
from stressweb.plugins.site_world import SiteWorld

FILLED_IN = "filled in by the site"

type Row = Mapping[str, Any] | None


def comparable(changes: Mapping[str, TableChange], world: SiteWorld) -> dict[str, list[str]]:
    """Return the changes by table so that equal ones are equal texts, whatever the clock or a key says.

    Derived columns count in no row, generated ones in no row that was added. In a row of the start a generated column
    counts as what the verdict sees: empty, as it was, or filled in. A row that was removed and added again under
    another key is no change.
    """
    tables: dict[str, list[str]] = {}
    for table, change in changes.items():
        derived = world.derived.get(table, frozenset())
        generated = world.generated.get(table, frozenset())
        free = derived | generated | {*change.key}
        added = [_without(row, derived | generated) for row in change.added]
        removed = [_without(row, derived) for row in change.removed]
        for gone in removed[:]:
            back = next((row for row in added if _without(row, free) == _without(gone, free)), None)
            if back is not None:
                added.remove(back)
                removed.remove(gone)
        altered = [
            (_without(before, derived), _filled(before, after, derived, generated)) for before, after in change.altered
        ]
        pairs: list[tuple[Row, Row]] = [
            *((None, row) for row in added),
            *((row, None) for row in removed),
            # Where only derived columns changed, the row is as it was.
            *(pair for pair in altered if pair[0] != pair[1]),
        ]
        tables[table] = sorted(map(str, pairs))
    return {table: texts for table, texts in tables.items() if texts}


def _without(row: Mapping[str, Any], columns: frozenset[str]) -> dict[str, Any]:
    return {column: value for column, value in row.items() if column not in columns}


def _filled(
    before: Mapping[str, Any], after: Mapping[str, Any], derived: frozenset[str], generated: frozenset[str]
) -> dict[str, Any]:
    """Return a row of the start as it is afterwards, with what the site filled in told by a word."""
    return {
        column: FILLED_IN if column in generated and value and value != before[column] else value
        for column, value in after.items()
        if column not in derived
    }
