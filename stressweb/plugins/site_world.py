"""The base of a site's worlds, the interface for tasks, servers and checkpoints."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stressweb.core.entity import Entity
from stressweb.plugins.database import Snapshot
from stressweb.plugins.expected_values import lines

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

# One application serves all episodes of a world concurrently, so each request carries its database.
DATABASE = "stressweb.database"
"""Key of the episode's open `sqlite3.Connection` in the WSGI environment."""


class SiteWorld(ABC):
    """One site at one world seed: immutable, and shared by all episodes of that world.

    Implement the members below. The server calls `app` with the episode's database in the WSGI environment; only one
    request at a time uses a database. Requests may come from several threads. What a request leaves uncommitted is
    rolled back.
    """

    site: str
    """Name of the site, as in `shop/profile`."""
    host: str
    """The host name of the site in lower case, such as `www.harbourandsalt.com`."""
    seed: int
    labels: Mapping[str, str]
    """Wording of every label for this seed, by label key."""
    entities: Mapping[str, Sequence[Entity]]
    """The initial data by entity name, including entities without a table."""
    start: datetime
    """Initial date and time of the site's clock, in UTC."""
    template: bytes
    """The initial database, serialised by `sqlite3.Connection.serialize`."""
    generated: Mapping[str, frozenset[str]] = {}
    """Columns, by table, that the site fills in when it adds a row: keys, times, copied prices. Tasks leave them out of
    added rows in `expect`. A change in an initial row is a harm unless the task names the column: finishing a card sets
    its date, so the task has `closed: any`."""
    derived: Mapping[str, frozenset[str]] = {}
    """Columns, by table, that the site keeps up to date: the time of the last change, a word count. They follow from
    other columns, so tasks never name them, and the verdict ignores them in every row."""
    marked_up: Mapping[str, frozenset[str]] = {}
    """Columns, by table, with texts of several lines: paragraphs, headings, lists. The verdict compares them line by
    line, and all other texts as one line."""
    form_token: str = ""
    """Name of the hidden field that protects forms; the site refuses a form in which it is wrong. Empty if forms have
    none."""
    uncounted: frozenset[str] = frozenset()
    """Tables that are not part of the verdict: sessions, logs."""

    @property
    def parts(self) -> "tuple[SiteWorld, ...]":
        """The sites that an episode may visit: this one, or those of a chain, the initial one first."""
        return (self,)

    def recipe(self) -> Any:
        """Return other inputs of the pages, such as spec and look, as JSON values; None if there are none.

        They are part of the identity of every cell on this site, as are `files`.
        """
        return None

    def files(self) -> Mapping[str, str]:
        """Return the text of each source file of the pages by its name: templates, scripts, the site's own code."""
        return {}

    @abstractmethod
    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request, as any WSGI application does."""

    @cached_property
    def initial(self) -> Snapshot:
        """Every row of the initial database."""
        # Cached, because every episode of the world is compared with it.
        return Snapshot.of(self.template)

    def seen(self, text: str) -> str:
        """Return a text of several lines without invisible white space, so that texts that look alike are equal."""
        return lines(text)

    def is_guest(self, owner: object) -> bool:
        """Return whether a value of a column names a visitor who is not signed in."""
        return False

    def entities_in(self, database: sqlite3.Connection) -> Mapping[str, Sequence[Entity]]:
        """Return the current data in a database of this world, in the form of `entities`.

        Used to check chains: a goal's statements about the data must still be true after the other parts. The default
        returns the initial data.
        """
        return self.entities

    def sign_in(self, database: sqlite3.Connection, owner: str) -> Mapping[str, str]:
        """Open a session for a person or a visitor in `database`, and return its cookies by name.

        The recorder uses them to read the evidence pages, from a copy of the final database. `owner` is the person's
        key or the visitor's name; "" is a new visitor, who needs no cookie.
        """
        return {}


def now_of(site: SiteWorld) -> str:
    """Return the initial date and time of a site's clock, in UTC, for the browser's clock."""
    return f"{site.start.isoformat()}Z"
