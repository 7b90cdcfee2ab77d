"""The tabs of an episode: which one is current, what they are called, and what the browser opened and closed."""

import asyncio
import contextlib
import time
from typing import Self

from playwright.async_api import BrowserContext, CDPSession, Download, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.runner.browser.loading import IDLE, Loading

_POLL = 0.003
"""Seconds between looks for a tab that the browser has announced."""


class Tabs:
    """The tabs of one browser context in the order in which they were opened, and the files that they downloaded.

    A tab that opens becomes the current one when the page is next read, never under an action that was decided on
    another page. If the last one closes, a blank one opens.
    """

    def __init__(self, context: BrowserContext, first: Page) -> None:
        """Take a context and the first tab in it; `Tabs.of` opens it."""
        self._context = context
        self._open = [first]
        self._titles: dict[Page, str] = {}
        self._downloads: list[Download] = []
        self.current = first
        """The tab that actions go to."""
        self._next = first
        self._announced: list[str] = []
        self._arrived: list[Page] = []
        self._loading: dict[Page, Loading] = {}
        self._sessions: dict[Page, CDPSession] = {}
        self.news: list[str] = []
        """What happened and was not told yet."""
        # After the first tab was opened, which is in the list already.
        context.on("page", self._opened)
        context.on("pageclose", self._closed)
        context.on("download", self._began)

    @classmethod
    async def of(cls, context: BrowserContext) -> Self:
        """Return the tabs of a fresh context, in which the first one is opened."""
        tabs = cls(context, await context.new_page())
        await tabs._hear(tabs.current)
        return tabs

    @property
    def index(self) -> int:
        """Number of the current tab, from 0; of the last one if the current one has closed behind a dialog."""
        return self._open.index(self.current) if self.current in self._open else max(0, len(self._open) - 1)

    def titles(self) -> tuple[str, ...]:
        """Return the title of each tab when it was last read, else its URL."""
        return tuple(self._titles.get(page) or page.url for page in self._open)

    def call(self, title: str) -> None:
        """Take the title of the current tab."""
        self._titles[self.current] = title

    @property
    def loading(self) -> Loading:
        """What the browser has begun in the current tab."""
        return self._loading.get(self.current, IDLE)

    @property
    def cdp(self) -> CDPSession | None:
        """A session of the browser's own protocol with the current tab."""
        return self._sessions.get(self.current)

    def has(self, index: int) -> bool:
        """Whether there is a tab of that number."""
        return index < len(self._open)

    async def switch(self, index: int) -> None:
        """Make another tab the current one."""
        self._next = self._open[index]
        await self._next.bring_to_front()

    async def close(self, index: int) -> None:
        """Close a tab without asking it; the one opened last becomes current if it was the current one."""
        await self._open[index].close()

    async def follow(self, deadline: float) -> Page:
        """Make the tab current that was opened or switched to last, and return it.

        A tab that the browser has announced is waited for until `deadline`, in seconds of the monotonic clock.
        """
        # The agent must see a tab that its action opened; without waiting, that would depend on the load of the
        # machine.
        while len(self._arrived) < len(self._announced) and time.monotonic() < deadline:
            if self.current.is_closed():
                break
            await asyncio.sleep(_POLL)
        self._take_in()
        for page in [page for page in self._open if page.is_closed()]:
            self._closed(page)
        # Without any tab an agent could do nothing more, not even open one.
        if not self._open:
            try:
                self._opened(await self._context.new_page())
                self._take_in()
            except PlaywrightError as error:
                raise InfrastructureError(f"the browser closed or crashed: {first_line(error)}") from error
        # Closed by the agent, or by itself: the one opened last is what a person would then see.
        if self._next not in self._open:
            self._next = self._open[-1]
        self.current = self._next
        await self._hear(self.current)
        return self.current

    async def _hear(self, page: Page) -> None:
        """Hear of the tabs that a page opens when it opens them: Playwright tells of them when they have loaded."""
        if page in self._loading:
            return
        # The tab may close while it is asked. It then counts as one in which nothing loads.
        with contextlib.suppress(PlaywrightError):
            session = await self._context.new_cdp_session(page)
            session.on("Page.windowOpen", self._announce)
            self._loading[page] = await Loading.of(session)
            self._sessions[page] = session

    def _announce(self, event: dict[str, str]) -> None:
        self._announced.append(event["url"])

    def _take_in(self) -> None:
        """Number the tabs that arrived as they were announced: the order in which they load is another in every run."""
        order = self._announced
        self._arrived.sort(key=lambda page: order.index(page.url) if page.url in order else len(order))
        for page in self._arrived:
            self._open.append(page)
            self._next = page
            self.news.append(f"opened tab {len(self._open) - 1}")
        self._arrived, self._announced = [], []

    async def downloaded(self, *, finished: bool) -> None:
        """Tell of the downloads since the last call; unless `finished`, without waiting for their ends."""
        for download in self._downloads:
            size = await _size(download) if finished else None
            size_text = "unfinished" if size is None else f"{size} bytes"
            self.news.append(f'downloaded "{download.suggested_filename}", {size_text}')
        self._downloads.clear()

    def _began(self, download: Download) -> None:
        self._downloads.append(download)

    def _opened(self, page: Page) -> None:
        # A tab that we open ourselves is announced twice, because the browser reports it as well.
        if page not in self._open and page not in self._arrived:
            self._arrived.append(page)

    def _closed(self, page: Page) -> None:
        # It has not been numbered yet. `follow` numbers it first and then finds it closed, so that numbers do not
        # depend on how long a tab lived.
        if page not in self._open:
            return
        self.news.append(f"closed tab {self._open.index(page)}")
        self._open.remove(page)
        self._titles.pop(page, None)
        self._loading.pop(page, None)
        self._sessions.pop(page, None)


async def _size(download: Download) -> int | None:
    """Return how many bytes a file has; None if its transfer broke off."""
    with contextlib.suppress(PlaywrightError, OSError):
        return (await download.path()).stat().st_size
    return None
