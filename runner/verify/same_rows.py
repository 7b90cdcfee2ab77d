"""The changes of the database by a walk, in a comparable form."""

from collections.abc import Mapping
from typing import Any

from stressweb.plugins.database import TableChange
from stressweb.plugins.site_world import SiteWorld

FILLED_IN = "filled in by the site"

type Row = Mapping[str, Any] | None


def comparable(changes: Mapping[str, TableChange], world: SiteWorld) -> dict[str, list[str]]:
    """Return the changes by table as texts that do not depend on the clock or on keys.

    Derived columns are ignored, and so are generated columns of added rows. A generated column of an altered row counts
    as in the verdict: empty, unchanged, or filled in. A row that was removed and added again with another key does not
    count as changed.
    """
    tables: dict[str, list[str]] = {}
    for table, change in changes.items():
        derived = world.derived.get(table, frozenset())
        generated = world.generated.get(table, frozenset())
        free = derived | generated | {*change.key}
        added = [_without_columns(row, derived | generated) for row in change.added]
        removed = [_without_columns(row, derived) for row in change.removed]
        for removed_row in removed[:]:
            match = next(
                (row for row in added if _without_columns(row, free) == _without_columns(removed_row, free)), None
            )
            if match is not None:
                added.remove(match)
                removed.remove(removed_row)
        altered = [
            (_without_columns(before, derived), _final_row(before, after, derived, generated))
            for before, after in change.altered
        ]
        pairs: list[tuple[Row, Row]] = [
            *((None, row) for row in added),
            *((row, None) for row in removed),
            # A row with changes only in derived columns counts as unchanged.
            *(pair for pair in altered if pair[0] != pair[1]),
        ]
        tables[table] = sorted(map(str, pairs))
    return {table: texts for table, texts in tables.items() if texts}


def _without_columns(row: Mapping[str, Any], columns: frozenset[str]) -> dict[str, Any]:
    return {column: cell for column, cell in row.items() if column not in columns}


def _final_row(
    before: Mapping[str, Any], after: Mapping[str, Any], derived: frozenset[str], generated: frozenset[str]
) -> dict[str, Any]:
    """Return the final state of an altered row, with a placeholder for values that the site filled in."""
    return {
        column: FILLED_IN if column in generated and cell and cell != before[column] else cell
        for column, cell in after.items()
        if column not in derived
    }
