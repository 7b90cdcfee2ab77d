"""What a `site.yaml` may say about its data: entities, their columns, and how pages ask for rows."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from stressweb.core.choices import unknown
from stressweb.core.templates import Bound, Scalar
from stressweb.sites.kit.spec.stages import COLUMN, Stages
from stressweb.sites.kit.spec.strict import EntityName, Function, Spec, mistake

type Conditions = dict[str, Scalar | Bound]


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
    """These in turn, or those of the list at this path; texts are templates."""
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
    one_of: Annotated[EntityName | None, Field(alias="from")] = None
    """Entity whose row this column names; columns after it read that row under this column's name."""
    where: Conditions = {}
    days: tuple[int | str, int | str] | None = None
    """A moment this many days from the start of the world's time; negative is before it. A text is a number's path."""
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
    per: EntityName | None = None
    """Entity for each row of which there are `count` rows; that row is `of`."""
    where: Conditions = {}
    """Which rows of `per` have any."""
    count: int | tuple[int, int] = 0
    rows: tuple[dict[str, Any], ...] = ()
    """Rows that are given; columns that they lack are drawn."""
    take: int | None = None
    """How many of `rows` a world has, drawn."""
    call: Function | None = None
    """Function of the site's logic that gives `rows`, from a `Drawing`."""
    columns: dict[str, Column]
    """In a list, a bare name is a column that `rows` or `call` give: `[id, title, {slug: {slug: "{title}"}}]`."""
    copies: dict[str, str] = {}
    """Columns that are taken over as they are, each with the path of its value: `{owner: of.id}`."""
    hidden: tuple[str, ...] = ()
    """Columns that `rows` or `call` give for the columns after them, and that the database does not have."""
    generated: tuple[str, ...] = ()
    """Columns that the site fills in itself when it adds a row, so that tasks do not name them in `expect`. Where one
    of them changes later, as the date on which something was finished, the task names it: `closed: any`."""
    derived: tuple[str, ...] = ()
    """Columns that the site keeps up to date itself, such as the time of the last change; tasks never name them."""
    marked_up: tuple[str, ...] = ()
    """Columns with the text of a rich text field, in which paragraphs, headings and lists count."""
    key: str = ""
    """Column of which the key of a new row is made, as a slug; a number follows if it is taken."""
    owner: str = ""
    """Column that holds whose a row is: a form that names a row of somebody else is refused."""
    unique: tuple[str, ...] = ()
    """Columns in which no two rows, of one owner if there are owners, may say the same; capitals make no difference."""
    stages: Stages | None = None
    """What rows go through as time moves; templates read the label key of a row's stage as `stage`."""

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        columns = value.get("columns")
        if isinstance(columns, list):
            columns = {name: how for entry in columns for name, how in _column(entry).items()}
        if isinstance(columns, dict) and isinstance(copies := value.get("copies"), dict):
            # What the parent says comes first, because other columns may read it; the rest may read them.
            taken = {name: {"copy": path} for name, path in copies.items()}
            early = {name: how for name, how in taken.items() if str(how["copy"]).startswith("of.")}
            columns = {**early, **columns, **taken}
        if isinstance(columns, dict) and isinstance(hidden := value.get("hidden"), list):
            columns = {**columns, **{name: {"copy": name, "stored": False} for name in hidden}}
        return {**value, "columns": columns} if columns is not None else value

    @property
    def stored(self) -> list[str]:
        """The columns that the table has."""
        return [name for name, column in self.columns.items() if column.stored]

    @property
    def readable(self) -> list[str]:
        """The columns that templates can read of a row: those of the table, and the stage where there are stages."""
        return [*self.stored, *([COLUMN] if self.stages else [])]

    @model_validator(mode="after")
    def _names_columns(self) -> Self:
        stored = self.stored
        for field in ("generated", "derived", "marked_up", "unique", "owner", "key"):
            named = getattr(self, field)
            for name in (named,) if isinstance(named, str) else named:
                # A misspelt column would stay without its exemption, or without its guard.
                if name and name not in stored:
                    raise mistake("EntitySpec", field, named, unknown("column", name, stored))
        return self

    @model_validator(mode="after")
    def _has_key(self) -> Self:
        # Links, forms, joins and the upsert of `Tables.put` all find a row by this column.
        if "id" not in self.columns:
            raise ValueError("needs a column id")
        return self

    @model_validator(mode="after")
    def _has_room_for_its_stage(self) -> Self:
        if self.stages and (self.table is None or COLUMN in self.columns):
            raise ValueError(f"stages need a table without a column {COLUMN}")
        return self


def _column(entry: Any) -> dict[str, Any]:
    return entry if isinstance(entry, dict) else {str(entry): {"copy": entry}}


class Source(Spec):
    """Rows of the database, as a page or a widget asks for them."""

    of: EntityName
    where: Conditions = {}
    order: tuple[str, ...] = ()
    limit: int | None = None
    join: dict[str, EntityName] = {}
    """Columns whose value is replaced by the row that it names, by entity."""
