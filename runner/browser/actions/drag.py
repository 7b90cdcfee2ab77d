"""DRAG: presses the mouse on one element or position, moves it to another, and releases it."""

import time

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.plugins.actions import Action
from stressweb.runner.browser.actions.target import Refused, find, in_time, point, refusal_for, state_of
from stressweb.runner.browser.interruption import holding

# The same as for the single target of other actions.
DRAG_TIMEOUT_MS = 1500
"""Time limit in milliseconds for both ends together to become visible, stable and uncovered."""
FIRST_MOVE_PX = 6
"""Length of the first move, in pixels: less may count as a click."""
MOVES = 8
"""Number of intermediate moves, since sortable lists react to the pointer's path."""


async def drag(page: Page, action: Action) -> None:
    """Drag an action's target to its second target, by native drag and drop or pointer events.

    Both ends are checked before the mouse is pressed, so that a failed drag moves nothing. Raises Refused.
    """
    deadline = time.monotonic() + DRAG_TIMEOUT_MS / 1000
    source = await _find_draggable(page, action.selector)
    target = await _find_draggable(page, action.to_selector)
    start = None if source else point(page, action.x, action.y)
    end = None if target else point(page, action.to_x, action.to_y)
    if source:
        start = await _hover(page, source, action.selector or "", deadline)
    assert start is not None
    await page.mouse.move(*start)
    # Releasing the mouse behind a dialog would hang; the session does it once the dialog is answered.
    with holding():
        try:
            await page.mouse.down()
            # Start the drag before locating the other end, which may scroll the source away from the pointer.
            await page.mouse.move(start[0] + FIRST_MOVE_PX, start[1])
            if target:
                end = await _centre(page, target, action.to_selector or "", deadline)
            assert end is not None
            await page.mouse.move(*end, steps=MOVES)
            # A drag that only started with the last move needs another move over its target.
            await page.mouse.move(*end)
        # With the button still down, every later move of the pointer would drag.
        except (Refused, PlaywrightError):
            await page.mouse.up()
            raise
    await page.mouse.up()


async def _find_draggable(page: Page, selector: str | None) -> ElementHandle | None:
    if selector is None:
        return None
    handle = await find(page, selector)
    refusal = refusal_for(await state_of(handle), selector)
    if refusal:
        raise refusal
    return handle


def _ms_until(deadline: float) -> float:
    """Return the milliseconds until a deadline, at least 1, since 0 means no limit to Playwright."""
    return max(1.0, 1000 * (deadline - time.monotonic()))


async def _hover(page: Page, handle: ElementHandle, selector: str, deadline: float) -> tuple[float, float]:
    await in_time(handle, selector, lambda ms: handle.hover(timeout=ms), _ms_until(deadline))
    return await _centre(page, handle, selector, deadline)


async def _centre(page: Page, handle: ElementHandle, selector: str, deadline: float) -> tuple[float, float]:
    """Scroll an element into view if needed, and return the centre of its part in the viewport."""
    await in_time(handle, selector, lambda ms: handle.scroll_into_view_if_needed(timeout=ms), _ms_until(deadline))
    box, size = await handle.bounding_box(), page.viewport_size
    if box is None or size is None:
        raise Refused("detached", selector)
    # If the element is larger than the viewport, its own centre may be outside.
    left, right = max(box["x"], 0), min(box["x"] + box["width"], size["width"])
    top, bottom = max(box["y"], 0), min(box["y"] + box["height"], size["height"])
    return (left + right) / 2, (top + bottom) / 2
