"""Checks pages in a browser: no errors, no foreign requests, not wider than the window, and accessible."""

import importlib.util
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Page

from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.episode.look import looking
from stressweb.runner.episode.playground import Playground

WIDTHS = (1280, 390)
"""Widths of the window of a desktop and a phone, in CSS pixels."""
_HEIGHT = 844
_SERIOUS = ("serious", "critical")
"""Impacts of axe's findings that are problems."""
_HIDDEN = """
[document.querySelector('main'), ...[...document.querySelectorAll('main *')].map(node => node.shadowRoot)]
  .flatMap(root => root ? [...root.querySelectorAll('a, button, input:not([type=hidden]), select')] : [])
  // Elements of a closed menu or dialog have no box.
  .filter(node => !node.closest('details:not([open]), dialog:not([open]), [hidden]') || node.matches('summary'))
  // In a narrow window, a button opens folded content; in a wide window, the content is visible without the button.
  .filter(node => {
    const pane = node.closest('[popover]:not(:popover-open)');
    const width = part => part?.getBoundingClientRect().width ?? 0;
    const opener = pane && document.querySelector(`[popovertarget="${CSS.escape(pane.id)}"]`);
    return !(pane && !width(pane) && width(opener)) && !width(node.popoverTargetElement);
  })
  .filter(node => { const box = node.getBoundingClientRect(); return box.right > innerWidth || !box.width })
  .map(node => node.outerHTML.slice(0, 100))
"""


def axe() -> str:
    """Return the script of axe-core, which finds accessibility problems; "" if it is not installed."""
    spec = importlib.util.find_spec("axe_playwright_python")
    return "" if spec is None or not spec.origin else (Path(spec.origin).parent / "axe.min.js").read_text("utf-8")


class Looks:
    """Opens undisturbed pages of a site in a browser."""

    def __init__(self, ground: Playground, axe: str) -> None:
        """Take a playground, which the caller closes, and the script of axe; "" skips its check."""
        self._ground, self._axe = ground, axe

    async def wrong_pages(self, site: SiteWorld, owner: str, paths: Iterable[str]) -> AsyncIterator[tuple[str, str]]:
        """Open pages as a person, or as a visitor if `owner` is ""; yield path and problem of each wrong page."""
        events = _PageEvents(site.host)
        async with looking(self._ground, site, owner, events.watch) as look:
            for path in paths:
                await look.go(path)
                for problem in [*await self._wrong(look.page), *events.taken()]:
                    yield path, problem
            for fault in look.faults():
                yield "/", fault

    async def _wrong(self, page: Page) -> list[str]:
        problems = list[str]()
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": _HEIGHT})
            if (scroll_width := await page.evaluate("document.documentElement.scrollWidth")) > width:
                problems.append(f"is {scroll_width} pixels wide in a window of {width}")
            # Only in the wide window, because on a phone a table or a board may scroll.
            elif width == WIDTHS[0]:
                problems += [
                    f"has a control that is not visible: {control}" for control in await page.evaluate(_HIDDEN)
                ]
            if self._axe:
                await page.evaluate(self._axe)
                for violation in (await page.evaluate("axe.run(document)"))["violations"]:
                    if violation["impact"] in _SERIOUS:
                        where = violation["nodes"][0]["html"][:100]
                        problems.append(f"{width} pixels wide, axe: {violation['help']} ({violation['id']}): {where}")
        return problems


class _PageEvents:
    """Requests and errors of a page."""

    def __init__(self, host: str) -> None:
        self._host = host
        self.problems: list[str] = []

    def watch(self, page: Page) -> None:
        page.on("request", lambda request: self.request(request.url))
        page.on("pageerror", lambda error: self.problems.append(f"error in a script: {error}"))
        page.on("console", self.message)

    def request(self, url: str) -> None:
        if (host := urlsplit(url).hostname) and host != self._host:
            self.problems.append(f"requests {url[:100]} from {host}")

    def message(self, message: Any) -> None:
        # Without the expected error for a page that does not exist.
        if message.type == "error" and "status of 404" not in message.text:
            self.problems.append(f"error on the console: {message.text}")

    def taken(self) -> list[str]:
        """Return the problems since the last page."""
        problems, self.problems = self.problems, []
        return problems
