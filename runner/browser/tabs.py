"""The tabs of an episode: the current one, their titles, and reports of opened and closed tabs and downloads."""

import asyncio
import contextlib
import time
from typing import Self

from playwright.async_api import BrowserContext, CDPSession, Download, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.runner.browser.loading import IDLE, Loading

_POLL = 0.003
"""Seconds between checks for a tab that the browser has announced."""


class Tabs:
    """The tabs of one browser context, in the order in which they were opened, and their downloads.

    A new tab becomes the current one at the next read, never during an action that was decided on another page. If the
    last tab closes, a blank one opens.
    """

    def __init__(self, context: BrowserContext, first: Page) -> None:
        """Take a context and the first tab in it; `Tabs.of` opens it."""
        self._context = context
        self._open = [first]
        self._titles: dict[Page, str] = {}
        self._downloads: list[Download] = []
        self.current = first
        """The tab for actions and reads."""
        self._next = first
        self._announced: list[str] = []
        self._arrived: list[Page] = []
        self._loading: dict[Page, Loading] = {}
        self._sessions: dict[Page, CDPSession] = {}
        self.news: list[str] = []
        """Events that have not been reported yet."""
        # After the first tab has been opened, since it is already in the list.
        context.on("page", self._on_page)
        context.on("pageclose", self._on_close)
        context.on("download", self._add_download)

    @classmethod
    async def of(cls, context: BrowserContext) -> Self:
        """Open the first tab of a fresh context and return its tabs."""
        tabs = cls(context, await context.new_page())
        await tabs._watch(tabs.current)
        return tabs

    @property
    def index(self) -> int:
        """Number of the current tab, from 0; of the last tab if the current one closed behind a dialog."""
        return self._open.index(self.current) if self.current in self._open else max(0, len(self._open) - 1)

    def titles(self) -> tuple[str, ...]:
        """Return the title of each tab at its last read, or its URL."""
        return tuple(self._titles.get(page) or page.url for page in self._open)

    def set_title(self, title: str) -> None:
        """Set the title of the current tab."""
        self._titles[self.current] = title

    @property
    def loading(self) -> Loading:
        """Navigations and requests in progress in the current tab."""
        return self._loading.get(self.current, IDLE)

    @property
    def cdp(self) -> CDPSession | None:
        """CDP session of the current tab."""
        return self._sessions.get(self.current)

    def has(self, index: int) -> bool:
        """Return whether there is a tab with this number."""
        return index < len(self._open)

    async def switch(self, index: int) -> None:
        """Make another tab current from the next read on."""
        self._next = self._open[index]
        await self._next.bring_to_front()

    async def close(self, index: int) -> None:
        """Close a tab without `beforeunload`; if it was current, the last opened tab becomes current."""
        await self._open[index].close()

    async def follow(self, deadline: float) -> Page:
        """Make the tab that was last opened or switched to the current one, and return it.

        Waits for tabs that the browser has announced, until `deadline` in seconds of the monotonic clock.
        """
        # Otherwise it would depend on the machine's load whether the agent sees a tab that its action opened.
        while len(self._arrived) < len(self._announced) and time.monotonic() < deadline:
            if self.current.is_closed():
                break
            await asyncio.sleep(_POLL)
        self._add_arrived()
        for page in [page for page in self._open if page.is_closed()]:
            self._on_close(page)
        # Without a tab, an agent could not even open one.
        if not self._open:
            try:
                self._on_page(await self._context.new_page())
                self._add_arrived()
            except PlaywrightError as error:
                raise InfrastructureError(f"the browser closed or crashed: {first_line(error)}") from error
        # It was closed, by the agent or by itself, so use the last opened tab.
        if self._next not in self._open:
            self._next = self._open[-1]
        self.current = self._next
        await self._watch(self.current)
        return self.current

    async def _watch(self, page: Page) -> None:
        """Listen for the tabs that a page opens, since Playwright reports them only once they have loaded."""
        if page in self._loading:
            return
        # The tab may close meanwhile; it then counts as idle.
        with contextlib.suppress(PlaywrightError):
            session = await self._context.new_cdp_session(page)
            session.on("Page.windowOpen", self._announce)
            self._loading[page] = await Loading.of(session)
            self._sessions[page] = session

    def _announce(self, event: dict[str, str]) -> None:
        self._announced.append(event["url"])

    def _add_arrived(self) -> None:
        """Number new tabs in the order of their announcement, since the order of loading varies."""
        order = self._announced
        self._arrived.sort(key=lambda page: order.index(page.url) if page.url in order else len(order))
        for page in self._arrived:
            self._open.append(page)
            self._next = page
            self.news.append(f"opened tab {len(self._open) - 1}")
        self._arrived, self._announced = [], []

    async def report_downloads(self, *, finished: bool) -> None:
        """Report the downloads since the last call; with `finished`, wait for them and report their sizes."""
        for download in self._downloads:
            size = await _size(download) if finished else None
            size_text = "unfinished" if size is None else f"{size} bytes"
            self.news.append(f'downloaded "{download.suggested_filename}", {size_text}')
        self._downloads.clear()

    def _add_download(self, download: Download) -> None:
        self._downloads.append(download)

    def _on_page(self, page: Page) -> None:
        # A tab that `follow` opens is reported twice, by it and by the browser.
        if page not in self._open and page not in self._arrived:
            self._arrived.append(page)

    def _on_close(self, page: Page) -> None:
        # Not numbered yet: `follow` will number it and then remove it, so that numbers do not depend on timing.
        if page not in self._open:
            return
        self.news.append(f"closed tab {self._open.index(page)}")
        self._open.remove(page)
        self._titles.pop(page, None)
        self._loading.pop(page, None)
        self._sessions.pop(page, None)


async def _size(download: Download) -> int | None:
    """Return the size of a download in bytes; None if it failed."""
    with contextlib.suppress(PlaywrightError, OSError):
        return (await download.path()).stat().st_size
    return None
