"""The models of `site.yaml`: labels, pages made of widgets, actions, and the data in `entities`."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from stressweb.core.choices import unknown
from stressweb.core.templates import Scalar
from stressweb.sites.kit.look import icons
from stressweb.sites.kit.spec.entities import Conditions, EntitySpec, Source
from stressweb.sites.kit.spec.fields import Fields
from stressweb.sites.kit.spec.strict import (
    Action,
    Condition,
    EntityName,
    Function,
    Label,
    PageName,
    Spec,
    Template,
    mistake,
)
from stressweb.sites.kit.spec.widgets import AnyWidget

type Wordings = Annotated[tuple[str, ...], Field(min_length=1)]
type Host = Annotated[str, Field(pattern=r"^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$")]
"""A lower-case host name with at least one dot, such as www.harbourandsalt.com."""


class Operation(Spec):
    """One change that an action makes: exactly one of insert, update, delete and call."""

    insert: EntityName | None = None
    """Entity to which the row `values` is added; a row with the same id is overwritten."""
    update: EntityName | None = None
    delete: EntityName | None = None
    call: Function | None = None
    values: dict[str, Scalar] = {}
    """Columns and their values: templates or numbers."""
    where: Conditions = {}

    @model_validator(mode="after")
    def _check_one_operation(self) -> Self:
        if sum(getattr(self, kind) is not None for kind in ("insert", "update", "delete", "call")) != 1:
            raise ValueError("needs exactly one of insert, update, delete, call")
        return self


class ActionSpec(Spec):
    """What a POST request does: check fields, perform operations, show the flash message on the next page."""

    path: str
    signed_in: bool = False
    fields: Fields = {}
    allow_when: dict[Label, Condition] = {}
    """Conditions for the action, each under the label key of the message if it does not hold."""
    do: tuple[Operation, ...] = ()
    flash: Label | None = None
    """Label key of the message; the wording is a template over the fields' rows."""
    then: Template = "{back}"
    """Template of the next page's path; `back` is the page with the form."""


class PageSpec(Spec):
    """A page: its path, the rows that it loads, and its widgets in order."""

    path: str
    title: Label
    """Label key of title and heading; the wording is a template over the page."""
    signed_in: bool = False
    rows: dict[str, Source] = {}
    """Rows that the page is about, by name; if one is missing, the page does not exist."""
    moves_on: str = ""
    """Which of `rows` each load of the page moves to its next stage; its entity needs `stages`."""
    load: Function = ""
    """Function of the site's logic that returns further values for templates."""
    then: Template = ""
    """Template of a path to which the page redirects."""
    widgets: tuple[AnyWidget, ...] = ()
    crumbs: dict[Label, Template] = {}
    """Label keys and paths of the breadcrumbs."""


class People(Spec):
    """The people who can sign in: their entity, and the page for it."""

    entity: EntityName
    sign_in: PageName = ""
    """Name of the page for signing in."""
    known: bool = False
    """Whether visitors are signed in from the start, as the first row of the entity."""
    new: dict[str, Scalar] = {}
    """Columns of a new person that the form for registration does not ask for, as templates."""
    enters: Function = ""
    """Function of the site's logic that runs before somebody is signed in; `person` is their row."""


def _icon(name: str) -> str:
    if name and name not in icons.shapes():
        raise ValueError(unknown("icon", name, icons.shapes()))
    return name


type Icon = Annotated[str, AfterValidator(_icon)]
"""Name of a Bootstrap icon, such as house-door; empty for no icon."""


