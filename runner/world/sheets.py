"""The style sheets that the sites serve."""

import contextlib
from http.client import HTTPException

from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.world.site_server import SiteServer


class Sheets:
    """Cache of style sheets: each is requested once, not in every episode."""

    def __init__(self, site_server: SiteServer) -> None:
        """Take the server of the sites."""
        self._site_server = site_server
        self._texts: dict[tuple[str, str], str] = {}

    def text(self, site: SiteWorld, database: str, path: str) -> str:
        """Return the style sheet at a path of a site; "" if there is none or the request fails."""
        key = (f"{site.site} {site.seed}", path)
        if key not in self._texts:
            # Set first, so that a sheet that cannot be fetched is not requested again.
            self._texts[key] = ""
            with contextlib.suppress(OSError, HTTPException, ValueError):
                self._texts[key] = self._site_server.fetch(database, site.host, path)
        return self._texts[key]
