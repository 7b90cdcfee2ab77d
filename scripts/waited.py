"""The runner's asynchronous functions and classes under the same names, for tests and scripts that wait for each
call."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

from playwright.async_api import Page
from playwright.sync_api import Browser, Playwright

from scripts.blocking import asynchronous_of, blocking, run, use
from stressweb.core.browser_program import find_browser
from stressweb.log.limits import Limits
from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.browser import (
    admission,
    context,
    driver,
    loading,
    observe,
    pace,
    pictures,
    recorder,
    session,
    sources,
    tabs,
)
from stressweb.runner.browser import settle as settling
from stressweb.runner.browser.actions import drag as dragging
from stressweb.runner.browser.actions import perform as performing
from stressweb.runner.browser.actions import target
from stressweb.runner.causes import stage
from stressweb.runner.episode import agent_thread, evidence, loop
from stressweb.runner.episode.playground import Playground
from stressweb.runner.external import episode as external
from stressweb.runner.external import gate
from stressweb.runner.registry import Library
from stressweb.runner.verify import in_browser
from stressweb.runner.world.world import World
from stressweb.sources import frames, isolated_world, screenshots

AgentThread = blocking(agent_thread.AgentThread)
BrowserSession = blocking(session.BrowserSession)
Evidence = blocking(evidence.Evidence)
Gate = blocking(gate.Gate)
IsolatedWorld = blocking(isolated_world.IsolatedWorld.of)
Loading = blocking(loading.Loading.of)
Observer = blocking(observe.Observer)
Recorder = blocking(recorder.Recorder)
SourceReader = blocking(sources.SourceReader)
Tabs = blocking(tabs.Tabs.of)
admitted = blocking(admission.admitted)
check_pace = blocking(pace.check_pace)
drag = blocking(dragging.drag)
find = blocking(target.find)
new_context = blocking(context.new_context)
opened = blocking(context.opened)
perform = blocking(performing.perform)
run_episode = blocking(loop.run_episode)
run_observed = blocking(external.run_observed)
settle = blocking(settling.settle)
snapshot = blocking(frames.snapshot)
state_of = blocking(target.state_of)
still = blocking(screenshots.still)
take = blocking(pictures.take)


def launched(playwright: Playwright) -> Browser:
    """Start the browser that runs use; from now on, coroutines run on its loop."""
    use(playwright)
    browser: Browser = blocking(driver.launch)(playwright, find_browser().path)
    return browser


def takes(seconds: float) -> Callable[[Page], Coroutine[Any, Any, float]]:
    """Return a replacement of `two_frames` that reports so many seconds for a blank page."""

    async def _two_frames(page: Page) -> float:
        return seconds

    return _two_frames


def CauseStage(  # noqa: N802 - stands for the class
    world: World, browser: Browser, limits: Limits, library: Library, on_episode: stage.OnEpisode
) -> stage.CauseStage:
    """Return a stage in the tests' browser; its methods are synchronous themselves."""
    return stage.CauseStage(Playground(asynchronous_of(browser), world), limits, library, on_episode, run)


class WaitingLooks(Protocol):
    """A `Looks` whose methods wait."""

    def wrong_pages(self, site: SiteWorld, owner: str, paths: Iterable[str]) -> list[tuple[str, str]]:
        """Return the path and the problem of each wrong page."""


def Looks(browser: Browser, world: World, axe: str) -> WaitingLooks:  # noqa: N802 - stands for the class
    """Return a `Looks` in the tests' browser."""
    looks: WaitingLooks = blocking(in_browser.Looks)(Playground(asynchronous_of(browser), world), axe)
    return looks
