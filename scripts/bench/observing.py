"""The cost of the observer of external agents on a page, compared with the read in each step of our own agents."""

import statistics
from contextlib import ExitStack

from playwright.sync_api import Browser, sync_playwright

from scripts.bench.figure import Figure
from scripts.bench.page_cost import Arm
from scripts.waited import launched
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.core.errors import InfrastructureError
from stressweb.runner.external.observer import SAY, TELL, WORLD, action_reporter_js
from stressweb.runner.registry import Library, site_names
from stressweb.runner.world.world import World

_CORNER = {"x": 2, "y": 2, "button": "left", "clickCount": 1}
"""A point without a control on all sites, so that a click has no cost except for being observed."""
_CLICKS = 10


class _Tab(Arm):
    """A tab with clicks in its corner."""

    heard = 0
    """Number of clicks that the observer reported, each with the page before it."""

    def observe(self) -> None:
        """Install the observer in documents that are loaded from now on."""
        send = self._session.send
        self._session.on("Runtime.bindingCalled", self._called)
        send("Runtime.enable")
        send("Runtime.addBinding", {"name": SAY, "executionContextName": WORLD})
        script = action_reporter_js(self._episode, TELL, "() => {}")
        send("Page.enable")
        send("Page.addScriptToEvaluateOnNewDocument", {"source": script, "worldName": WORLD})

    def _called(self, event: dict[str, str]) -> None:
        self.heard += event["name"] == SAY and "\n" in event["payload"]

    def clicks_ms(self, *, read: bool = False) -> float:
        """Click, with a read after each click if `read` is set, and return the main thread's time per click."""
        before = self.main_thread_ms()
        for _ in range(_CLICKS):
            for kind in ("mousePressed", "mouseReleased"):
                self._session.send("Input.dispatchMouseEvent", {"type": kind, **_CORNER})
            if read:
                self._recorder.read(self._page, measured=False)
        return (self.main_thread_ms() - before) / _CLICKS


def measure_observing(rounds: int) -> Figure:
    """Measure an observed click compared with a read of ours: the median over the first pages of all sites."""
    with ExitStack() as stack:
        browser = launched(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        world = World()
        stack.callback(world.close)
        costs = [_costs_ms(browser, world, site, rounds) for site in site_names()]
    ratio = statistics.median(observed / ours for observed, ours in costs)
    observed, ours = (statistics.median(column) for column in zip(*costs, strict=True))
    detail = f"{observed:.1f} ms against {ours:.1f} ms of the main thread, {len(costs)} sites"
    return Figure("an observed action / a read of ours", ratio, "x", 1.0, detail)


def _costs_ms(browser: Browser, world: World, site: str, rounds: int) -> tuple[float, float]:
    """Return the main thread's time for observing an action, and for a read of ours."""
    with ExitStack() as stack:
        site_world = Library().world(site, 0)
        plain, heard = (_Tab(browser, world.open(site_world, CLEAN, Seeds(0, 0, f"{site}/x"))) for _ in range(2))
        stack.callback(plain.close)
        stack.callback(heard.close)
        heard.observe()
        for tab in (plain, heard):
            tab.load()
        least = [float("inf")] * 3
        # Skip the first round, in which the browser compiles scripts.
        for number in range(1 + rounds):
            round_ms = plain.clicks_ms(), heard.clicks_ms(), plain.clicks_ms(read=True)
            if number:
                least = [min(pair) for pair in zip(least, round_ms, strict=True)]
        if heard.heard != (1 + rounds) * _CLICKS:
            raise InfrastructureError(f"{site}: the observer heard {heard.heard} of {(1 + rounds) * _CLICKS} clicks")
    nothing_ms, observed_ms, read_ms = least
    return observed_ms - nothing_ms, read_ms - nothing_ms
