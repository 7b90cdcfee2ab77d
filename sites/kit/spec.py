"""What a `site.yaml` may say: labels, data, pages made of widgets, and actions."""

from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from stressweb.tasks import Bound, Scalar

type Wordings = Annotated[tuple[str, ...], Field(min_length=1)]
type Conditions = dict[str, Scalar | Bound]


class Spec(BaseModel):
    """Frozen, and nothing that is not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(Spec):
    """How the values of a column come about: exactly one source. A bare value in YAML is a template or a constant."""

    text: Scalar | None = None
    """A template over the columns before it, the parent (`of`) and the row's number in its parent (`n`)."""
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
    columns: dict[str, Column]

    @model_validator(mode="after")
    def _has_key(self) -> Self:
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


class FieldSpec(Spec):
    """A field of a form: what it asks, and what it accepts."""

    type: Literal["text", "email", "password", "integer", "long", "choice", "flag", "hidden"] = "text"
    label: str = ""
    """Label key; the field's name unless said otherwise."""
    options: dict[str, str] = {}
    """Value and label key of each option of a choice."""
    choices: "Source | None" = None
    """Rows that are the options of a choice, each said as `says`."""
    says: str = ""
    value: str = ""
    """Template of what stands in the field at first."""
    required: bool = True
    low: int | None = None
    high: int | None = None
    length: int = 200
    """Most characters that are accepted."""
    same_as: str | None = None
    """Field that must hold the same value."""
    pattern: str | None = None
    row: str | None = None
    """Entity whose key this field must hold; operations read that row under the field's name."""
    autocomplete: str = "off"


class Operation(Spec):
    """One change that an action makes: exactly one of insert, update, delete and call."""

    insert: str | None = None
    """Entity that gains, or whose row of the same id is replaced by, the row `values`."""
    update: str | None = None
    delete: str | None = None
    call: str | None = None
    """Function of the site's logic."""
    values: dict[str, str] = {}
    where: Conditions = {}

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(getattr(self, kind) is not None for kind in ("insert", "update", "delete", "call")) != 1:
            raise ValueError("needs exactly one of insert, update, delete, call")
        return self


class ActionSpec(Spec):
    """What a POST does: its fields are checked, its operations done, its flash shown on the page that follows."""

    path: str
    signed_in: bool = False
    fields: dict[str, FieldSpec] = {}
    do: tuple[Operation, ...] = ()
    flash: str | None = None
    """Label key; the wording is a template over the fields' rows."""
    then: str = "{back}"
    """Template of the path that follows; `back` is the page that the form was on."""


class Part(Spec):
    """A piece of an item: which macro shows it, and what it is given."""

    part: Literal["name", "picture", "price", "rating", "text", "fact", "link", "button", "form", "items", "badge"]
    text: str = ""
    """Template of what is shown."""
    label: str = ""
    """Label key of what is shown, or of the name before it."""
    word: bool = False
    """Whether the text is a label key, of which the wording is shown."""
    prop: str = ""
    """The itemprop that the text is."""
    content: str = ""
    """Template of the property's value where it is not the text."""
    href: str = ""
    action: str = ""
    send: dict[str, str] = {}
    """Hidden fields of the form, templates."""
    source: Source | None = None
    type: str = ""
    show: tuple["Part", ...] = ()
    style: str = ""
    when: str = ""
    """Path that must hold something for the part to be shown; a leading `not ` turns it round."""


class Option(Spec):
    """A filter or an order of a listing."""

    label: str
    where: Conditions = {}
    order: tuple[str, ...] = ()


class Filter(Spec):
    """One field of a listing's filter: a choice among options, or a single box."""

    label: str
    options: dict[str, Option] = {}
    box: Conditions = {}


class Widget(Spec):
    """A block of a page: which widget of the library shows it, and what it is given."""

    widget: Literal["hero", "items", "item", "listing", "form", "text", "links", "progress", "totals"]
    title: str = ""
    """Label key of the heading; the wording is a template over the page."""
    text: str = ""
    source: Source | None = None
    row: str = ""
    """Name of the page's row that an `item` shows."""
    type: str = ""
    """The schema.org type of the items."""
    show: tuple[Part, ...] = ()
    style: str = ""
    action: str = ""
    send: dict[str, str] = {}
    label: str = ""
    links: dict[str, str] = {}
    """Label key and path of each link."""
    empty: str = ""
    """Label key of what is said where there is nothing."""
    filters: dict[str, Filter] = {}
    sorts: dict[str, Option] = {}
    search: tuple[str, ...] = ()
    """Columns in which a listing looks for the words of `q`."""
    per_page: int = 24
    at: int = 0
    """Which step of a progress bar is the current one, counted from 1."""
    when: str = ""


class PageSpec(Spec):
    """A page: where it is, what it loads, and its widgets in order."""

    path: str
    title: str
    """Label key of title and heading; the wording is a template over the page."""
    signed_in: bool = False
    rows: dict[str, Source] = {}
    """Rows that the page is about, by name: none found, the page does not exist."""
    load: str = ""
    """Function of the site's logic that adds to what templates read."""
    widgets: tuple[Widget, ...]
    crumbs: dict[str, str] = {}
    """Label key and path of what lies above."""


class People(Spec):
    """Who can sign in: the entity, and where they do."""

    entity: str
    sign_in: str
    """Name of the page."""


class Frame(Spec):
    """What every page carries: navigation, search, banner, footer."""

    name: str
    """Label key of the site's name."""
    menu: Source
    menu_path: str
    search: str = ""
    """Name of the page that searches."""
    links: dict[str, str] = {}
    visitor: dict[str, str] = {}
    """Links for who is not signed in."""
    member: dict[str, str] = {}
    """Links for who is signed in."""
    leave: str = ""
    """Action that signs out."""
    footer: dict[str, str] = {}
    banner: str = ""
    """Action that dismisses the banner, of which it bears the label."""
    badge: str = ""
    """Template of the number that stands beside the last of `links`."""


class SiteSpec(Spec):
    """A whole site."""

    host: str
    since: date
    """First day on which a world may start, as 2025-01-31."""
    within: int
    """Days from `since` on which worlds start."""
    labels: dict[str, Wordings | str]
    """Wordings of each label; a single one does not vary."""
    people: People
    frame: Frame
    entities: dict[str, EntitySpec]
    pages: dict[str, PageSpec]
    actions: dict[str, ActionSpec]
