"""What a `site.yaml` may say about its data: entities, their columns, and how pages ask for rows."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from stressweb.core.templates import Bound, Scalar

type Conditions = dict[str, Scalar | Bound]


class Spec(BaseModel, frozen=True, extra="forbid"):
    """Frozen, and nothing that is not declared."""


class Column(Spec):
    """How the values of a column come about: exactly one source. A bare value in YAML is a template or a constant."""

    text: Scalar | None = None
    """A template over the columns before it, the parent (`of`) and the row's number in its parent (`n`)."""
    # Every pydantic model has a method `copy`, so the field cannot bear the name that YAML uses.
    copy_of: Annotated[str | None, Field(alias="copy")] = None
    """Path of a value that is taken over as it is: `product.price`."""
    pick: tuple[Scalar, ...] | str | None = None
    """One of these, or of the list at this path."""
    cycle: tuple[Scalar, ...] | str | None = None
    """These in turn, or those of the list at this path."""
    between: tuple[float, float] | str | None = None
    """A number between these, or between the two at this path, in multiples of `step`."""
    step: float = 1
    chance: float | None = None
    """True with this probability."""
    fake: str | None = None
    """Method of Faker: `name`, `street_address`, `city`."""
    slug: str | None = None
    """A template, made into lower-case words with hyphens."""
    # `from` is a keyword of Python.
    one_of: Annotated[str | None, Field(alias="from")] = None
    """Entity whose row this column names; columns after it read that row under this column's name."""
    where: Conditions = {}
    days: tuple[int, int] | None = None
    """A moment this many days from the start of the world's time; negative is before it."""
    unique: Literal["parent", "all"] | None = None
    """Among which rows no two may have the same value: those of one parent, or all of the entity."""
    stored: bool = True
    """Whether the database has this column, or only the columns after it."""

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return value if isinstance(value, dict) else {"text": value}

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        sources = ("text", "copy_of", "pick", "cycle", "between", "chance", "fake", "slug", "one_of", "days")
        # Compared with None, because 0, false and the empty text are values.
        if sum(getattr(self, source) is not None for source in sources) != 1:
            raise ValueError("needs exactly one of text, copy, pick, cycle, between, chance, fake, slug, from, days")
        return self


class EntitySpec(Spec):
    """A kind of thing: how many there are, what columns they have, and the table that holds them."""

    table: str | None = None
    """Name of the table; without one, the rows exist for tasks alone."""
    per: str | None = None
    """Entity for each row of which there are `count` rows; that row is `of`."""
    where: Conditions = {}
    """Which rows of `per` have any."""
    count: int | tuple[int, int] = 0
    rows: tuple[dict[str, Any], ...] = ()
    """Rows that are given; columns that they lack are drawn."""
    take: int | None = None
    """How many of `rows` a world has, drawn."""
    call: str | None = None
    """Function of the site's logic that gives `rows`, from a `Drawing`."""
    columns: dict[str, Column]
    generated: tuple[str, ...] = ()
    """Columns that the site fills in itself when it adds a row, so that tasks do not name them in `expect`."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        stored = [name for name, column in self.columns.items() if column.stored]
        for name in self.generated:
            # A misspelt column would stay without its exemption, and every task that adds a row would have to name it.
            if name not in stored:
                raise ValueError(f"generated: no column {name!r}; choose from {', '.join(stored)}")
        return self

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        # Links, forms, joins and the upsert of `Tables.put` all find a row by this column.
        if "id" not in self.columns:
            raise ValueError("needs a column id")
        return self


class Source(Spec):
    """Rows of the database, as a page or a widget asks for them."""

    of: str
    where: Conditions = {}
    order: tuple[str, ...] = ()
    limit: int | None = None
    join: dict[str, str] = {}
    """Columns whose value is replaced by the row that it names, by entity."""
