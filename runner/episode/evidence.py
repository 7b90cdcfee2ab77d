"""Reads the evidence pages of an episode at its end, undisturbed."""

import asyncio
import contextlib
import functools
import http.client
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, cast

from playwright.async_api import Browser, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.protocol import FIRST_PAGE_TIMEOUT_MS
from stressweb.log.recording import Shown
from stressweb.runner.browser.admission import admitted
from stressweb.runner.browser.context import new_context
from stressweb.runner.browser.loading import Loading
from stressweb.runner.browser.observe import Observer
from stressweb.runner.browser.recorder import Recorder
from stressweb.runner.episode.agent_thread import Heartbeat
from stressweb.runner.episode.evidence_page_reader import EvidencePageReader

if TYPE_CHECKING:
    # Imports mitmproxy, which takes a second.
    from stressweb.runner.world.world import EpisodeWorld


class Evidence:
    """Reads the evidence pages of episodes in browser contexts that are kept open between episodes.

    Pages that a browser would show exactly as the site writes them are read without it.
    """

    def __init__(self, browser: Browser) -> None:
        """Take the browser; no context is opened yet."""
        self._browser = browser
        self._readers: dict[int, _Reader] = {}
        self._user_agent = ""

    async def read(
        self,
        world: "EpisodeWorld",
        paths: tuple[str, ...],
        owner: str,
        page_time: str,
        watch: Heartbeat | None = None,
        address: str = "",
    ) -> dict[str, Shown]:
        """Return the pages at `paths` as `owner` sees them: a person, a visitor, or "" for a first visit.

        `address` selects a site of a chain; by default it is the site where the episode starts.
        """
        address = address or world.start_url
        watch = watch or Heartbeat()
        watch.working()
        urls = {path: address.rstrip("/") + path for path in paths}
        page_reader = EvidencePageReader(world, world.look_back(owner, address), await self._get_user_agent())
        pages_without_browser = await _read_each(
            urls, functools.partial(_read_without_browser, page_reader, world), watch
        )
        if None not in pages_without_browser.values():
            return cast("dict[str, Shown]", pages_without_browser)
        # A request may change the database, so the browser starts with a fresh copy.
        reader = await self._reader_for(world.evidence_port, page_time)
        await reader.become(address, world.look_back(owner, address))
        return await _read_each(urls, functools.partial(reader.shown, world=world), watch)

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
        """Close all open contexts."""
        readers, self._readers = self._readers, {}
        for reader in readers.values():
            await reader.close()

    async def _reader_for(self, port: int, page_time: str) -> "_Reader":
        """Return the reader for a port, which only one episode uses at a time. A context cannot change its proxy."""
        reader = self._readers.get(port)
        if reader is None or reader.closed:
            reader = self._readers[port] = await _Reader.of(self._browser, port, page_time)
        await reader.at(page_time)
        return reader


async def _read_each[Page](
    urls: Mapping[str, str], read: Callable[[str], Awaitable[Page]], watch: Heartbeat
) -> dict[str, Page]:
    """Read the page at each URL and return the pages by path; stop at the first None."""
    pages = {}
    for path, url in urls.items():
        pages[path] = await read(url)
        # Reading several pages may take longer than the parent process waits for a heartbeat.
        watch.working()
        if pages[path] is None:
            break
    return pages


async def _read_without_browser(page_reader: EvidencePageReader, world: "EpisodeWorld", url: str) -> Shown | None:
    """Read a page without the browser; return None if it needs one, and raise InfrastructureError on failure."""
    traffic = world.evidence_traffic
    requests_before = traffic.started()
    try:
        page = await asyncio.to_thread(page_reader.read, url)
    except (OSError, http.client.HTTPException) as error:
        raise InfrastructureError(f"evidence page {url}: {first_line(error)}") from error
    _check_asked(url, traffic.started() - requests_before)
    return page


def _check_asked(url: str, requests: int) -> None:
    """Raise InfrastructureError if the site received no request."""
    if not requests:
        # The response came from the proxy itself or from the browser's cache, so it is not evidence of this episode.
        raise InfrastructureError(f"evidence page {url}: the site was not asked")


class _Reader:
    """A browser page that is kept open for one port of the proxy, created by `_Reader.of`."""

    def __init__(self, page: Page, session: CDPSession, loading: Loading, recorder: Recorder, page_time: str) -> None:
        self._page, self._session, self._loading, self._page_time = page, session, loading, page_time
        self._observer = Observer(recorder=recorder)
        self._stranger = True
        """Whether this context has not sent the proxy's credential yet."""

    @classmethod
    async def of(cls, browser: Browser, port: int, page_time: str) -> "_Reader":
        context = await new_context(browser, port, page_time)
        # Each world has its own host, so kept-alive connections would never be reused.
        await context.set_extra_http_headers({"Connection": "close"})
        page = await context.new_page()
        # Share one session: with each further one, the browser sends every event again.
        session, recorder = await context.new_cdp_session(page), Recorder()
        await recorder.attach(page, session)
        return cls(page, session, await Loading.of(session), recorder, page_time)

    @property
    def closed(self) -> bool:
        return self._page.is_closed()

    async def at(self, page_time: str) -> None:
        """Set the clock if the time has changed."""
        if self._page_time != page_time:
            # Each call adds another script to all later documents.
            await self._page.context.clock.set_fixed_time(page_time)
            self._page_time = page_time

    async def become(self, address: str, cookies: Mapping[str, str]) -> None:
        """Replace the cookies of the previous episode with those of a session."""
        context = self._page.context
        await context.clear_cookies()
        await context.add_cookies([{"name": name, "value": value, "url": address} for name, value in cookies.items()])

    async def shown(self, url: str, world: "EpisodeWorld") -> Shown:
        """Load a page and return it once it has settled; raise InfrastructureError if it does not load."""
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
        # Scripts may still draw content after the load event.
        read = await self._observer.settled(self._page, traffic, loading=self._loading)
        return Shown(read.url, read.html)

    async def close(self) -> None:
        # The browser may already have ended.
        with contextlib.suppress(PlaywrightError):
            await self._page.context.close()
