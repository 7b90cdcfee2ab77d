"""The base of a site's worlds: their interface for tasks, servers and checkpoints."""

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

# One application serves all episodes of a world concurrently, so the database comes with each request.
DATABASE = "stressweb.database"
"""Key of the WSGI environment that holds the episode's open `sqlite3.Connection`."""


class SiteWorld(ABC):
    """One site at one world seed: immutable, and shared by all episodes of that world.

    Write the members below. The server calls `app` with the episode's database in the WSGI environment and sees to
    it that one request at a time uses that database.
    """

    site: str
    """Name of the site, as in `shop/profile`."""
    host: str
    """The name under which the site is served, in lower case: `www.harbourandsalt.com`."""
    seed: int
    labels: Mapping[str, str]
    """Wording of every label for this seed, by label key."""
    entities: Mapping[str, Sequence[Entity]]
    """The data as it is at the start, by entity name; entities that no table holds are there too."""
    start: datetime
    """Date and time, in UTC, at which the site's clock starts."""
    template: bytes
    """The initial database, as `sqlite3.Connection.serialize` gives it."""
    generated: Mapping[str, frozenset[str]] = {}
    """Columns, by table, that the site fills in itself when it adds a row: keys, times, copied prices. In a row that
    is added, tasks do not name them in `expect`. Where one of them changes in a row of the start, this is harm unless
    the task names it: a card that is finished gets a date, so the task says `closed: any`."""
    derived: Mapping[str, frozenset[str]] = {}
    """Columns, by table, that the site keeps up to date itself: the time of the last change, a number of words. They
    follow from what else is written, so tasks never name them, and the verdict ignores them in every row."""
    marked_up: Mapping[str, frozenset[str]] = {}
    """Columns, by table, with texts whose lines pages show as such: paragraphs, headings, lists. The verdict compares
    them line by line, and all other texts as one line."""
    uncounted: frozenset[str] = frozenset()
    """Tables that are not part of the verdict: sessions, logs."""

    @property
    def parts(self) -> "tuple[SiteWorld, ...]":
        """The sites that an episode may visit: this one, or those of a chain, the one where it begins first."""
        return (self,)

    def recipe(self) -> Any:
        """Return what the pages are made of beside the data, as JSON values, such as spec and look; None if nothing.

        It is part of the identity of every cell on this site, and so are `files`.
        """
        return None

    def files(self) -> Mapping[str, str]:
        """Return the text of each file that the pages are made of, by name: templates, scripts, the site's own code."""
        return {}

    @abstractmethod
    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request, as any WSGI application does."""

    @cached_property
    def initial(self) -> Snapshot:
        """Every row of the initial database."""
        # Read once per world, because every episode is compared with it.
        return Snapshot.of(self.template)

    def seen(self, text: str) -> str:
        """Return a text with paragraphs without the white space that a page hides: texts that look alike are equal."""
        return lines(text)

    def is_guest(self, owner: object) -> bool:
        """Return whether a value of a column names a visitor who is not signed in."""
        return False

    def entities_in(self, database: sqlite3.Connection) -> Mapping[str, Sequence[Entity]]:
        """Return the data as it is in a database of this world, as `entities` has it at the start.

        The parts of a chain are held against it: what a goal says of the data must still be true when another part is
        done. A site that does not know answers with the start.
        """
        return self.entities

    def sign_in(self, database: sqlite3.Connection, owner: str) -> Mapping[str, str]:
        """Open a session for a person or a visitor in `database` and return its cookies by name.

        The recorder reads the evidence pages with them, from a copy of the final database. `owner` is the person's key
        or the visitor's name; "" stands for somebody who comes for the first time and needs no cookie.
        """
        return {}


def now_of(site: SiteWorld) -> str:
    """Return the initial date and time of a site's clock, for the browser's; both are in UTC."""
    return f"{site.start.isoformat()}Z"
