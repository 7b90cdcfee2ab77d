"""Opens the pages of a site in the browser, undisturbed and without an agent."""

import contextlib
from collections.abc import AsyncIterator, Callable

from playwright.async_api import Page

from stressweb.core.conditions import CLEAN
from stressweb.log.recording import Cell
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.runner.browser.admission import admitted
from stressweb.runner.browser.context import opened
from stressweb.runner.browser.loading import Loading
from stressweb.runner.browser.settle import settle
from stressweb.runner.episode.playground import Playground
from stressweb.runner.world.world import EpisodeWorld


class Look:
    """A browser page to look at a site, created by `looking`."""

    def __init__(self, page: Page, episode: EpisodeWorld, loading: Loading) -> None:
        """Take a page that already shows the site."""
        self.page, self._episode, self._loading = page, episode, loading

    async def go(self, path: str) -> None:
        """Open a page of the site, and wait until it has settled."""
        await self.page.goto(self._episode.start_url.rstrip("/") + path)
        # Scripts may still draw content after the load event.
        await settle(self.page, self._episode.evidence_traffic, loading=self._loading)

    def faults(self) -> list[str]:
        """Return the failures of the site so far."""
        return [str(fault) for fault in self._episode.faults()]


@contextlib.asynccontextmanager
async def looking(
    ground: Playground, site: SiteWorld, owner: str, prepare: Callable[[Page], None] = lambda page: None
) -> AsyncIterator[Look]:
    """Yield a `Look` at a site, signed in as `owner`, or as a visitor if `owner` is "".

    `prepare` is called with the page before it loads anything.
    """
    cell = Cell(agent="", task=f"{site.site}/look", condition=CLEAN.label, world=site.seed)
    with ground.opened(cell, site, CLEAN) as episode:
        async with opened(ground.browser, episode.evidence_port, now_of(site)) as context:
            cookies = episode.look_back(owner).items()
            await context.add_cookies(
                [{"name": name, "value": value, "url": episode.start_url} for name, value in cookies]
            )
            page = await context.new_page()
            session = await context.new_cdp_session(page)
            loading = await Loading.of(session)
            prepare(page)
            async with admitted(session, episode.start_url, episode.evidence_credential):
                await page.goto(episode.start_url)
            yield Look(page, episode, loading)
