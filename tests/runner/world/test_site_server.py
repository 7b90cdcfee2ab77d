"""The server of the sites: what a request leaves uncommitted is lost, as when an application closes its connection."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from stressweb.runner.world.site_server import SiteServer
from stressweb.walking.walker import BrokenError, Walker
from tests.support.toy import Toy

PAGE = "<!DOCTYPE html><title>{count} posts</title><h1>{count} posts</h1>"


class Counting(Toy):
    """Shows the number of posts; some of its pages write one first."""

    def app(self, environ: Mapping[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        database: sqlite3.Connection = environ["stressweb.database"]
        path = environ["PATH_INFO"]
        if path != "/":
            database.execute("INSERT INTO post (path, body) VALUES (?, '')", (path,))
        if path == "/kept":
            database.commit()
        if path == "/failing":
            raise LookupError("no such page")
        (count,) = database.execute("SELECT count(*) FROM post").fetchone()
        start_response("200 OK", self.headers)
        return [PAGE.replace("{count}", str(count)).encode()]


def test_the_server_rolls_back_what_a_request_does_not_commit() -> None:
    server = SiteServer()
    try:
        name = server.open(Counting())
        pages = [server.fetch(name, "toy.test", path) for path in ("/", "/lost", "/failing", "/", "/kept", "/")]
        # A request itself sees what it writes.
        counts = [page.partition("<h1>")[2].partition(" ")[0] for page in pages]
        assert counts == ["0", "1", "", "0", "1", "1"]
        assert [fault.message for fault in server.database(name).faults] == ["LookupError of site toy: no such page"]
    finally:
        server.close()


def test_a_walk_without_a_server_does_the_same() -> None:
    walker = Walker(Counting())
    walker.get("/lost")
    with pytest.raises(BrokenError):
        walker.get("/failing")
    walker.get("/kept")
    assert walker.get("/").get_data(as_text=True) == PAGE.replace("{count}", "1")
