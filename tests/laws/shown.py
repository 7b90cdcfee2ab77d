"""Pages that were crawled, shown by a real browser under a condition and read by the recorder."""

import json
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, ProxySettings

from perturbations import modes_of
from perturbations.episode_perturber import EpisodePerturber
from perturbations.insertion import Inserter
from perturbations.stream import script_element
from scripts.waited import Loading, Recorder, settle
from sites import kit
from stressweb.core.draws import Seeds
from stressweb.html import annotated_form
from stressweb.html.annotated import agents_copy
from stressweb.log.ledger import Entry
from stressweb.plugins.perturbation import Perturbation
from stressweb.walking.walker import Walker
from tests.laws.crawl import Visited
from tests.plans import condition

TASK = "shop/profile"
_FEED = "data-feed"
"""An attribute of what a script of the page fills after the load."""

_STYLED = """() => new Promise((done) => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)];
  const links = roots.flatMap((root) => [...root.querySelectorAll("link[rel=stylesheet]")]);
  const ready = () => (links.every((one) => one.sheet) ? done() : setTimeout(ready, 2));
  ready();
})"""


class Read(NamedTuple):
    """What the recorder read of a page."""

    copy: str
    """Its own copy, annotated."""
    controls: list[list[str]]
    """Key, role and name of each control."""
    answer: dict[str, Any] | None
    """What the page's script answered."""

    @property
    def html(self) -> str:
        """What the agent is shown."""
        return agents_copy(self.copy)

    @property
    def ours(self) -> dict[str, str]:
        """What is not as the site made it: kinds of nodes by their numbers in the document, as a TreeWalker finds them."""
        return {number: one["kind"] for number, one in self.answer["nodes"].get("", {}).items()} if self.answer else {}

    @property
    def form(self) -> str:
        """The canonical form."""
        return annotated_form.digest(self.copy)


class Arm:
    """A tab in which pages are shown under one condition, one after the other, as those of an episode.

    The server stands where the proxy does: a document gets the episode's script as text, at the place where the proxy
    puts it, and everything else is the site's own. It is also what the recorder takes for the episode.
    """

    def __init__(self, label: str, stress_seed: int = 0, modes: Sequence[Perturbation] | None = None) -> None:
        """Take a condition by its label; `modes` stand in for its own where some are shown that nobody ships."""
        one = condition(label)
        modes = modes_of(one) if modes is None else modes
        seeds, key = Seeds(0, stress_seed, TASK), f"{label} {stress_seed}".encode().ljust(16, b"k")[:16]
        self.perturber = EpisodePerturber(modes, seeds, key, active=one.active)
        self.site, self.hosts, self.html = "", ("",), ""
        self.sites: dict[str, str] = {}
        self._path = "/"
        self._requests = [0, 0]
        self._server = _Server(self)
        self.page: Page

    @property
    def ledger(self) -> list[Entry]:
        """Return the ledger so far."""
        return self.perturber.entries

    def read(
        self, url: str, answer: Mapping[str, Any] | None, controls: Sequence[Sequence[str]], *, more: bool = False
    ) -> None:
        """Take what a read found."""
        self.perturber.read(urlsplit(url).path, answer, controls, more=more)

    def busy(self) -> int:
        """Return how many requests are under way."""
        return self._requests[0] - self._requests[1]

    def started(self) -> int:
        """Return how many requests were ever started."""
        return self._requests[0]

    def show(self, page: Visited, *, drawn: bool = False) -> None:
        """Load a page and wait until it has settled; `drawn`: with its pictures."""
        host = kit.load(page.site, 0).host
        self.site, self.hosts, self.html, self._path = page.site, (host,), page.html, page.path
        self.sites = {host: page.site}
        # A form holds nothing of pictures, so that nobody waits for them.
        self.page.goto(f"http://{host}{page.path}", wait_until="load" if drawn else "domcontentloaded")
        # But what is seen of an element does depend on the style sheets.
        self.page.evaluate(_STYLED)
        # What comes of scripts alone comes later than the load.
        if _FEED in page.html:
            assert settle(self.page, self, 10, loading=self._loading), page.path

    def seen(self) -> Read:
        """Read the page that is shown."""
        text = self._recorder.read(self.page, measured=False)
        assert text is not None
        found = json.loads(text)
        self._recorder.found(found)
        # Of the page itself; what is in its frames comes behind it.
        return Read(found["copy"], found["documents"][0]["controls"], found["documents"][0]["answer"])

    def __call__(self, page: Visited) -> Read:
        """Show a page and read it."""
        self.show(page)
        return self.seen()

    def broken(self) -> list[str]:
        """Return what failed in the engine, or did not reach a page, so far."""
        return [f"{one.phase} {one.detail}" for one in self.ledger if one.mode in ("engine", "world")]

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Return status, type and body of what is at a path."""
        if path == self._path:
            return 200, "text/html; charset=utf-8", self._document(path)
        return (404, "text/plain", b"") if path == "/favicon.ico" else _asset(self.site, path)

    def _document(self, path: str) -> bytes:
        if not self.perturber.active:
            return self.html.encode()
        script = self.perturber.script(self.site, self.hosts, path)
        inserter = Inserter(script_element(script, "nonce"), "utf-8")
        document = inserter.feed(self.html.encode()) + inserter.finish()
        assert inserter.inserted, f"{path}: {inserter.unfit}"
        return document

    @contextmanager
    def opened(self, browser: Browser) -> Iterator["Arm"]:
        """Serve, and open the tab."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        server = f"http://127.0.0.1:{self._server.server_address[1]}"
        context = browser.new_context(
            proxy=ProxySettings(server=server), viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
        )
        try:
            self.page = context.new_page()
            session = context.new_cdp_session(self.page)
            self._loading = Loading(session)
            self._recorder = Recorder(self)
            self._recorder.attach(self.page, session)
            yield self
        finally:
            context.close()
            self._server.shutdown()
            self._server.server_close()
            thread.join()


@cache
def _walker(site: str) -> tuple[Walker, threading.Lock]:
    return Walker(kit.load(site, 0)), threading.Lock()


@cache
def _asset(site: str, path: str) -> tuple[int, str, bytes]:
    """Return what a site answers that is no page; pictures take longer to be made than pages to be shown."""
    walker, alone = _walker(site)
    with alone:
        found = walker.fetch(path)
        return found.status_code, found.content_type or "", found.get_data()


class _Answer(BaseHTTPRequestHandler):
    """Answers one connection of the browser, which takes the server for its proxy."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        arm = self.server.arm
        arm._requests[0] += 1
        try:
            parts = urlsplit(self.path)
            status, kind, body = arm.answer(f"{parts.path}?{parts.query}" if parts.query else parts.path)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            # Documents and what scripts ask for are new each time; sheets and scripts are fetched once.
            fresh = "html" in kind or "json" in kind
            self.send_header("cache-control", "no-store" if fresh else "max-age=3600")
            self.end_headers()
            self.wfile.write(body)
        finally:
            arm._requests[1] += 1

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    def __init__(self, arm: Arm) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.arm = arm

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that has closed its connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
