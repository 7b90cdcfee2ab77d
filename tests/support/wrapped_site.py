"""A site that stands in front of another one."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from stressweb.plugins.site_world import SiteWorld


class WrappedSite(SiteWorld):
    """Another site, with its own initial database and further headers in every response."""

    def __init__(self, site: SiteWorld, template: bytes | None = None, *headers: tuple[str, str]) -> None:
        """Take the site, its initial database if it is another one, and the headers."""
        self.site, self.host, self.seed, self.start = site.site, site.host, site.seed, site.start
        self.labels, self.entities, self.template = site.labels, site.entities, template or site.template
        self._inner, self._headers = site, headers

    def app(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        """Answer one request."""

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            return start_response(status, [*headers, *self._headers], *error)

        return self._inner.app(environ, start)

    def sign_in(self, database: sqlite3.Connection, owner: str) -> Mapping[str, str]:
        """Return the cookies of a person."""
        return self._inner.sign_in(database, owner)
