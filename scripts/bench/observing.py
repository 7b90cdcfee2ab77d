"""What the observer of other people's agents takes of a page, beside the read that each of our own steps has."""

import statistics
from contextlib import ExitStack

from playwright.sync_api import Browser, CDPSession, Page, ProxySettings, sync_playwright

from scripts.bench.figure import Figure
from scripts.waited import Recorder, launched
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.core.errors import InfrastructureError
from stressweb.perturbations import PROXY_USER
from stressweb.runner.external.observer import SAY, TELL, WORLD, observer_js
from stressweb.runner.registry import Library, site_names
from stressweb.runner.world.world import EpisodeWorld, World

_CORNER = {"x": 2, "y": 2, "button": "left", "clickCount": 1}
"""Where no site has a control, so that a click changes nothing and costs nothing but being heard."""
_CLICKS = 10


class _Tab:
    """A tab with the first page of a site, in an episode of its own."""

    def __init__(self, browser: Browser, episode: EpisodeWorld, *, observed: bool) -> None:
        proxy = ProxySettings(
            server=f"http://127.0.0.1:{episode.port}", username=PROXY_USER, password=episode.credential
        )
        self._context = browser.new_context(proxy=proxy, viewport={"width": 1280, "height": 800})
        self._page: Page = self._context.new_page()
        self._session: CDPSession = self._context.new_cdp_session(self._page)
        # In time of the thread, in which nothing counts that other processes of the machine take.
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._recorder = Recorder(episode)
        self.heard = 0
        if observed:
            self._observe(episode)
        self._page.goto(episode.start_url)

    def _observe(self, episode: EpisodeWorld) -> None:
        send = self._session.send
        self._session.on("Runtime.bindingCalled", self._called)
        send("Runtime.enable")
        send("Runtime.addBinding", {"name": SAY, "executionContextName": WORLD})
        script = observer_js(episode, TELL, "() => {}")
        send("Page.enable")
        send("Page.addScriptToEvaluateOnNewDocument", {"source": script, "worldName": WORLD})

    def _called(self, event: dict[str, str]) -> None:
        # Every action that begins comes with the page before it.
        self.heard += event["name"] == SAY and "\n" in event["payload"]

    def clicks_ms(self, *, read: bool = False) -> float:
        """Click, read the page after each click if asked for, and return what a click took of the main thread."""
        before = self._main_thread_ms()
        for _ in range(_CLICKS):
            for kind in ("mousePressed", "mouseReleased"):
                self._session.send("Input.dispatchMouseEvent", {"type": kind, **_CORNER})
            if read:
                self._recorder.read(self._page, measured=False)
        return (self._main_thread_ms() - before) / _CLICKS

    def close(self) -> None:
        self._context.close()

    def _main_thread_ms(self) -> float:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def measure_observing(rounds: int) -> Figure:
    """Measure a click that the observer hears against a read of ours: the median over the first pages of ten sites."""
    with ExitStack() as stack:
        browser = launched(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        world = World()
        stack.callback(world.close)
        costs = [_costs_ms(browser, world, site, rounds) for site in site_names()]
    ratio = statistics.median(observed / ours for observed, ours in costs)
    observed, ours = (statistics.median(column) for column in zip(*costs, strict=True))
    detail = f"{observed:.1f} ms against {ours:.1f} ms of the main thread, {len(costs)} sites"
    return Figure("an action that the observer hears / a read of ours", ratio, "x", 1.0, detail)


def _costs_ms(browser: Browser, world: World, site: str, rounds: int) -> tuple[float, float]:
    """Return what an action takes of the main thread because it is observed, and what a read of ours takes."""
    with ExitStack() as stack:
        tabs = []
        for observed in (False, True):
            episode = world.open(Library().world(site, 0), CLEAN, Seeds(0, 0, f"{site}/x"), b"m" * 16)
            stack.callback(episode.close)
            tabs.append(_Tab(browser, episode, observed=observed))
            stack.callback(tabs[-1].close)
        plain, heard = tabs
        least = [float("inf")] * 3
        # The first round is left out: the browser compiles what it keeps for later ones.
        for number in range(1 + rounds):
            round_ms = plain.clicks_ms(), heard.clicks_ms(), plain.clicks_ms(read=True)
            if number:
                least = [min(pair) for pair in zip(least, round_ms, strict=True)]
        if heard.heard != (1 + rounds) * _CLICKS:
            raise InfrastructureError(f"{site}: the observer heard {heard.heard} of {(1 + rounds) * _CLICKS} clicks")
    nothing_ms, observed_ms, read_ms = least
    return observed_ms - nothing_ms, read_ms - nothing_ms