class Frame(Spec):
    """The frame of every page: navigation, search, banner, footer."""

    name: Label
    """Label key of the site's name."""
    layout: Literal["app", "sidebar", "split", "storefront", "topbar"] = "topbar"
    """Layout of the frame: the template with this name in `templates/frames`."""
    logo: Icon = ""
    """Icon beside the site's name; by default the first letter of the name."""
    icons: dict[Label, Icon] = {}
    """Icons of labels, which links and buttons show before the wording; the kit's icons are inherited."""
    primary: Label = ""
    """Label key in `sections` or `links` of the main action, which is shown as a button."""
    shortcut: Label = ""
    """Label key of the link, such as the basket, that a narrow window shows as an icon in the header while the menu is
    closed. A wide window shows it with the other links."""
    menu: Source | None = None
    """Rows that the menu links to, each by its name."""
    menu_path: Template = ""
    menu_icon: Icon = ""
    """Icon before each row of the menu."""
    sections: dict[Label, Template] = {}
    """Label keys and paths of further links in the menu."""
    search: PageName = ""
    """Name of the search page."""
    suggests: Template = ""
    """Path of the feed whose suggestions are shown below the search field during typing."""
    links: dict[Label, Template] = {}
    visitor: dict[Label, Template] = {}
    """Links for people who are not signed in."""
    member: dict[Label, Template] = {}
    """Links for people who are signed in."""
    leave: Action = ""
    """Action that signs out."""
    accounts: Source | None = None
    """Accounts that are signed in at the same time; every page has a menu of their names."""
    switch: Action = ""
    """Action that switches to another of these accounts: it gets the account's key as `account`, and its label is a
    template over that row."""
    meter: Function = ""
    """Function of the site's logic that returns the used share of a quota: `said`, in words, and `percent`."""
    footer: dict[Label, Template] = {}
    banner: Action = ""
    """Action that dismisses the banner, whose text is the label `banner`."""
    toasts: bool = False
    """Whether the message of an action is shown in a corner of the window, until people close it or open another
    page."""
    rendering: Literal["server", "browser"] = "server"
    """Where pages are rendered: on the server, or by a script that requests each page as JSON in the same document."""
    shadow_roots: bool = False
    """Whether each block of a page has a shadow root; this needs `rendering: browser`."""
    badge: dict[Label, Function] = {}
    """Functions of the site's logic that return the number beside a link, by the link's label key."""

    @property
    def has_side(self) -> bool:
        """Whether the frame has a column to the left of the content."""
        return self.layout in ("sidebar", "split")

    @model_validator(mode="after")
    def _check_links(self) -> Self:
        links = {**self.sections, **self.links}
        for key, label in (("primary", self.primary), ("shortcut", self.shortcut)):
            if label and label not in links:
                raise mistake("Frame", key, label, unknown("link", label, links))
        if self.shadow_roots and self.rendering != "browser":
            raise ValueError("shadow_roots needs rendering: browser")
        return self


class FeedSpec(Spec):
    """A path that scripts request, and the function of the site's logic that answers."""

    path: str
    load: Function


class DownloadSpec(Spec):
    """The path of a file, and the function of the site's logic that returns the file as a `Download`."""

    path: str
    load: Function


class SiteSpec(Spec):
    """A whole site."""

    host: Host | None = None
    """Host name of every world. By default, each world draws an ordinary host name based on its site's name."""
    since: date
    """First day on which the time of a world can start, such as 2025-01-31."""
    within: int
    """Number of days, from `since` on, on which worlds can start."""
    use: tuple[str, ...] = ()
    """Mixins: ready-made parts of a site, with pages, actions and labels."""
    labels: dict[str, Wordings | str] = {}
    """Wordings of each label; a single wording does not vary. Labels of the kit and of mixins are inherited."""
    look: dict[str, tuple[Scalar, ...]] = {}
    """Further properties of the look and their choices; each world draws one, which templates read as
    `look.own.NAME`."""
    people: People | None = None
    """The people who can sign in; without this key, the site has no sign-in."""
    frame: Frame
    entities: dict[str, EntitySpec]
    pages: dict[str, PageSpec]
    feeds: dict[str, FeedSpec] = {}
    downloads: dict[str, DownloadSpec] = {}
    actions: dict[str, ActionSpec] = {}

    @model_validator(mode="after")
    def _moves_rows_on(self) -> Self:
        staged = {name for name, entity in self.entities.items() if entity.stages}
        for name, page in self.pages.items():
            known = [row for row, source in page.rows.items() if source.of in staged]
            if page.moves_on and page.moves_on not in known:
                problem = unknown("row with stages", page.moves_on, known)
                raise mistake("SiteSpec", "pages", page.moves_on, f"{name}: {problem}")
        return self
