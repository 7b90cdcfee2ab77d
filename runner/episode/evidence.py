"""The evidence pages of an episode, read unperturbed at its end."""

import asyncio
import contextlib
import functools
import http.client
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, cast

from playwright.async_api import Browser, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from runner.browser.admission import admitted
from runner.browser.context import new_context
from runner.browser.loading import Loading
from runner.browser.observe import Observer
from runner.browser.recorder import Recorder
from runner.episode.agent_thread import Heartbeat
from runner.episode.written_pages import WrittenPages
from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.protocol import FIRST_PAGE_TIMEOUT_MS
from stressweb.log.recording import Shown

if TYPE_CHECKING:
    # It brings mitmproxy, which takes a second to import.
    from runner.world.world import EpisodeWorld


class Evidence:
    """Reads the evidence pages of the episodes of a browser, in contexts that are kept warm.

    Pages that the browser would show exactly as the site writes them are read without it.
    """

    def __init__(self, browser: Browser) -> None:
        """Take the browser; nothing is opened yet."""
        self._browser = browser
        self._readers: dict[int, _Reader] = {}
        self._user_agent = ""

    async def read(
        self,
        world: "EpisodeWorld",
        paths: tuple[str, ...],
        owner: str,
        now: str,
        watch: Heartbeat | None = None,
        address: str = "",
    ) -> dict[str, Shown]:
        """Return the pages at `paths` as `owner` sees them: a person, a visitor, or "" for a first visit.

        `address` is that of a site of a chain; without one, it is where the episode began.
        """
        address = address or world.start_url
        watch = watch or Heartbeat()
        watch.working()
        urls = {path: address.rstrip("/") + path for path in paths}
        pages = WrittenPages(world, world.look_back(owner, address), await self._get_user_agent())
        written = await _each(urls, functools.partial(_written, pages, world), watch)
        if None not in written.values():
            return cast("dict[str, Shown]", written)
        # A request may change the database: the browser begins with a fresh copy of it.
        reader = await self._at(world.evidence_port, now)
        await reader.become(address, world.look_back(owner, address))
        return await _each(urls, functools.partial(reader.shown, world=world), watch)

    async def _get_user_agent(self) -> str:
        """Return the user agent of the browser."""
        if not self._user_agent:
            try:
                session = await self._browser.new_browser_cdp_session()
                self._user_agent = (await session.send("Browser.getVersion"))["userAgent"]
                await session.detach()
            except PlaywrightError as error:
                raise InfrastructureError(f"the browser closed or crashed: {first_line(error)}") from error
        return self._user_agent

    async def close(self) -> None:
        """Close what is kept warm."""
        readers, self._readers = self._readers, {}
        for reader in readers.values():
            await reader.close()

    async def _at(self, port: int, now: str) -> "_Reader":
        """Return the reader behind a port, which one episode at a time has: a context's proxy is fixed."""
        reader = self._readers.get(port)
        if reader is None or reader.closed:
            reader = self._readers[port] = await _Reader.of(self._browser, port, now)
        await reader.at(now)
        return reader


async def _each[Page](
    urls: Mapping[str, str], read: Callable[[str], Awaitable[Page]], watch: Heartbeat
) -> dict[str, Page]:
    """Return the page at each URL by its path; stop at the first that is None."""
    pages = {}
    for path, url in urls.items():
        pages[path] = await read(url)
        # Each page may take a third of the silence that the parent allows, and a task may have several.
        watch.working()
        if pages[path] is None:
            break
    return pages


async def _written(pages: WrittenPages, world: "EpisodeWorld", url: str) -> Shown | None:
    """Return a page read without the browser, None if it needs one; raises InfrastructureError without an answer."""
    traffic = world.evidence_traffic
    before = traffic.started()
    try:
        page = await asyncio.to_thread(pages.read, url)
    except (OSError, http.client.HTTPException) as error:
        raise InfrastructureError(f"evidence page {url}: {first_line(error)}") from error
    _check_asked(url, traffic.started() - before)
    return page


def _check_asked(url: str, requests: int) -> None:
    """Raise InfrastructureError if no request came to the site."""
    if not requests:
        # The proxy's own answer, or a copy that the browser had: neither says anything of this episode.
        raise InfrastructureError(f"evidence page {url}: the site was not asked")


class _Reader:
    """A page that is kept warm behind one port of the proxy; made by `_Reader.of`."""

    def __init__(self, page: Page, session: CDPSession, loading: Loading, recorder: Recorder, now: str) -> None:
        self._page, self._session, self._loading, self._now = page, session, loading, now
        self._observer = Observer(recorder=recorder)
        self._stranger = True
        """Whether the proxy has not seen the credential from this context yet."""

    @classmethod
    async def of(cls, browser: Browser, port: int, now: str) -> "_Reader":
        context = await new_context(browser, port, now)
        # Each world has a host of its own: connections to all of them would be kept for nothing.
        await context.set_extra_http_headers({"Connection": "close"})
        page = await context.new_page()
        # One for all: each further one would have the browser tell everything twice.
        session, recorder = await context.new_cdp_session(page), Recorder()
        await recorder.attach(page, session)
        return cls(page, session, await Loading.of(session), recorder, now)

    @property
    def closed(self) -> bool:
        return self._page.is_closed()

    async def at(self, now: str) -> None:
        """Set the clock, if it is another time than before."""
        if self._now != now:
            # Only then: each time that is set is one more script for every document to come.
            await self._page.context.clock.set_fixed_time(now)
            self._now = now

    async def become(self, address: str, cookies: Mapping[str, str]) -> None:
        """Take over a session; the context still has that of the episode before."""
        context = self._page.context
        await context.clear_cookies()
        await context.add_cookies([{"name": name, "value": value, "url": address} for name, value in cookies.items()])

    async def shown(self, url: str, world: "EpisodeWorld") -> Shown:
        """Return a page when it has settled; raises InfrastructureError if it does not load."""
        traffic = world.evidence_traffic
        requests_before = traffic.started()
        try:
            admission = admitted(self._session, url, world.evidence_credential)
            async with admission if self._stranger else contextlib.nullcontext():
                await self._page.goto(url, wait_until="load", timeout=FIRST_PAGE_TIMEOUT_MS)
        except PlaywrightError as error:
            raise InfrastructureError(f"evidence page {url}: {first_line(error)}") from error
        _check_asked(url, traffic.started() - requests_before)
        self._stranger = False
        # What a script draws is not there yet when the page has loaded.
        read = await self._observer.settled(self._page, traffic, loading=self._loading)
        return Shown(read.url, read.html)

    async def close(self) -> None:
        # The browser may be gone, and its contexts with it.
        with contextlib.suppress(PlaywrightError):
            await self._page.context.close()
