"""SCROLL: turning the wheel, and waiting until the page has moved, so that what is seen next is seen where it is."""

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.runner.browser.interruption import asking
from stressweb.runner.browser.settle import torn

# The browser scrolls some time after it has taken the wheel's event, on a busy machine later than two frames.
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
    """Turn the wheel where the pointer is, by pixels; returns when something has moved, at the latest after 0.3 s."""
    with asking():
        watch = await page.evaluate_handle(_WATCH_JS)
    await page.mouse.wheel(0, delta)
    try:
        await watch.evaluate(_MOVED_JS)
    except PlaywrightError as error:
        # The wheel led to another page: there is nothing left to wait for.
        if not torn(error):
            raise
