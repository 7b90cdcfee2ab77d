"""Runs episodes in one browser and one world of this process."""

import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError

from stressweb.core.browser_program import find_browser
from stressweb.core.conditions import Condition
from stressweb.core.injections import AllowedInjections
from stressweb.log.exchanges import Exchanges
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.agent import Agent
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.plugins.task import Goal
from stressweb.runner.browser import driver
from stressweb.runner.episode.agent_thread import Heartbeat
from stressweb.runner.episode.evidence import Evidence
from stressweb.runner.episode.loop import OnStep, run_episode
from stressweb.runner.world.world import EpisodeWorld, World


class Playground:
    """One browser and one world, which can run many episodes at a time."""

    def __init__(self, browser: Browser, world: World, launch: Callable[[], Awaitable[Browser]] | None = None) -> None:
        """Take a browser and a running world, which the caller must close; `launch` starts another such browser."""
        self.browser, self.world, self._launch = browser, world, launch
        self.evidence = Evidence(browser)

    @contextlib.contextmanager
    def opened(
        self, cell: Cell, site: SiteWorld, condition: Condition, allowed_injections: AllowedInjections | None = None
    ) -> Iterator[EpisodeWorld]:
        """Yield the world of an episode under `condition`, which may differ from the cell's.

        `allowed_injections` restricts the injections.
        """
        episode = self.world.open(site, condition, cell.seeds, allowed_injections)
        try:
            yield episode
        finally:
            # The ports are reused by the next episode, which must not find anything of this one.
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
        allowed_injections: AllowedInjections | None = None,
        on_step: OnStep = lambda step: None,
        exchanges: Exchanges | None = None,
    ) -> EpisodeRecord:
        """Run an episode of the agent that `make` creates, and return its record without a grade.

        `on_step` gets each step once it is recorded, before the agent acts on it. `exchanges` records or replays the
        agent's exchanges with a language model.
        """
        with self.opened(cell, site, condition, allowed_injections) as episode:
            return await run_episode(
                cell, goal, make, episode, self.browser, self.evidence, limits, now_of(site), watch, on_step, exchanges
            )

    async def is_alive(self) -> bool:
        """Return whether the browser and its driver are running."""
        return await driver.is_alive(self.browser)

    async def renew(self) -> None:
        """Replace the browser with a new one, and close the old one unless it has already ended."""
        assert self._launch is not None, "the caller owns the browser"
        gone, self.browser = self.browser, await self._launch()
        await self.evidence.close()
        self.evidence = Evidence(self.browser)
        await _close(gone)

    async def close(self) -> None:
        """Close the evidence contexts; the browser and the world stay open."""
        await self.evidence.close()


@contextlib.asynccontextmanager
async def playground(path: Path | None = None, *, headed: bool = False) -> AsyncIterator[Playground]:
    """Start a browser and a world, and close both when the context ends.

    `path` is the browser's executable, by default the one that runs use. Raises InfrastructureError if it does not
    start.
    """
    async with contextlib.AsyncExitStack() as stack:
        playwright = await stack.enter_async_context(driver.playwright())
        launch = functools.partial(driver.launch, playwright, path or find_browser().path, headed=headed)
        browser = await launch()
        # Callbacks run in reverse order: the evidence contexts must close before the browser.
        stack.push_async_callback(lambda: _close(ground.browser))
        world = World()
        stack.callback(world.close)
        ground = Playground(browser, world, launch)
        stack.push_async_callback(ground.close)
        yield ground


async def _close(browser: Browser) -> None:
    # The browser or its driver may have crashed; then there is nothing to close.
    with contextlib.suppress(PlaywrightError):
        if browser.is_connected():
            await browser.close()
