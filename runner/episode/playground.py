"""Where episodes are played: one browser and one world in this process, and what is kept warm in them."""

import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError

from runner.browser import driver
from runner.episode.agent_thread import Heartbeat
from runner.episode.evidence import Evidence
from runner.episode.loop import OnStep, run_episode
from runner.world.world import EpisodeWorld, World
from stressweb.core.browser_program import find_browser
from stressweb.core.conditions import Condition
from stressweb.core.injections import Allowed
from stressweb.log.exchanges import Exchanges
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.agent import Agent
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.plugins.task import Goal


class Playground:
    """One browser and one world; many episodes may be in flight in them."""

    def __init__(self, browser: Browser, world: World, launch: Callable[[], Awaitable[Browser]] | None = None) -> None:
        """Take a browser and a running world, which stay the caller's; `launch` starts another browser like it."""
        self.browser, self.world, self._launch = browser, world, launch
        self.evidence = Evidence(browser)

    @contextlib.contextmanager
    def opened(
        self, cell: Cell, site: SiteWorld, condition: Condition, allowed: Allowed | None = None
    ) -> Iterator[EpisodeWorld]:
        """Yield the world of an episode under a condition, whatever the cell's is; `allowed` holds injections back."""
        episode = self.world.open(site, condition, cell.seeds, cell.mark_key, allowed)
        try:
            yield episode
        finally:
            # Its ports serve another episode next, which must find nothing of this one.
            episode.close()

    async def play(
        self,
        cell: Cell,
        site: SiteWorld,
        goal: Goal,
        condition: Condition,
        make: Callable[[], Agent],
        limits: Limits,
        watch: Heartbeat | None = None,
        allowed: Allowed | None = None,
        on_step: OnStep = lambda step: None,
        exchanges: Exchanges | None = None,
    ) -> EpisodeRecord:
        """Return an episode of an agent, made by `make`, on a site in the world of the cell; it is not graded yet.

        `on_step` gets each step when it has been recorded, before the agent acts on it. `exchanges` is what records or
        replays the agent's exchanges with a language model.
        """
        with self.opened(cell, site, condition, allowed) as episode:
            return await run_episode(
                cell, goal, make, episode, self.browser, self.evidence, limits, now_of(site), watch, on_step, exchanges
            )

    async def is_alive(self) -> bool:
        """Whether the browser and its driver are there."""
        return await driver.is_alive(self.browser)

    async def renew(self) -> None:
        """Start another browser in the place of this one, which is closed unless it has gone already."""
        assert self._launch is not None, "the browser is somebody else's"
        gone, self.browser = self.browser, await self._launch()
        await self.evidence.close()
        self.evidence = Evidence(self.browser)
        await _close(gone)

    async def close(self) -> None:
        """Close what is kept warm; browser and world stay."""
        await self.evidence.close()


@contextlib.asynccontextmanager
async def playground(path: Path | None = None, *, headed: bool = False) -> AsyncIterator[Playground]:
    """Start a browser and a world, and end both whatever happens.

    `path` is that of the browser, the one of all runs if not given. Raises InfrastructureError if it does not start.
    """
    async with contextlib.AsyncExitStack() as stack:
        playwright = await stack.enter_async_context(driver.playwright())
        launch = functools.partial(driver.launch, playwright, path or find_browser().path, headed=headed)
        browser = await launch()
        # In reverse order: what is kept warm lives in the browser.
        stack.push_async_callback(lambda: _close(ground.browser))
        world = World()
        stack.callback(world.close)
        ground = Playground(browser, world, launch)
        stack.push_async_callback(ground.close)
        yield ground


async def _close(browser: Browser) -> None:
    # It, or its driver, may have crashed, which is why an episode failed, and then there is nothing to close.
    with contextlib.suppress(PlaywrightError):
        if browser.is_connected():
            await browser.close()
