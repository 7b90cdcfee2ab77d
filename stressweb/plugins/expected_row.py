"""Rows that a task expects, and the rows of an episode that their names stand for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stressweb.core.entity import Entity
from stressweb.plugins.expect import ANY, GUEST, Cell, Names
from stressweb.plugins.expected_values import wanted

type Repetition = tuple[str, int]
"""The drawn rows that a pattern is repeated for, and which of them: `("letters", 0)`."""


@dataclass(frozen=True)
class ExpectedRow:
    """One row that is expected: its name, what its columns hold, and what its templates are filled from."""

    name: str
    values: Mapping[str, Cell]
    names: Names
    part: int = 0
    """Which part of a chain expects it: the names by which its rows refer to each other hold within the part."""
    repetition: Repetition | None = None
    """Rows that are repeated for the same drawn row refer to each other, and not to those of another one."""

    def words(self) -> str:
        """Say what the row holds, as far as it is known before an episode."""
        names = BoundRows("").names(self)
        values = ((column, value) for column, value in sorted(self.values.items()) if value != ANY)
        return ", ".join(f"{column} {wanted(value, names)}" for column, value in values)


class BoundRows:
    """What templates of expected rows are filled from besides what was drawn: the visitor, and the rows with a name."""

    def __init__(self, guest: str) -> None:
        """Take the visitor's name; "" if no row is expected of one."""
        self._common = {GUEST: guest} if guest else {}
        self._rows: dict[tuple[int, Repetition | None], dict[str, Any]] = {}

    def names(self, row: ExpectedRow) -> Names:
        """Return what the templates of a row are filled from."""
        return {**row.names, **self._common, **self.of(row.part), **self._rows.get((row.part, row.repetition), {})}

    def bind(self, row: ExpectedRow, final: Entity) -> None:
        """Let other rows refer to it by its name, as the lines of an order refer to the order."""
        if row.name:
            self._rows.setdefault((row.part, row.repetition), {})[row.name] = final

    def of(self, part: int) -> dict[str, Any]:
        """Return the rows of a part of a chain, by name, without those that are repeated."""
        return self._rows.get((part, None), {})

    def by_part(self) -> dict[int, dict[str, Any]]:
        """Return the rows of each part by name, without those that are repeated."""
        return {part: rows for (part, repetition), rows in self._rows.items() if repetition is None}
