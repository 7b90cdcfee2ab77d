"""What a `site.yaml` may say: labels, pages made of widgets, actions, and the data of `entities`."""

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
"""A name in lower case with a dot in it, such as www.harbourandsalt.com."""


class Operation(Spec):
    """One change that an action makes: exactly one of insert, update, delete and call."""

    insert: EntityName | None = None
    """Entity that gains, or whose row of the same id is replaced by, the row `values`."""
    update: EntityName | None = None
    delete: EntityName | None = None
    call: Function | None = None
    values: dict[str, Scalar] = {}
    """Columns and their values: a template, or a number as it is."""
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
    fields: Fields = {}
    allow_when: dict[Label, Condition] = {}
    """What must hold for the action to be done, each under the label key of what is said if it does not."""
    do: tuple[Operation, ...] = ()
    flash: Label | None = None
    """Label key; the wording is a template over the fields' rows."""
    then: Template = "{back}"
    """Template of the path that follows; `back` is the page that the form was on."""


class PageSpec(Spec):
    """A page: where it is, what it loads, and its widgets in order."""

    path: str
    title: Label
    """Label key of title and heading; the wording is a template over the page."""
    signed_in: bool = False
    rows: dict[str, Source] = {}
    """Rows that the page is about, by name: none found, the page does not exist."""
    moves_on: str = ""
    """Which of `rows` each load of the page moves on to its next stage; its entity has `stages`."""
    load: Function = ""
    """Function of the site's logic that adds to what templates read."""
    then: Template = ""
    """Template of the path where the page really is; whoever asks for this one is sent there."""
    widgets: tuple[AnyWidget, ...] = ()
    crumbs: dict[Label, Template] = {}
    """Label key and path of what lies above."""


class People(Spec):
    """Who can sign in: the entity, and where they do."""

    entity: EntityName
    sign_in: PageName = ""
    """Name of the page."""
    known: bool = False
    """Whether the site knows its visitors from the start: they are signed in as the first row of the entity."""
    new: dict[str, Scalar] = {}
    """Columns of somebody who registers that the form does not ask for, as templates."""
    enters: Function = ""
    """Function of the site's logic that is called before somebody is signed in; `person` is who comes."""


def _icon(name: str) -> str:
    if name and name not in icons.shapes():
        raise ValueError(unknown("icon", name, icons.shapes()))
    return name


type Icon = Annotated[str, AfterValidator(_icon)]
"""Name of one of Bootstrap's icons, such as house-door; "" for no icon."""


class Frame(Spec):
    """What every page carries: navigation, search, banner, footer."""

    name: Label
    """Label key of the site's name."""
    layout: Literal["app", "sidebar", "split", "storefront", "topbar"] = "topbar"
    """Where all of it stands: the template of this name in `templates/frames`."""
    logo: Icon = ""
    """Icon beside the site's name; without one, the first letter of the name."""
    icons: dict[Label, Icon] = {}
    """Icon before the wording of a label, wherever links and buttons have it; those of the kit need not be repeated."""
    primary: Label = ""
    """Which of `sections` and `links` is the main thing to do, and stands out of them as a button."""
    menu: Source | None = None
    """Rows that the menu leads to, each by its name."""
    menu_path: Template = ""
    menu_icon: Icon = ""
    """Icon before each of these rows."""
    sections: dict[Label, Template] = {}
    """Label key and path of what else the menu leads to."""
    search: PageName = ""
    """Name of the page that searches."""
    suggests: Template = ""
    """Path of the feed whose answers stand below the search field while it is typed in."""
    links: dict[Label, Template] = {}
    visitor: dict[Label, Template] = {}
    """Links for who is not signed in."""
    member: dict[Label, Template] = {}
    """Links for who is signed in."""
    leave: Action = ""
    """Action that signs out."""
    accounts: Source | None = None
    """Accounts that are signed in side by side, each by its name; the menu of them stands on every page."""
    switch: Action = ""
    """Action that goes on as another of them: it gets the key of the account as `account`, and its label is filled
    with that row."""
    meter: Function = ""
    """Function of the site's logic that returns how much of something is used: `said`, in words, and `percent`."""
    footer: dict[Label, Template] = {}
    banner: Action = ""
    """Action that dismisses the banner, of which it bears the label."""
    toasts: bool = False
    """Whether what an action did is said in a corner of the window, until it is closed or another page is opened."""
    rendering: Literal["server", "browser"] = "server"
    """Who makes the documents: the server, or a script that asks for each page as JSON and stays from page to page."""
    shadow_roots: bool = False
    """Whether each block of a page is an element with a shadow root; `rendering: browser` alone has them."""
    badge: dict[Label, Function] = {}
    """Function of the site's logic that counts what stands beside a link, by the link's label key."""

    @property
    def has_side(self) -> bool:
        """Whether a column at the left takes room from the content."""
        return self.layout in ("sidebar", "split")

    @model_validator(mode="after")
    def _drawn(self) -> Self:
        if self.primary and self.primary not in {**self.sections, **self.links}:
            message = unknown("link", self.primary, [*self.sections, *self.links])
            raise mistake("Frame", "primary", self.primary, message)
        if self.shadow_roots and self.rendering != "browser":
            raise ValueError("shadow_roots needs rendering: browser")
        return self


class FeedSpec(Spec):
    """What a page's script asks for: where, and the function of the site's logic that answers."""

    path: str
    load: Function


class DownloadSpec(Spec):
    """A file that people get: where, and the function of the site's logic that returns it as a `Download`."""

    path: str
    load: Function


class SiteSpec(Spec):
    """A whole site."""

    host: Host | None = None
    """The name under which every world is served. Without it, each world draws an ordinary one from its own name."""
    since: date
    """First day on which a world may start, as 2025-01-31."""
    within: int
    """Days from `since` on which worlds start."""
    use: tuple[str, ...] = ()
    """Mixins: parts of a site that the kit has ready, with pages, actions and labels."""
    labels: dict[str, Wordings | str] = {}
    """Wordings of each label; a single one does not vary. Those of the kit and of mixins need not be repeated."""
    look: dict[str, tuple[Scalar, ...]] = {}
    """What else of the look differs between worlds: templates read what was drawn as `look.own.NAME`."""
    people: People | None = None
    """Nobody signs in where there are none."""
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
