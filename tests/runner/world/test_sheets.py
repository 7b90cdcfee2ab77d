"""A style sheet is requested once for all episodes, even a missing one."""

import pytest

from stressweb.runner.world.sheets import Sheets
from stressweb.runner.world.world import World
from tests.support.toy import Toy


@pytest.mark.parametrize("broken", [False, True])
def test_a_sheet_is_requested_once(world: World, monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    site, requests = Toy(), []

    def fetch(database: str, host: str, path: str) -> str:
        requests.append((database, host, path))
        if broken:
            raise ConnectionError
        return f"/* {path} */"

    monkeypatch.setattr(world.site_server, "fetch", fetch)
    sheets = Sheets(world.site_server)
    texts = [sheets.text(site, database, path) for database in ("one", "two") for path in ("/a.css", "/b.css")]
    assert texts == (["", ""] if broken else ["/* /a.css */", "/* /b.css */"]) * 2
    assert requests == [("one", site.host, "/a.css"), ("one", site.host, "/b.css")]
