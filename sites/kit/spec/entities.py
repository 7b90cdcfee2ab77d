"""The models of the data in `site.yaml`: entities, their columns, and sources of rows for pages."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from stressweb.core.choices import unknown
from stressweb.core.templates import Bound, Scalar
from stressweb.sites.kit.spec.stages import COLUMN, Stages
from stressweb.sites.kit.spec.strict import EntityName, Function, Spec, mistake

type Conditions = dict[str, Scalar | Bound]


class Column(Spec):
    """Where the values of a column come from: exactly one source. A plain value in YAML is a template or a constant."""

    text: Scalar | None = None
    """A template over earlier columns, the parent row (`of`) and the row's number in its parent (`n`)."""
    # Every pydantic model has a method `copy`, so the field cannot have the same name as in YAML.
    copy_of: Annotated[str | None, Field(alias="copy")] = None
    """Path of a value to copy, such as `product.price`."""
    pick: tuple[Scalar, ...] | str | None = None
    """Choices, or the path of a list of choices; one is drawn."""
    cycle: tuple[Scalar, ...] | str | None = None
    """Values to take in turn, or the path of a list of values; texts are templates."""
    between: tuple[float, float] | str | None = None
    """Lower and upper limit of a drawn number, or the path of both; it is the lower limit plus a multiple of `step`."""
    step: float = 1
    chance: float | None = None
    """Probability of 1; otherwise the value is 0."""
    fake: str | None = None
    """Method of Faker, such as `name`, `street_address` or `city`."""
    slug: str | None = None
    """A template whose text is turned into lower-case words with hyphens."""
    # `from` is a keyword of Python.
    one_of: Annotated[EntityName | None, Field(alias="from")] = None
    """Entity from which a row is drawn; the value is its key, and later columns read the row by this column's name."""
    where: Conditions = {}
    days: tuple[int | str, int | str] | None = None
    """A moment between two numbers of days from the start of the world's time, negative if before it. A text is the
    path of a number."""
    unique: Literal["parent", "all"] | None = None
    """Which rows must have different values: those of one parent, or all rows of the entity."""
    stored: bool = True
    """Whether the database stores this column; if not, only later columns can read it."""

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return value if isinstance(value, dict) else {"text": value}

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        sources = ("text", "copy_of", "pick", "cycle", "between", "chance", "fake", "slug", "one_of", "days")
        # Compare with None, because 0, false and the empty text are valid.
        if sum(getattr(self, source) is not None for source in sources) != 1:
            raise ValueError("needs exactly one of text, copy, pick, cycle, between, chance, fake, slug, from, days")
        return self


class EntitySpec(Spec):
    """A kind of row: the number of rows, their columns, and the table that stores them."""

    table: str | None = None
    """Name of the table; without one, only tasks can use the rows."""
    per: EntityName | None = None
    """Parent entity: there are `count` rows for each of its rows, which columns read as `of`."""
    where: Conditions = {}
    """Which rows of `per` get rows."""
    count: int | tuple[int, int] = 0
    rows: tuple[dict[str, Any], ...] = ()
    """Given rows; missing columns are drawn."""
    take: int | None = None
    """Number of `rows` that a world has; which ones is drawn."""
    call: Function | None = None
    """Function of the site's logic that takes a `Drawing` and returns `rows`."""
    columns: dict[str, Column]
    """In a list, a plain name is a column that `rows` or `call` provide: `[id, title, {slug: {slug: "{title}"}}]`."""
    copies: dict[str, str] = {}
    """Columns that are copied, each with the path of its value: `{owner: of.id}`."""
    hidden: tuple[str, ...] = ()
    """Columns that `rows` or `call` provide for other columns, and that the database does not store."""
    generated: tuple[str, ...] = ()
    """Columns that the site sets when it adds a row, so that tasks do not name them in `expect`. If the site changes
    one later, such as the date of completion, the task names it: `closed: any`."""
    derived: tuple[str, ...] = ()
    """Columns that the site keeps up to date, such as the time of the last change; tasks never name them."""
    marked_up: tuple[str, ...] = ()
    """Columns with rich text, in which paragraphs, headings and lists matter to comparisons."""
    key: str = ""
    """Column whose slug is the key of a new row; a number is appended if it is taken."""
    owner: str = ""
    """Column with the owner of a row; a form that names somebody else's row is refused."""
    unique: tuple[str, ...] = ()
    """Columns in which no two rows (of the same owner, if rows have owners) may have the same text, ignoring case."""
    stages: Stages | None = None
    """Stages that rows go through over time; templates read the label key of a row's stage as `stage`."""

    @model_validator(mode="before")
    @classmethod
    def _expanded_columns(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        columns = value.get("columns")
        if isinstance(columns, list):
            columns = {name: how for entry in columns for name, how in _column(entry).items()}
        if isinstance(columns, dict) and isinstance(copies := value.get("copies"), dict):
            # Copies from the parent come first, because other columns may read them. Other copies come last, because
            # they may read other columns.
            copied_columns = {name: {"copy": path} for name, path in copies.items()}
            early = {name: how for name, how in copied_columns.items() if str(how["copy"]).startswith("of.")}
            columns = {**early, **columns, **copied_columns}
        if isinstance(columns, dict) and isinstance(hidden := value.get("hidden"), list):
            columns = {**columns, **{name: {"copy": name, "stored": False} for name in hidden}}
        return {**value, "columns": columns} if columns is not None else value

    @property
    def stored(self) -> list[str]:
        """The names of the columns of the table."""
        return [name for name, column in self.columns.items() if column.stored]

    @property
    def readable(self) -> list[str]:
        """The columns that templates can read: those of the table, and the stage if the entity has stages."""
        return [*self.stored, *([COLUMN] if self.stages else [])]

    @model_validator(mode="after")
    def _check_column_names(self) -> Self:
        stored = self.stored
        for field in ("generated", "derived", "marked_up", "unique", "owner", "key"):
            named = getattr(self, field)
            for name in (named,) if isinstance(named, str) else named:
                # A misspelt column would silently have no effect.
                if name and name not in stored:
                    raise mistake("EntitySpec", field, named, unknown("column", name, stored))
        return self

    @model_validator(mode="after")
    def _check_key(self) -> Self:
        # Links, forms, joins and the upsert of `Tables.put` all find a row by this column.
        if "id" not in self.columns:
            raise ValueError("needs a column id")
        return self

    @model_validator(mode="after")
    def _can_have_stages(self) -> Self:
        if self.stages and (self.table is None or COLUMN in self.columns):
            raise ValueError(f"stages need a table without a column {COLUMN}")
        return self


def _column(entry: Any) -> dict[str, Any]:
    return entry if isinstance(entry, dict) else {str(entry): {"copy": entry}}


class Source(Spec):
    """Rows of the database for a page or a widget."""

    of: EntityName
    where: Conditions = {}
    order: tuple[str, ...] = ()
    limit: int | None = None
    join: dict[str, EntityName] = {}
    """Columns in which a key is replaced by its row, each with the entity of the row."""
    adds: dict[Function, tuple[str, ...]] = {}
    """Functions of the site's logic that are called with the rows, and return them with these further columns."""
