"""DRAG: pressing on one place, moving to another and letting go, as a hand does it."""

import time

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.plugins.actions import Action
from stressweb.runner.browser.actions.target import Refused, find, in_time, point, state_of, wrong_with
from stressweb.runner.browser.interruption import holding

# As much as any other action has for its one target, so that a drag fails as soon as they do.
DRAG_TIMEOUT_MS = 1500
"""Milliseconds that both ends together have to become visible, still and uncovered."""
BEGIN = 6
"""Pixels that the pointer moves at first: less is a click with a trembling hand."""
MOVES = 8
"""Moves on the way: lists that sort themselves look at where the pointer comes by."""


async def drag(page: Page, action: Action) -> None:
    """Drag the target of an action to its other target; native drag and drop and pointer events alike.

    Both ends are looked at before anything is pressed, so that what fails has moved nothing. Raises Refused.
    """
    deadline = time.monotonic() + DRAG_TIMEOUT_MS / 1000
    source = await _looked_at(page, action.selector)
    target = await _looked_at(page, action.to_selector)
    start = None if source else point(page, action.x, action.y)
    end = None if target else point(page, action.to_x, action.to_y)
    if source:
        start = await _hover(page, source, action.selector or "", deadline)
    assert start is not None
    await page.mouse.move(*start)
    # Behind a dialog, to let go would hang: the session does it when the dialog is answered.
    with holding():
        try:
            await page.mouse.down()
            # The drag begins where the target of the drag still is under the pointer: looking for the other end may
            # scroll.
            await page.mouse.move(start[0] + BEGIN, start[1])
            if target:
                end = await _centre(page, target, action.to_selector or "", deadline)
            assert end is not None
            await page.mouse.move(*end, steps=MOVES)
            # A drag that began with the last move has not yet been over its target.
            await page.mouse.move(*end)
        # A button that stays down would turn every later move of the pointer into a drag.
        except (Refused, PlaywrightError):
            await page.mouse.up()
            raise
    await page.mouse.up()


async def _looked_at(page: Page, selector: str | None) -> ElementHandle | None:
    if selector is None:
        return None
    handle = await find(page, selector)
    refused = wrong_with(await state_of(handle), selector)
    if refused:
        raise refused
    return handle


def _left(deadline: float) -> float:
    """Return milliseconds until a deadline; Playwright takes 0 for no limit."""
    return max(1.0, 1000 * (deadline - time.monotonic()))


async def _hover(page: Page, handle: ElementHandle, selector: str, deadline: float) -> tuple[float, float]:
    await in_time(handle, selector, lambda ms: handle.hover(timeout=ms), _left(deadline))
    return await _centre(page, handle, selector, deadline)


async def _centre(page: Page, handle: ElementHandle, selector: str, deadline: float) -> tuple[float, float]:
    """Return the middle of what the viewport shows of an element, scrolled to if need be."""
    await in_time(handle, selector, lambda ms: handle.scroll_into_view_if_needed(timeout=ms), _left(deadline))
    box, size = await handle.bounding_box(), page.viewport_size
    if box is None or size is None:
        raise Refused("detached", selector)
    # An element may be larger than the viewport: its own middle could lie outside, where nothing can be pressed.
    left, right = max(box["x"], 0), min(box["x"] + box["width"], size["width"])
    top, bottom = max(box["y"], 0), min(box["y"] + box["height"], size["height"])
    return (left + right) / 2, (top + bottom) / 2
