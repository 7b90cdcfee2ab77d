"""The time of a click on a long page, with and without the mode that adjusts every block of it."""

import statistics
import time
from contextlib import ExitStack

from playwright.sync_api import Browser, sync_playwright

from scripts.bench.figure import Figure
from scripts.bench.sized_page import SizedSite
from scripts.waited import BrowserSession, Recorder, launched, new_context
from stressweb.core.conditions import CLEAN, Condition
from stressweb.core.draws import Seeds
from stressweb.core.errors import InfrastructureError
from stressweb.core.protocol import FIRST_PAGE_TIMEOUT_MS
from stressweb.plugins.actions import Action
from stressweb.runner.registry import conditions
from stressweb.runner.world.world import World

ROWS = 270
_LABEL = "chaos@3"
_NOW = "2025-01-01T09:00:00Z"
_SEEDS = Seeds(0, 0, "sized/x")
_LOADS = Action(kind="CLICK", selector="#again")
_STAYS = Action(kind="CLICK", selector="#nothing")


def long_page(rows: int) -> str:
    """Return a page with `rows` rows, each with a heading, a text, a link and a button."""
    row = (
        "<li><article><h3>Item number {0}</h3><p>Some words about the item {0}, as many as fit into a line.</p>"
        '<a href="/item-{0}">Details of {0}</a> <button type="button">Add {0}</button> <span>{0}.99</span></article>'
        "</li>"
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Items</title></head><body><h1>Items</h1>'
        '<p><button id="nothing" type="button">Do nothing</button> <a id="again" href="/">Load again</a></p>'
        f"<ul>{''.join(row.format(number) for number in range(rows))}</ul></body></html>"
    )


def measure_long_page(rounds: int) -> list[Figure]:
    """Measure clicks on a long page, from the click until the next read of the page."""
    site = SizedSite(long_page(ROWS))
    (chaos,) = conditions(_LABEL)
    with ExitStack() as stack:
        browser = launched(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        world = World()
        stack.callback(world.close)
        (loads, stays), (plain_loads, plain_stays) = (
            _clicks(browser, world, site, condition, rounds) for condition in (chaos, CLEAN)
        )
    about = f"{{:.2f}} s against {{:.2f}} s, {len(site.page) / 1000:.0f} kB"
    return [
        Figure(f"{name} of {ROWS} rows, {_LABEL} / clean", ours / plain, "x", None,
               about.format(ours, plain))
        for name, ours, plain in (
            ("a click that reloads a page", loads, plain_loads),
            ("a click on a page", stays, plain_stays),
        )
    ]  # fmt: skip


def _clicks(browser: Browser, world: World, site: SizedSite, condition: Condition, rounds: int) -> tuple[float, float]:
    """Return the median seconds of a click that loads the page again, and of one that does nothing."""
    seconds: tuple[list[float], list[float]] = ([], [])
    episode = world.open(site, condition, _SEEDS)
    try:
        context = new_context(browser, episode.port, _NOW)
        session = BrowserSession(context, episode, recorder=Recorder(episode))
        session.start(episode.start_url, FIRST_PAGE_TIMEOUT_MS, episode.credential)
        for number in range(1 + rounds):
            for action, spent in zip((_LOADS, _STAYS), seconds, strict=True):
                start = time.perf_counter()
                outcome, _ = session.step(action)
                if not outcome.ok:
                    raise InfrastructureError(f"the click on {action.selector} was refused: {outcome.reason}")
                # Skip the first round, in which the browser compiles scripts.
                if number:
                    spent.append(time.perf_counter() - start)
        context.close()
    finally:
        episode.close()
    return statistics.median(seconds[0]), statistics.median(seconds[1])
