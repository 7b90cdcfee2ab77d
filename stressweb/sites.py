"""The base of every site: what a world offers to tasks, servers and checkpoints."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from stressweb.records import Entity

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

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
    """The name under which the site is served: `shop.test`."""
    seed: int
    labels: Mapping[str, str]
    """Wording of every label for this seed, by label key."""
    entities: Mapping[str, Sequence[Entity]]
    """The data as it is at the start, by entity name; entities that no table holds are there too."""
    start: datetime
    """Date and time, in UTC, at which the site's clock starts."""
    template: bytes
    """The initial database, as `sqlite3.Connection.serialize` gives it."""

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
