"""Rows that a task expects, and their names bound to the rows of an episode."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stressweb.core.entity import Entity
from stressweb.plugins.expect import ANY, GUEST, Cell, Names
from stressweb.plugins.expected_values import wanted

type Repetition = tuple[str, int]
"""The drawn rows for which a pattern is repeated, and the index of one: `("letters", 0)`."""


@dataclass(frozen=True)
class ExpectedRow:
    """An expected row: its name, the values of its columns, and the names for its templates."""

    name: str
    values: Mapping[str, Cell]
    names: Names
    part: int = 0
    """The chain's part that expects it; names of rows are valid within the part."""
    repetition: Repetition | None = None
    """The drawn row for which it is repeated; such rows can refer only to rows of the same repetition."""

    def words(self) -> str:
        """Return the content of the row in words, as far as it is known before an episode."""
        names = BoundRows("").names(self)
        values = ((column, value) for column, value in sorted(self.values.items()) if value != ANY)
        return ", ".join(f"{column} {wanted(value, names)}" for column, value in values)


class BoundRows:
    """Names for templates of expected rows, in addition to drawn names: the visitor, and named rows."""

    def __init__(self, guest: str) -> None:
        """Take the visitor's name; "" if no expected row has a visitor."""
        self._common = {GUEST: guest} if guest else {}
        self._rows: dict[tuple[int, Repetition | None], dict[str, Any]] = {}

    def names(self, row: ExpectedRow) -> Names:
        """Return the names for the templates of a row."""
        return {**row.names, **self._common, **self.of(row.part), **self._rows.get((row.part, row.repetition), {})}

    def bind(self, row: ExpectedRow, final: Entity) -> None:
        """Bind a row's name, so that other rows can refer to it, as the lines of an order refer to the order."""
        if row.name:
            self._rows.setdefault((row.part, row.repetition), {})[row.name] = final

    def of(self, part: int) -> dict[str, Any]:
        """Return the rows of a chain's part, by name, without repeated ones."""
        return self._rows.get((part, None), {})

    def by_part(self) -> dict[int, dict[str, Any]]:
        """Return the rows of each part by name, without repeated ones."""
        return {part: rows for (part, repetition), rows in self._rows.items() if repetition is None}
