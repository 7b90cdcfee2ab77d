"""Measures whether this machine is currently too slow to blame an agent for a time-out."""

import time

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.core.errors import InfrastructureError, first_line

SLOW_FRAMES_S = 0.4
"""Maximum number of seconds for two frames of a blank page; an idle machine takes 0.03."""
_FRAMES_JS = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


async def check_pace(page: Page, what: str) -> None:
    """Raise InfrastructureError if the machine is too slow; `what` names the operation that timed out."""
    seconds = await two_frames(page)
    if seconds > SLOW_FRAMES_S:
        raise InfrastructureError(
            f"the machine is too slow: {what} timed out, and a blank page took {seconds:.1f} s to draw two frames"
        )


async def is_slow(page: Page) -> bool:
    """Return whether the machine is currently slow."""
    return await two_frames(page) > SLOW_FRAMES_S


async def two_frames(page: Page) -> float:
    """Return how many seconds a blank page of the same browser takes for two frames.

    The agent's own page is not measured, since its scripts may be slow. Raises InfrastructureError if the browser is
    gone.
    """
    browser = page.context.browser
    assert browser is not None
    try:
        # A context without the episode's proxy, to measure only the machine.
        context = await browser.new_context()
        try:
            blank = await context.new_page()
            # The first call includes the start of the page's process.
            await blank.evaluate(_FRAMES_JS)
            start = time.monotonic()
            await blank.evaluate(_FRAMES_JS)
            seconds = time.monotonic() - start
        # Also if a dialog interrupts the measurement.
        finally:
            await context.close()
    except PlaywrightError as error:
        raise InfrastructureError(f"the browser closed or crashed: {first_line(error)}") from error
    return seconds
