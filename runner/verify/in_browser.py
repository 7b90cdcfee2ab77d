"""Pages in a browser: no error, nothing from elsewhere, no wider than the window, and usable by everyone."""

import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from runner.browser.admission import admitted
from runner.browser.loading import Loading
from runner.browser.settle import settle
from runner.episode.loop import opened
from runner.world.world import World
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.plugins.site import SiteWorld

WIDTHS = (1280, 390)
"""Widths of the window, in CSS pixels: a desk and a phone."""
_HEIGHT = 844
_SERIOUS = ("serious", "critical")
"""What of axe's findings counts."""
_HIDDEN = """
[document.querySelector('main'), ...[...document.querySelectorAll('main *')].map(node => node.shadowRoot)]
  .flatMap(root => root ? [...root.querySelectorAll('a, button, input:not([type=hidden]), select')] : [])
  // What stands in a menu or a dialog that is closed has no box yet.
  .filter(node => !node.closest('details:not([open]), dialog:not([open]), [hidden]') || node.matches('summary'))
  .filter(node => { const box = node.getBoundingClientRect(); return box.right > innerWidth || !box.width })
  .map(node => node.outerHTML.slice(0, 100))
"""


def axe() -> str:
    """Return the script of axe-core, which finds what is hard to use; "" if its package is not installed."""
    found = importlib.util.find_spec("axe_playwright_python")
    return "" if found is None or not found.origin else (Path(found.origin).parent / "axe.min.js").read_text("utf-8")


class Looks:
    """Looks at pages of a site in a browser, undisturbed."""

    def __init__(self, browser: Browser, world: World, axe: str) -> None:
        """Take a warm browser and a running world; both stay the caller's. Without `axe` nobody asks it."""
        self._browser, self._world, self._axe = browser, world, axe

    def wrong_pages(self, site: SiteWorld, owner: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Open pages as a person, or as a visitor if `owner` is ""; yield path and problem of each that is wrong."""
        episode = self._world.open(site, CLEAN, Seeds(site.seed, 0, f"{site.site}/look"), b"k" * 16)
        try:
            with opened(self._browser, episode.evidence_port, f"{site.start.isoformat()}Z") as context:
                cookies = episode.look_back(owner).items()
                context.add_cookies(
                    [{"name": name, "value": value, "url": episode.start_url} for name, value in cookies]
                )
                page, seen = context.new_page(), _Seen(site.host)
                loading = Loading(context.new_cdp_session(page))
                page.on("request", lambda request: seen.request(request.url))
                page.on("pageerror", lambda error: seen.problems.append(f"error in a script: {error}"))
                page.on("console", seen.message)
                with admitted(page, episode.start_url, episode.credential):
                    page.goto(episode.start_url)
                for path in paths:
                    page.goto(episode.start_url.rstrip("/") + path)
                    # What a script draws is not there yet when the page has loaded.
                    settle(page, episode.evidence_traffic, loading=loading)
                    yield from ((path, problem) for problem in [*self._wrong(page), *seen.taken()])
                yield from (("/", str(fault)) for fault in episode.faults())
        finally:
            episode.close()

    def _wrong(self, page: Page) -> Iterator[str]:
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": _HEIGHT})
            if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
                yield f"is {wide} pixels wide in a window of {width}"
            # On a phone a table or a board may scroll by itself; the page may not.
            elif width == WIDTHS[0]:
                yield from (f"has a control that cannot be seen: {one}" for one in page.evaluate(_HIDDEN))
            if self._axe:
                page.evaluate(self._axe)
                for found in page.evaluate("axe.run(document)")["violations"]:
                    if found["impact"] in _SERIOUS:
                        where = found["nodes"][0]["html"][:100]
                        yield f"{width} pixels wide, axe: {found['help']} ({found['id']}): {where}"


class _Seen:
    """What a page did beside showing itself."""

    def __init__(self, host: str) -> None:
        self._host = host
        self.problems: list[str] = []

    def request(self, url: str) -> None:
        if (host := urlsplit(url).hostname) and host != self._host:
            self.problems.append(f"asks {host} for {url[:100]}")

    def message(self, message: Any) -> None:
        # That a page is missing is what the browser should say of the one that there is not.
        if message.type == "error" and "status of 404" not in message.text:
            self.problems.append(f"error on the console: {message.text}")

    def taken(self) -> list[str]:
        """Return the problems since the last page."""
        found, self.problems = self.problems, []
        return found
