"""A browser context behind the proxy, the same for every episode."""

import contextlib
from collections.abc import AsyncIterator

from playwright.async_api import Browser, BrowserContext, ProxySettings
from playwright.async_api import Error as PlaywrightError

from stressweb.core.protocol import VIEWPORT


async def new_context(browser: Browser, port: int, now: str) -> BrowserContext:
    """Return a fresh context behind the proxy's listener at `port`; its clock stands at `now`, an ISO date and time."""
    context = await browser.new_context(
        viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]},
        device_scale_factor=1,
        # The machine's own language and time zone would show in pages and pictures, which must be the same everywhere.
        locale="en-US",
        timezone_id="UTC",
        # A service worker could answer requests that the proxy then never sees.
        service_workers="block",
        # A picture in the middle of a transition would be another one in every run.
        reduced_motion="reduce",
        proxy=ProxySettings(server=f"http://127.0.0.1:{port}"),
    )
    # Only what pages read of the clock stands still: timers and frames run on.
    await context.clock.set_fixed_time(now)
    return context


@contextlib.asynccontextmanager
async def opened(browser: Browser, port: int, now: str) -> AsyncIterator[BrowserContext]:
    """Open a context and close it again, whatever has become of the browser."""
    context = await new_context(browser, port, now)
    try:
        yield context
    finally:
        with contextlib.suppress(PlaywrightError):
            await context.close()
