"""SCROLL: turns the mouse wheel, and waits until the page has scrolled."""

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.runner.browser.interruption import asking
from stressweb.runner.browser.settle import torn

# The browser scrolls some time after the wheel event; on a busy machine, later than two frames.
_WATCH_JS = """() => {
  const seen = { moved: false };
  addEventListener("scroll", () => (seen.moved = true), { capture: true, once: true });
  return seen;
}"""
_MOVED_JS = """(seen) => new Promise((done) => {
  let looks = 0;
  const look = () => (seen.moved || ++looks > 60 ? done() : setTimeout(look, 5));
  look();
})"""


async def scroll(page: Page, delta: float) -> None:
    """Turn the wheel at the pointer by `delta` pixels; return once something has scrolled, or after 0.3 s."""
    with asking():
        watch = await page.evaluate_handle(_WATCH_JS)
    await page.mouse.wheel(0, delta)
    try:
        await watch.evaluate(_MOVED_JS)
    except PlaywrightError as error:
        # Scrolling led to another page, so there is nothing to wait for.
        if not torn(error):
            raise
