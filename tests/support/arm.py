"""Crawled pages, loaded by a real browser under a condition and read by the recorder."""

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

from scripts.waited import Loading, Recorder, settle
from stressweb.core.draws import Seeds
from stressweb.html import annotated_form
from stressweb.html.annotated import html_for_agent
from stressweb.log.ledger import Entry
from stressweb.perturbations import modes_of
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.perturbations.insertion import Inserter
from stressweb.perturbations.stream import script_element
from stressweb.plugins.perturbation import Perturbation
from stressweb.sites import kit
from stressweb.walking.walker import Walker
from tests.support.crawl import Visited
from tests.support.plans import condition

TASK = "shop/profile"
_FEED = "data-feed"
"""Attribute of elements that a script of the page fills after the load."""

_STYLED = """() => new Promise((done) => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)];
  const links = roots.flatMap((root) => [...root.querySelectorAll("link[rel=stylesheet]")]);
  const ready = () => (links.every((one) => one.sheet) ? done() : setTimeout(ready, 2));
  ready();
})"""


class Read(NamedTuple):
    """The recorder's reading of a page."""

    copy: str
    """The recorder's annotated copy."""
    controls: list[list[str]]
    """Key, role and name of each control."""
    answer: dict[str, Any] | None
    """The answer of the page's script."""

    @property
    def html(self) -> str:
        """The HTML that the agent sees."""
        return html_for_agent(self.copy)

    @property
    def ours(self) -> dict[str, str]:
        """Kinds of the nodes that a mode made or changed, by their number in the document's TreeWalker order."""
        return (
            {number: node["kind"] for number, node in self.answer["nodes"].get("", {}).items()} if self.answer else {}
        )

    @property
    def form(self) -> str:
        """The canonical form."""
        return annotated_form.digest(self.copy)


class Arm:
    """A tab that loads pages under one condition, one after the other, like an episode.

    Its server replaces the proxy: it inserts the episode's script as text where the proxy does, and serves everything
    else as the site does. The recorder takes an `Arm` for the episode.
    """

    def __init__(self, label: str, stress_seed: int = 0, modes: Sequence[Perturbation] | None = None) -> None:
        """Take a condition by its label; `modes` replaces its modes, for modes made up by a test."""
        parsed = condition(label)
        modes = modes_of(parsed) if modes is None else modes
        secret = f"{label} {stress_seed}".encode()
        self.perturber = EpisodePerturber(modes, Seeds(0, stress_seed, TASK), active=parsed.active, secret=secret)
        self.site, self.hosts, self.html = "", ("",), ""
        self.sites: dict[str, str] = {}
        self._path = "/"
        self.requests = [0, 0]
        self._server = _Server(self)
        self.page: Page

    @property
    def ledger(self) -> list[Entry]:
        """Return the ledger so far."""
        return self.perturber.entries

    def read(
        self,
        url: str,
        answer: Mapping[str, Any] | None,
        controls: Sequence[Sequence[str]],
        *,
        more_frames: bool = False,
    ) -> None:
        """Process a read."""
        self.perturber.read(urlsplit(url).path, answer, controls, more_frames=more_frames)

    def busy(self) -> int:
        """Return how many requests are pending."""
        return self.requests[0] - self.requests[1]

    def started(self) -> int:
        """Return how many requests were ever started."""
        return self.requests[0]

    def show(self, page: Visited, *, drawn: bool = False) -> None:
        """Load a page and wait until it has settled; `drawn`: and its images are loaded."""
        host = kit.load(page.site, 0).host
        self.site, self.hosts, self.html, self._path = page.site, (host,), page.html, page.path
        self.sites = {host: page.site}
        # The canonical form holds no images, so there is no need to wait for them.
        self.page.goto(f"http://{host}{page.path}", wait_until="load" if drawn else "domcontentloaded")
        # Whether an element is visible depends on the style sheets.
        self.page.evaluate(_STYLED)
        # Scripts fill such elements after the load.
        if _FEED in page.html:
            assert settle(self.page, self, 10, loading=self._loading), page.path

    def seen(self) -> Read:
        """Read the loaded page."""
        text = self.recorder.read(self.page, measured=False)
        assert text is not None
        reading = json.loads(text)
        self.recorder.pass_on(reading)
        # The first document is the page's own; those of its frames follow.
        return Read(reading["copy"], reading["documents"][0]["controls"], reading["documents"][0]["answer"])

    def __call__(self, page: Visited) -> Read:
        """Load a page and read it."""
        self.show(page)
        return self.seen()

    def broken(self) -> list[str]:
        """Return the failures of the engine and the world so far."""
        return [f"{entry.phase} {entry.detail}" for entry in self.ledger if entry.mode in ("engine", "world")]

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Return status, content type and body of the response to a path."""
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
        """Start the server and open the tab."""
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
            self.recorder = Recorder(self)
            self.recorder.attach(self.page, session)
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
    """Return a site's response other than a page; cached, because making pictures takes longer than loading pages."""
    walker, asset = _walker(site)
    with asset:
        response = walker.fetch(path)
        return response.status_code, response.content_type or "", response.get_data()


class _Answer(BaseHTTPRequestHandler):
    """Handles one connection of the browser, whose proxy is this server."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        arm = self.server.arm
        arm.requests[0] += 1
        try:
            parts = urlsplit(self.path)
            status, kind, body = arm.answer(f"{parts.path}?{parts.query}" if parts.query else parts.path)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            # Documents and JSON change; style sheets and scripts are fetched once.
            fresh = "html" in kind or "json" in kind
            self.send_header("cache-control", "no-store" if fresh else "max-age=3600")
            self.end_headers()
            self.wfile.write(body)
        finally:
            arm.requests[1] += 1

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    def __init__(self, arm: Arm) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.arm = arm

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that the browser has closed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
