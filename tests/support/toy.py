"""A site of one page for tests of the machinery: links, fields of every kind, and a form whose posts are stored."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from stressweb.core.entity import Entity
from stressweb.plugins.site_world import SiteWorld

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Toy</title></head><body>
<header><nav><ul><li><a href="/alpha">Alpha page</a></li><li><a href="/beta">Beta page</a></li></ul></nav></header>
<main><h1>Hello {path}</h1><h2>Some heading</h2><p>Text about lamps and chairs.</p>
<form method="post" action="/do"><label for="name">Name</label> <input id="name" name="name">
<label for="day">Day</label> <input id="day" type="date" name="day">
<label for="size">Size</label> <select id="size" name="size"><option>one</option><option>two</option></select>
<label><input type="checkbox" name="agree" value="1"> Agree</label>
<textarea name="note" aria-label="Note"></textarea>
<button type="submit" id="save">Save it</button></form>
<form method="post" action="/bare"><input name="word" aria-label="Word"></form></main></body></html>"""


class Toy(SiteWorld):
    """Answers every GET with the page and writes every POST into the table `post`."""

    site = "toy"
    host = "toy.test"
    seed = 0
    start = datetime(2026, 1, 1, 9)
    labels: Mapping[str, str] = {}
    entities: Mapping[str, Sequence[Entity]] = {}

    def __init__(self, page: str = PAGE, content_type: str = "text/html; charset=utf-8", policy: str = "") -> None:
        """Take the page and its response headers."""
        self.page = page
        self.headers = [("Content-Type", content_type), ("Cache-Control", "no-store")]
        if policy:
            self.headers.append(("Content-Security-Policy", policy))
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE post (id INTEGER PRIMARY KEY, path TEXT, body TEXT)")
        connection.commit()
        self.template = connection.serialize()
        connection.close()

    def app(self, environ: Mapping[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        if environ["REQUEST_METHOD"] == "POST":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
            connection = environ["stressweb.database"]
            connection.execute("INSERT INTO post (path, body) VALUES (?, ?)", (environ["PATH_INFO"], body))
            connection.commit()
            start_response("303 See Other", [("Location", "/done")])
            return [b""]
        start_response("200 OK", self.headers)
        return [self.encoded(self.page.replace("{path}", environ["PATH_INFO"]))]

    def encoded(self, page: str) -> bytes:
        """Return the response body."""
        return page.encode()
