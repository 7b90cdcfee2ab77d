"""The exact change of the database for a task's goal, as `expect` in its file.

For each table, `expect` lists the added, altered and removed rows; everything else must stay unchanged.
`stressweb/plugins/expected.py` compares an episode with it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from stressweb.core.templates import Bound, Scalar

ANY = "any"
"""Written instead of a value: the column may have any value."""
GUEST = "guest"
"""Written instead of a value: the visitor who did the task without signing in, the same one in every row."""

type Cell = Scalar | Bound
type Names = Mapping[str, Any]


class Pattern(BaseModel):
    """One or several rows: which initial rows (`where`), how often (`each`), and the final values of their columns."""

    # Columns are further keys. Only the world knows them, so `Expected` checks them.
    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Cell] = Field(init=False)

    # Other names than in YAML, because `as` and `from` are keywords of Python.
    name: Annotated[str, Field(alias="as")] = ""
    """Name by which other patterns and `evidence` refer to the final row."""
    copied: Annotated[str, Field(alias="from")] = ""
    """A drawn row from which columns of the same name are copied."""
    each: dict[str, str] = {}
    """A name for the row, and the drawn rows for each of which the pattern is repeated: `{product: products}`."""
    where: dict[str, Cell] = {}
    """Conditions on the initial rows that are altered."""

    @property
    def values(self) -> dict[str, Cell]:
        """The final value of each column."""
        return self.__pydantic_extra__

    @model_validator(mode="after")
    def _one_name(self) -> Self:
        if len(self.each) > 1:
            raise ValueError("each takes one name and the rows to loop over")
        return self


class TablePatterns(BaseModel):
    """The expected changes of one table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    added: tuple[Pattern, ...] = ()
    altered: tuple[Pattern, ...] = ()
    removed: tuple[dict[str, Cell], ...] = ()
    """Conditions on the initial rows that are removed."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for pattern in self.altered:
            # Without `where` it would match every row of the table; without a column it would change nothing.
            if not pattern.where or not pattern.values:
                raise ValueError("an altered row needs `where` and at least one column")
            if pattern.copied:
                raise ValueError("`from` is for added rows")
        if any(pattern.where for pattern in self.added):
            raise ValueError("`where` is for altered rows: an added row does not exist at the start")
        return self


type Expect = dict[str, TablePatterns]
