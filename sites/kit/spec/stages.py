"""What rows go through as time moves: a stage for each load of a row's own page, and never by looking elsewhere."""

from collections.abc import Callable
from typing import Annotated, Self

from pydantic import Field, model_validator

from stressweb.core.choices import unknown
from stressweb.sites.kit.spec.strict import Condition, Label, Spec, mistake

COLUMN = "stage"
"""What the label key of a row's stage is read as."""
TABLE = "stage"
STATEMENT = f"CREATE TABLE {TABLE} (id TEXT PRIMARY KEY, at INTEGER NOT NULL)"
"""The table is the kit's own, so that a look, which may move a row on, is neither progress nor harm."""


class Stages(Spec):
    """The stages of an entity's rows in their order; a page that is about a row moves it on with `moves_on`."""

    names: Annotated[tuple[Label, ...], Field(min_length=2)]
    """Label keys; the first load of the page shows the first of them."""
    moves: Condition = ""
    """What must hold of a `row` for time to move for it at all."""
    waits: dict[Label, Condition] = {}
    """Stages that no load ends before a condition holds of the `row`: somebody has to do something first."""

    @model_validator(mode="after")
    def _waits_at_stages(self) -> Self:
        for name in self.waits:
            if name not in self.names:
                raise mistake("Stages", "waits", name, unknown("stage", name, self.names))
        return self

    def shown(self, index: int | None) -> str:
        """Return the stage of a row that was moved on to a number; the first one of a row that never was."""
        return self.names[index or 0]

    def after(self, index: int | None, holds: Callable[[str], bool]) -> int | None:
        """Return the number of the stage that one more load of the row's page leads to; None for none so far.

        `holds` says whether a condition holds of the row.
        """
        if not holds(self.moves):
            return index
        if index is None:
            return 0
        ends = index + 1 < len(self.names) and holds(self.waits.get(self.names[index], ""))
        return index + 1 if ends else index
