"""Stages that rows go through over time. Only loading a row's own page moves it on, one stage at a time."""

from collections.abc import Callable
from typing import Annotated, Self

from pydantic import Field, model_validator

from stressweb.core.choices import unknown
from stressweb.sites.kit.spec.strict import Condition, Label, Spec, mistake

COLUMN = "stage"
"""Name by which templates read the label key of a row's stage."""
TABLE = "stage"
STATEMENT = f"CREATE TABLE {TABLE} (id TEXT PRIMARY KEY, at INTEGER NOT NULL)"
"""The stages are in a table of the kit, so that viewing a page counts neither as progress nor as harm."""


class Stages(Spec):
    """The stages of an entity's rows, in order; a page about a row moves it on with `moves_on`."""

    names: Annotated[tuple[Label, ...], Field(min_length=2)]
    """Label keys; the first load of the page shows the first stage."""
    moves: Condition = ""
    """Condition on a `row`; if it does not hold, the row stays in its stage."""
    waits: dict[Label, Condition] = {}
    """Stages that do not end before a condition on the `row` holds, because somebody has to act first."""

    @model_validator(mode="after")
    def _waits_at_stages(self) -> Self:
        for name in self.waits:
            if name not in self.names:
                raise mistake("Stages", "waits", name, unknown("stage", name, self.names))
        return self

    def shown(self, index: int | None) -> str:
        """Return the stage with this index; the first stage for a row that was never moved on."""
        return self.names[index or 0]

    def after(self, index: int | None, holds: Callable[[str], bool]) -> int | None:
        """Return the index of the stage after one more load of the row's page; None if the row has not started.

        `holds` returns whether a condition holds for the row.
        """
        if not holds(self.moves):
            return index
        if index is None:
            return 0
        ends = index + 1 < len(self.names) and holds(self.waits.get(self.names[index], ""))
        return index + 1 if ends else index
