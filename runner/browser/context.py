"""Browser contexts behind the proxy, with the same settings for every episode."""

import contextlib
from collections.abc import AsyncIterator

from playwright.async_api import Browser, BrowserContext, ProxySettings
from playwright.async_api import Error as PlaywrightError

from stressweb.core.protocol import VIEWPORT


async def new_context(browser: Browser, port: int, page_time: str) -> BrowserContext:
    """Return a fresh context behind the proxy at `port`; its clock is fixed at `page_time`, an ISO date and time."""
    context = await browser.new_context(
        viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]},
        device_scale_factor=1,
        # Fixed, so that pages and pictures do not depend on the machine.
        locale="en-US",
        timezone_id="UTC",
        # A service worker could answer requests without the proxy.
        service_workers="block",
        # Pictures taken during a transition would differ between runs.
        reduced_motion="reduce",
        proxy=ProxySettings(server=f"http://127.0.0.1:{port}"),
    )
    # Only the time that pages read is fixed: timers and frames continue.
    await context.clock.set_fixed_time(page_time)
    return context


@contextlib.asynccontextmanager
async def opened(browser: Browser, port: int, page_time: str) -> AsyncIterator[BrowserContext]:
    """Open a context, and close it afterwards, even if the browser is gone."""
    context = await new_context(browser, port, page_time)
    try:
        yield context
    finally:
        with contextlib.suppress(PlaywrightError):
            await context.close()
