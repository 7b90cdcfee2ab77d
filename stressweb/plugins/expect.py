"""The exact change of the database for a task's goal, as written in its file.

`expect` names tables. For each table it lists the added, altered and removed rows; everything else must stay as it was.
`stressweb/plugins/expected.py` compares an episode with it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from stressweb.core.templates import Bound, Scalar

ANY = "any"
"""Written in place of a value: the column may hold anything."""
GUEST = "guest"
"""Written in place of a value: the visitor who did the task without signing in; the same one in every row."""

type Cell = Scalar | Bound
type Names = Mapping[str, Any]


class Pattern(BaseModel):
    """One or several rows: which of the start (`where`), how often (`each`), and what their columns hold afterwards."""

    # Columns are written beside the fields below, and only the world knows them: `Expected` checks them.
    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Cell] = Field(init=False)

    # `as` and `from` are keywords of Python, so the fields cannot have the names that YAML uses.
    name: Annotated[str, Field(alias="as")] = ""
    """Name by which other patterns and `evidence` refer to the row as it is at the end."""
    copied: Annotated[str, Field(alias="from")] = ""
    """A drawn row; the columns of the table that it has, too, hold its values."""
    each: dict[str, str] = {}
    """One name for the row, and the drawn rows for each of which the pattern stands: `{product: products}`."""
    where: dict[str, Cell] = {}
    """Which rows of the start are altered."""

    @property
    def values(self) -> dict[str, Cell]:
        """What each column holds afterwards."""
        return self.__pydantic_extra__

    @model_validator(mode="after")
    def _one_name(self) -> Self:
        if len(self.each) > 1:
            raise ValueError("each takes one name and the rows to loop over")
        return self


class TablePatterns(BaseModel):
    """What is expected of one table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    added: tuple[Pattern, ...] = ()
    altered: tuple[Pattern, ...] = ()
    removed: tuple[dict[str, Cell], ...] = ()
    """Conditions on the rows of the start that are removed."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for pattern in self.altered:
            # Without `where` it would stand for every row of the table, and without a column for no change at all.
            if not pattern.where or not pattern.values:
                raise ValueError("an altered row needs `where` and at least one column")
            if pattern.copied:
                raise ValueError("`from` is for added rows")
        if any(pattern.where for pattern in self.added):
            raise ValueError("`where` is for altered rows: an added row was not there at the start")
        return self


type Expect = dict[str, TablePatterns]
