"""Whether this machine is currently too slow to blame an agent for a time-out."""

import time

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.core.errors import InfrastructureError, first_line

SLOW_FRAMES_S = 0.4
"""Seconds that a blank page may take for two frames; it takes 0.03 on a machine with time to spare."""
_FRAMES_JS = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


async def check_pace(page: Page, what: str) -> None:
    """Raise InfrastructureError if the machine is too slow; `what` ran out of time."""
    taken = await two_frames(page)
    if taken > SLOW_FRAMES_S:
        raise InfrastructureError(
            f"the machine is too slow: {what} timed out, and a blank page took {taken:.1f} s to draw two frames"
        )


async def is_slow(page: Page) -> bool:
    """Whether the machine is slow at the moment."""
    return await two_frames(page) > SLOW_FRAMES_S


async def two_frames(page: Page) -> float:
    """Return how many seconds a blank page of the same browser takes for two frames.

    The page of the agent is not asked: what it does may be slow by its own doing. Raises InfrastructureError if the
    browser is gone.
    """
    browser = page.context.browser
    assert browser is not None
    try:
        # A context without the episode's proxy: what is measured is the machine, not the way to the site.
        context = await browser.new_context()
        try:
            blank = await context.new_page()
            # The first answer of a page comes with the start of its process.
            await blank.evaluate(_FRAMES_JS)
            begun = time.monotonic()
            await blank.evaluate(_FRAMES_JS)
            taken = time.monotonic() - begun
        # A dialog may interrupt it, and the context would stay open.
        finally:
            await context.close()
    except PlaywrightError as error:
        raise InfrastructureError(f"the browser closed or crashed: {first_line(error)}") from error
    return taken
