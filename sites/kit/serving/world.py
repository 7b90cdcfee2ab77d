"""A site at one world seed."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stressweb.core import draws
from stressweb.core.entity import Entity
from stressweb.plugins.expected_values import lines
from stressweb.plugins.site_world import SiteWorld
from stressweb.sites.kit.data.database import OWN_TABLES, initial_database
from stressweb.sites.kit.data.drawing import Drawing, draw_rows, redrawn, start_time
from stressweb.sites.kit.data.tables import Tables
from stressweb.sites.kit.look import theme
from stressweb.sites.kit.look.pictures import Motif
from stressweb.sites.kit.serving.functions import Functions
from stressweb.sites.kit.serving.session import COOKIE, VisitorSession, is_visitor
from stressweb.sites.kit.spec.site import SiteSpec
from stressweb.sites.kit.wording import hosts, labels, markup

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

WORLD = "stressweb.world"
"""Key of the WSGI environment that holds the world."""

type Logic = Callable[[Any], Mapping[str, Any] | None]
"""A function of a site's `logic.py` or of a mixin; it is called with the `Visit`."""
type Adder = Callable[[Any, list[Entity]], list[Entity]]
"""A function of a site's `logic.py` that adds columns to rows; it is called with the `Visit` and the rows."""


@dataclass(frozen=True)
class SiteCode:
    """The code of a site, besides its spec."""

    application: "WSGIApplication"
    """Serves all worlds of the site; each request has its world in the environment, under `WORLD`."""
    functions: Functions
    """The functions of the site's `logic.py` and of its mixins."""
    files: Mapping[str, str]
    """Texts of all files that affect the pages, by name."""


class KitWorld(SiteWorld):
    """A world of a site with a spec; the seed determines data, look and wording."""

    def __init__(self, site: str, spec: SiteSpec, code: SiteCode, seed: int, redraw: int = 0) -> None:
        """Draw the world of `spec` at `seed`; a `redraw` from 1 on has another start and other data."""
        self._code = code
        self.site, self.seed, self.spec = site, seed, spec
        key = ("site", site, seed)
        # Draw the look first: it determines how wordings write amounts and rows write dates.
        self.look = theme.draw(spec.look, *key, side=spec.frame.has_side, upright=spec.frame.layout == "sidebar")
        self.labels = labels.draw(spec.labels, self.look.money, *key)
        # The host name does not reveal a test, and is the same under every condition.
        self.host = spec.host or hosts.draw(self.labels[spec.frame.name], *key)
        # The seed stays last: functions that draw what all sites of a world share take it from there.
        self._data_key: tuple[draws.Part, ...] = (*key[:-1], "redraw", redraw, seed) if redraw else key
        self.start = start_time(spec, *self._data_key)
        # Derive the secret from the seed, because recorded pages contain tokens made from it, and runs must be
        # reproducible.
        self.secret = draws.digest(*key, "secret", size=16).hex()
        self.entities = draw_rows(spec, self._drawing())
        self.template = initial_database(spec, self.entities)
        tables = {entity.table: entity for entity in spec.entities.values() if entity.table}
        self.generated = {table: frozenset(entity.generated) for table, entity in tables.items()}
        self.derived = {table: frozenset(entity.derived) for table, entity in tables.items()}
        self.marked_up = {table: frozenset(entity.marked_up) for table, entity in tables.items()}
        # Opening any page may change sessions and log, so such changes are neither progress nor harm.
        self.uncounted = OWN_TABLES
        self.form_token = "csrf_token"  # noqa: S105 - the name of a field

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request with the site's application."""
        environ[WORLD] = self
        return self._code.application(environ, start_response)

    def entities_in(self, database: sqlite3.Connection) -> Mapping[str, Sequence[Entity]]:
        """Return the rows of a database, with entities and columns that are derived and not stored."""
        return redrawn(self.spec, self._drawing(), self._drawn_rows, database)

    @cached_property
    def _drawn_rows(self) -> Mapping[str, Sequence[Entity]]:
        """The initial rows, including the columns that the database does not have."""
        # Computed on demand, because episodes do not need it.
        drawing = self._drawing()
        draw_rows(self.spec, drawing)
        return drawing.made

    def _drawing(self) -> Drawing:
        return Drawing(self.start, self.look, self._data_key, self._function)

    def seen(self, text: str) -> str:
        """Return a text with normalised markup and without invisible white space."""
        return lines(markup.tidied(lines(text)))

    def is_guest(self, owner: object) -> bool:
        """Return whether `owner` names a visitor who is not signed in."""
        return is_visitor(owner)

    def sign_in(self, database: sqlite3.Connection, owner: str) -> Mapping[str, str]:
        """Open a session for a person or a visitor and return its cookie."""
        # A task without an owner reads its evidence as a new visitor, who needs no cookie.
        if not owner:
            return {}
        session = VisitorSession.opened_for(Tables(database, self.spec, self.start), self.secret, owner)
        database.commit()
        return {COOKIE: session.cookie}

    def recipe(self) -> Any:
        """Return the spec and the look."""
        return {"spec": self.spec.model_dump(mode="json", exclude_defaults=True), "look": asdict(self.look)}

    @property
    def holder(self) -> str:
        """Name of the person whose browser it is: the first `Person`; empty if the site has no such entity."""
        people = self.entities.get("Person", ())
        return str(people[0].name) if people else ""

    @property
    def motifs(self) -> Mapping[str, Motif]:
        """The motifs of the site's pictures by name: `MOTIFS` of its `logic.py`."""
        return self._code.functions.motifs

    def files(self) -> Mapping[str, str]:
        """Return the site's own code, and the templates and scripts of the kit."""
        return self._code.files

    def logic(self, name: str) -> Logic:
        """Return a function of the site's `logic.py` or of a mixin."""
        function: Logic = self._function(name)
        return function

    def adder(self, name: str) -> Adder:
        """Return a function of the site's `logic.py` that adds columns to rows."""
        function: Adder = self._function(name)
        return function

    def _function(self, name: str) -> Any:
        return self._code.functions.named(name)
