"""Comparable form of the changes that a walk made in the database."""

from collections.abc import Mapping
from typing import Any

from stressweb.plugins.database import TableChange
from stressweb.plugins.site_world import SiteWorld

FILLED_IN = "filled in by the site"

type Row = Mapping[str, Any] | None


def comparable(changes: Mapping[str, TableChange], world: SiteWorld) -> dict[str, list[str]]:
    """Return the changes by table as texts that do not depend on the clock or on keys.

    Derived columns are ignored, and generated columns in added rows. In an altered row a generated column counts as the
    verdict sees it: empty, unchanged, or filled in. A row that was removed and added again under another key is not a
    change.
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
            # A row with changes only in derived columns counts as unchanged.
            *(pair for pair in altered if pair[0] != pair[1]),
        ]
        tables[table] = sorted(map(str, pairs))
    return {table: texts for table, texts in tables.items() if texts}


def _without(row: Mapping[str, Any], columns: frozenset[str]) -> dict[str, Any]:
    return {column: cell for column, cell in row.items() if column not in columns}


def _filled(
    before: Mapping[str, Any], after: Mapping[str, Any], derived: frozenset[str], generated: frozenset[str]
) -> dict[str, Any]:
    """Return the later state of an altered row, with a placeholder for values that the site filled in."""
    return {
        column: FILLED_IN if column in generated and cell and cell != before[column] else cell
        for column, cell in after.items()
        if column not in derived
    }
