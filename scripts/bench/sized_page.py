"""A document of a given size for measurements, and a site with this single page."""

import base64
import copy
import http.client
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import lxml.html

from stressweb.core.entity import Entity
from stressweb.perturbations import PROXY_USER
from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.world.world import EpisodeWorld

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

NAVIGATION = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "Upgrade-Insecure-Requests": "1"}
"""Headers that a browser sends for a document."""


class SizedSite(SiteWorld):
    """Answers every request with one page."""

    site = "sized"
    host = "sized.test"
    seed = 0
    start = datetime(2026, 1, 1)
    labels: Mapping[str, str] = {}
    entities: Mapping[str, Sequence[Entity]] = {}

    def __init__(self, html: str) -> None:
        """Take the page."""
        self.page = html.encode()
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY)")
            self.template = connection.serialize()

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(self.page)))]
        start_response("200 OK", headers)
        return [self.page]


def fetched(episode: EpisodeWorld) -> bytes:
    """Return the first page of an episode as its browser gets it."""
    credential = base64.b64encode(f"{PROXY_USER}:{episode.credential}".encode()).decode()
    connection = http.client.HTTPConnection("127.0.0.1", episode.port, timeout=30)
    try:
        connection.request(
            "GET", episode.start_url, headers={**NAVIGATION, "Proxy-Authorization": f"Basic {credential}"}
        )
        return connection.getresponse().read()
    finally:
        connection.close()


def page_of(size: int, html: str) -> str:
    """Return a document changed to about `size` bytes by adding copies of its items or removing items."""
    root = lxml.html.document_fromstring(html)
    items = [element for element in root.iter() if element.get("itemscope") is not None]
    # The most frequent kind are the listed items. The rest is the frame, which a larger page also has once.
    kinds = Counter(element.get("itemtype") for element in items)
    listed_items = [element for element in items if element.get("itemtype") == kinds.most_common(1)[0][0]]
    each = sum(len(lxml.html.tostring(item)) for item in listed_items) / len(listed_items)
    missing = round((size - len(lxml.html.tostring(root))) / each)
    patterns = [copy.deepcopy(item) for item in listed_items]
    for index in range(missing):
        listed_items[-1].addnext(copy.deepcopy(patterns[index % len(patterns)]))
    # If items were missing, this is empty, so nothing is removed. The first item always stays.
    for item in listed_items[1 : 1 - min(missing, 0)]:
        if (shelf := item.getparent()) is not None:
            shelf.remove(item)
    return str(lxml.html.tostring(root, encoding="unicode", doctype="<!DOCTYPE html>"))
