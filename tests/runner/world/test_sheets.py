"""A style sheet is requested once for all episodes, even a missing one."""

from typing import Any, cast

import pytest

from stressweb.runner.world.sheets import Sheets
from tests.support.toy import Toy


class Server:
    """A server of sites that records the requests."""

    def __init__(self, *, broken: bool) -> None:
        self.broken, self.requests = broken, list[tuple[str, str, str]]()

    def fetch(self, database: str, host: str, path: str) -> str:
        """Return the sheet at a path."""
        self.requests.append((database, host, path))
        if self.broken:
            raise ConnectionError
        return f"/* {path} */"


@pytest.mark.parametrize("broken", [False, True])
def test_a_sheet_is_requested_once(broken: bool) -> None:
    site, server = Toy(), Server(broken=broken)
    sheets = Sheets(cast("Any", server))
    texts = [sheets.text(site, database, path) for database in ("one", "two") for path in ("/a.css", "/b.css")]
    assert texts == (["", ""] if broken else ["/* /a.css */", "/* /b.css */"]) * 2
    assert server.requests == [("one", site.host, "/a.css"), ("one", site.host, "/b.css")]
