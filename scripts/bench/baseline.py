"""The baseline of measurements: a site without a proxy, and a plain Playwright script of a trajectory."""

import http.client
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page
from waitress.server import create_server

from scripts.waited import Loading, settle, take
from stressweb.core.errors import InfrastructureError
from stressweb.core.protocol import VIEWPORT
from stressweb.plugins.actions import Action
from stressweb.plugins.site_world import DATABASE, SiteWorld


class BaselineSite:
    """A site on a plain threaded server without proxy or key, as a script would use it."""

    def __init__(self, site: SiteWorld) -> None:
        """Start the server with a fresh database."""
        self._site = site
        self._lock = threading.Lock()
        self._busy = self._started = 0
        self.reset()
        self._server = create_server(self._serve, host="127.0.0.1", port=0, threads=8, ident=None)
        self.url = f"http://127.0.0.1:{self._server.effective_port}/"
        threading.Thread(target=self._server.run, daemon=True).start()

    def reset(self) -> None:
        """Replace the database by a fresh one."""
        # All threads of the server use it, one at a time under the lock.
        fresh = sqlite3.connect(":memory:", check_same_thread=False)
        fresh.deserialize(self._site.template)
        with self._lock:
            self.database = fresh

    def busy(self) -> int:
        """Return the number of pending requests."""
        return self._busy

    def started(self) -> int:
        """Return the total number of requests so far."""
        return self._started

    def get(self, path: str) -> str:
        """Return the document that the site serves at a path."""
        address = urlsplit(self.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
        connection.request("GET", path)
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def close(self) -> None:
        """Stop the server and its threads."""
        # Close it from its own loop, which would otherwise fail on the closed sockets that it waits for.
        self._server.task_dispatcher.shutdown()
        self._server.trigger.pull_trigger(self._server.close)

    def _serve(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self._busy, self._started = self._busy + 1, self._started + 1
        try:
            with self._lock:
                environ[DATABASE] = self.database
                return [b"".join(self._site.app(environ, start_response))]
        finally:
            self._busy -= 1


class Script:
    """A bare Playwright script of a trajectory: each action, its page load if there is one, and a read of the DOM."""

    def __init__(
        self, browser: Browser, site: BaselineSite, actions: Sequence[Action], *, pictures: bool = False
    ) -> None:
        """Take an agent's actions, and rehearse them once to learn which ones load a page.

        With `pictures`, it takes a picture of every page that it reads: the first frame of a screencast, which is
        faster than a screenshot.
        """
        self._browser, self._site, self._has_pictures = browser, site, pictures
        self._camera: CDPSession | None = None
        self._actions = [action for action in actions if not action.final]
        self.page_loads = self._rehearse()

    def run(self) -> str:
        """Run an episode in a fresh context and return the path at which it ends."""
        self._site.reset()
        context = self.open_context()
        page = self.open_page(context)
        for action, loads in zip(self._actions, self.page_loads, strict=True):
            self.act(page, action, loads=loads)
            self.read(page)
        path = urlsplit(page.url).path
        self.close_context(context)
        return path

    def open_context(self) -> BrowserContext:
        """Open a context with the same viewport as in episodes."""
        return self._browser.new_context(
            viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]}, device_scale_factor=1
        )

    def open_page(self, context: BrowserContext) -> Page:
        """Open the first page and read it."""
        page = context.new_page()
        if self._has_pictures:
            self._camera = context.new_cdp_session(page)
        page.goto(self._site.url)
        self.read(page)
        return page

    def act(self, page: Page, action: Action, *, loads: bool) -> None:
        """Perform an action, and wait for the page that it loads, if any."""
        if not loads:
            do(page, action)
            return
        # Begin to wait before the action, because the navigation may be over when the action returns.
        with page.expect_navigation(wait_until="load"):
            do(page, action)

    def read(self, page: Page) -> str:
        """Return the document, and take a picture of it if configured."""
        html = page.content()
        if self._camera is not None and not take(self._camera, VIEWPORT["width"], VIEWPORT["height"]):
            raise InfrastructureError("the bare script got no picture")
        return html

    def close_context(self, context: BrowserContext) -> None:
        """Close the context."""
        context.close()

    def _rehearse(self) -> list[bool]:
        self._site.reset()
        context = self.open_context()
        page = self.open_page(context)
        # Whether an action loads a page depends on the site, and waiting for a load that never comes would time out.
        documents: list[str] = []
        page.on("domcontentloaded", lambda loaded: documents.append(loaded.url))
        counts = [0]
        loading = Loading(context.new_cdp_session(page))
        for action in self._actions:
            do(page, action)
            settle(page, self._site, loading=loading)
            counts.append(len(documents))
        self.close_context(context)
        return [after > before for before, after in pairwise(counts)]


def do(page: Page, action: Action) -> None:
    """Perform an action as a script's author would; raises ValueError for kinds that no trajectory needs."""
    target = page.locator(action.selector or "body").first
    match action.kind:
        case "CLICK":
            target.click(click_count=action.click_count)
        case "FILL":
            target.fill(action.text or "")
        case "SELECT":
            target.select_option(label=action.option)
        case "CHECK":
            target.check()
        case "UNCHECK":
            target.uncheck()
        case "PRESS":
            target.press(action.key or "")
        case _:
            raise ValueError(f"a bare script has no {action.kind}")
