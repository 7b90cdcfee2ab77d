"""What a `site.yaml` may say: labels, pages made of widgets, actions, and the data of `entities`."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from sites.kit.entities import Conditions, EntitySpec, Source

type Wordings = Annotated[tuple[str, ...], Field(min_length=1)]


# Nothing undeclared, because a misspelt key would otherwise leave out what it says without a word. The mutable defaults
# below are safe: pydantic copies them for each object.
class Spec(BaseModel, frozen=True, extra="forbid"):
    """Frozen, and nothing that is not declared."""


class FieldSpec(Spec):
    """A field of a form: what it asks, and what it accepts."""

    type: Literal[
        "text", "email", "password", "integer", "long", "choice", "flag", "hidden", "date", "time", "rows"
    ] = "text"
    """A date is written as 2025-01-31, a time as 09:30; `rows` are the keys of the rows that were ticked."""
    label: str = ""
    """Label key; the field's name unless said otherwise."""
    options: dict[str, str] = {}
    """Value and label key of each option of a choice."""
    choices: Source | None = None
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
    """Entity whose key this field must hold, or keys; operations read that row, or rows, under the field's name."""
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

    part: Literal[
        "name", "picture", "price", "rating", "text", "fact", "link", "button", "form", "items", "badge", "time"
    ]
    text: str = ""
    """Template of what is shown."""
    label: str = ""
    """Label key of what is shown, or of the name before it."""
    word: bool = False
    """Whether the text is a label key, of which the wording is shown."""
    day: bool = False
    """Whether the text is a date, which is shown in words."""
    prop: str = ""
    """The itemprop that the text is."""
    content: str = ""
    """Template of the property's value where it is not the text."""
    href: str = ""
    """Template of a path; a button that has one asks for that page."""
    action: str = ""
    send: dict[str, str] = {}
    """Hidden fields of the form, templates."""
    source: Source | None = None
    row: str = ""
    """Path of the rows that `items` shows, where no source is asked for them."""
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

    widget: Literal[
        "hero", "items", "item", "listing", "form", "text", "links", "progress", "totals",
        "bar", "ask", "month", "days", "agenda", "batch"
    ]  # fmt: skip
    title: str = ""
    """Label key of the heading; the wording is a template over the page."""
    text: str = ""
    source: Source | None = None
    row: str = ""
    """Name of the page's row that an `item` shows, or of the rows that others show where they have no source."""
    type: str = ""
    """The schema.org type of the items."""
    show: tuple[Part, ...] = ()
    style: str = ""
    action: str = ""
    actions: tuple[str, ...] = ()
    """What a `batch` can do with the rows that are ticked; each bears its own label."""
    send: dict[str, str] = {}
    fields: dict[str, FieldSpec] = {}
    """What an `ask` asks; the answer stands in the query of `path`."""
    path: str = ""
    """Template of the path that an `ask` leads to, or that an `agenda` gets its items from."""
    widgets: tuple["Widget", ...] = ()
    """What stands side by side in a `bar`."""
    label: str = ""
    links: dict[str, str] = {}
    """Label key and path of each link."""
    empty: str = ""
    """Label key of what is said where there is nothing."""
    filters: dict[str, Filter] = {}
    sorts: dict[str, Option] = {}
    search: tuple[str, ...] = ()
    """Columns in which a listing looks for the words of `q`."""
    # A multiple of 1, 2, 3 and 4: so many items may stand side by side, and the last row of a full page is full.
    per_page: int = 24
    at: int = 0
    """Which step of a progress bar is the current one, counted from 1."""
    numbers: str = ""
    """Path that must hold something for a month to number its weeks."""
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
    then: str = ""
    """Template of the path where the page really is; whoever asks for this one is sent there."""
    widgets: tuple[Widget, ...] = ()
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
    menu: Source | None = None
    """Rows that the menu leads to, each by its name."""
    menu_path: str = ""
    sections: dict[str, str] = {}
    """Label key and path of what else the menu leads to."""
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


class FeedSpec(Spec):
    """What a page's script asks for: where, and the function of the site's logic that answers."""

    path: str
    load: str


class SiteSpec(Spec):
    """A whole site."""

    host: str
    since: date
    """First day on which a world may start, as 2025-01-31."""
    within: int
    """Days from `since` on which worlds start."""
    labels: dict[str, Wordings | str]
    """Wordings of each label; a single one does not vary."""
    people: People | None = None
    """Nobody signs in where there are none."""
    frame: Frame
    entities: dict[str, EntitySpec]
    pages: dict[str, PageSpec]
    feeds: dict[str, FeedSpec] = {}
    actions: dict[str, ActionSpec]
