"""Performs an agent's actions in the browser. An impossible action fails within two seconds, with the reason."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.plugins.actions import Action, Kind, Outcome
from stressweb.plugins.offers import Offer
from stressweb.runner.browser.actions.drag import drag
from stressweb.runner.browser.actions.scroll import scroll
from stressweb.runner.browser.actions.target import Ended, Refused, find, in_time, point, state_of
from stressweb.runner.browser.actions.upload import upload
from stressweb.runner.browser.pace import check_pace
from stressweb.runner.browser.settle import torn

# Just below the two seconds within which an impossible action must fail.
NAVIGATION_TIMEOUT_MS = 1900
"""Time limit of a navigation until the first byte of its answer, in milliseconds."""
DONE = Outcome(ok=True)
_UNFIT = ("Malformed value", "cannot be filled", "into input[type=number]")
"""Parts of Playwright's messages about a value that a field does not accept."""


async def perform(page: Page, action: Action, offers: Sequence[Offer] = ()) -> Outcome:
    """Perform an action on the page and return its outcome, with the same messages in every condition.

    `offers` are the files that can be uploaded. Nothing is forced and nothing is verified. The session handles tabs and
    dialogs. Raises InfrastructureError if the browser is gone, or if a time-out is due to a slow machine.
    """
    try:
        if action.kind == "UPLOAD":
            await upload(page, action, offers)
        else:
            await _PERFORMERS[action.kind](page, action)
    except Ended as ended:
        return ended.outcome
    except PlaywrightTimeoutError:
        # Raises if the machine is too slow; otherwise the time-out is the agent's failure.
        await check_pace(page, f"the action {action.kind}")
        return Outcome(ok=False, reason="timed out")
    except PlaywrightError as error:
        return _outcome_of(page, action, error)
    return DONE


def _outcome_of(page: Page, action: Action, error: PlaywrightError) -> Outcome:
    text = first_line(error)
    if page.is_closed() and "crashed" not in text:
        # A page may close its own tab; if the browser is gone, the next read fails.
        return DONE
    if "crashed" in text or "has been closed" in text:
        raise InfrastructureError(f"the browser closed or crashed: {text}") from error
    # Playwright reports a download as a failed navigation.
    if "Download is starting" in text:
        return DONE
    # If a navigation replaced the page during the action, its element is detached.
    if torn(error) or "not attached" in text or "interrupted by another navigation" in text:
        return Outcome(ok=False, reason="detached", detail=action.selector or "")
    if "Unknown key" in text or "Unknown modifier" in text:
        return Outcome(ok=False, reason="invalid", detail=text.partition(": ")[2])
    if "net::" in text:
        return Outcome(ok=False, reason="not found", detail=text[text.index("net::") + 5 :].partition(" ")[0])
    return Outcome(ok=False, reason="invalid", detail=text[:120])


def _invalid(detail: str) -> Outcome:
    return Outcome(ok=False, reason="invalid", detail=detail)


async def _press_on(page: Page, action: Action, count: int) -> None:
    """Click the target of an action, given by selector or by coordinates."""
    if action.selector is None:
        await page.mouse.click(*point(page, action.x, action.y), click_count=count)
        return
    await _click(await find(page, action.selector), action.selector, count)


async def _click(handle: ElementHandle, selector: str, count: int = 1) -> None:
    # Without Playwright's own waiting, since settling waits in the same way after every action.
    await in_time(handle, selector, lambda ms: handle.click(click_count=count, timeout=ms, no_wait_after=True))


async def _do_click(page: Page, action: Action) -> None:
    await _press_on(page, action, action.click_count)


async def _do_type(page: Page, action: Action) -> None:
    if action.selector is not None or action.x is not None:
        await _press_on(page, action, 1)
    await page.keyboard.type(action.text or "")


async def _do_fill(page: Page, action: Action) -> None:
    assert action.selector is not None
    assert action.text is not None
    needs = {"editable": _invalid(f"{action.selector} is not a field"), "fits": _invalid(f"value {action.text}")}
    handle = await find(page, action.selector, action.text, needs)
    text = action.text
    try:
        await in_time(handle, action.selector, lambda ms: handle.fill(text, timeout=ms, no_wait_after=True))
    except PlaywrightError as error:
        # The field may accept no text, like a checkbox, or not this text, like letters in a number field.
        if any(sign in str(error) for sign in _UNFIT):
            raise Refused("invalid", f"value {action.text}") from error
        raise


async def _do_press(page: Page, action: Action) -> None:
    if action.selector is not None:
        # A disabled element cannot be focused, so the key would go to the element that has the focus.
        disabled = Refused("disabled", action.selector).outcome
        await (await find(page, action.selector, None, {"!disabled": disabled})).focus()
    await page.keyboard.press(action.key or "")


async def _do_hotkey(page: Page, action: Action) -> None:
    await page.keyboard.press(action.keys or "")


async def _do_scroll(page: Page, action: Action) -> None:
    if action.selector is not None or action.x is not None:
        # The wheel scrolls what is under the pointer.
        await _do_hover(page, action)
    await scroll(page, action.delta)


async def _do_hover(page: Page, action: Action) -> None:
    if action.selector is None:
        await page.mouse.move(*point(page, action.x, action.y))
        return
    handle = await find(page, action.selector)
    await in_time(handle, action.selector, lambda ms: handle.hover(timeout=ms))


async def _do_select(page: Page, action: Action) -> None:
    assert action.selector is not None
    handle = await find(page, action.selector)
    state = await state_of(handle, action.option)
    if state["option"] is None:
        raise Refused("invalid", f"{action.selector} is not a select")
    if state["option"] < 0:
        raise Refused("not found", f"option {action.option}")
    if state["disabled"]:
        raise Refused("disabled", f"option {action.option}")

    async def select(ms: float) -> None:
        # By index, since the mode `noise` may add zero-width characters to the label.
        await handle.select_option(index=state["option"], timeout=ms, no_wait_after=True)

    await in_time(handle, action.selector, select)


async def _do_check(page: Page, action: Action) -> None:
    """Click if the state differs, without verifying: Playwright's `check` would reveal a dropped click."""
    assert action.selector is not None
    checkable = _invalid(f"{action.selector} is not a checkbox or radio button")
    differs = "!checked" if action.kind == "CHECK" else "checked"
    await _click(await find(page, action.selector, None, {"checkable": checkable, differs: DONE}), action.selector)


async def _do_wait(page: Page, action: Action) -> None:
    await asyncio.sleep(action.seconds)


async def _do_navigate(page: Page, action: Action) -> None:
    url = urljoin(page.url, action.url or "")
    # `file:` would read this machine's disk, and `javascript:` would run in the page.
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise Refused("invalid", f"url {action.url}")
    # Only until the first byte; settling waits for the rest, in the same way after every action.
    await page.goto(url, wait_until="commit", timeout=NAVIGATION_TIMEOUT_MS)


async def _do_history(page: Page, action: Action) -> None:
    step = -1 if action.kind == "GO_BACK" else 1
    history = await _history_of(page)
    index = history["currentIndex"] + step
    entries = history["entries"]
    # Every tab's history starts with a blank entry.
    if not 0 <= index < len(entries) or entries[index]["url"] == "about:blank":
        raise Refused("invalid", "there is no page to go back to" if step < 0 else "there is no page to go forward to")
    move = page.go_back if step < 0 else page.go_forward
    await move(wait_until="commit", timeout=NAVIGATION_TIMEOUT_MS)


async def _history_of(page: Page) -> dict[str, Any]:
    """Return a tab's history from the browser, retrying because it refuses for a moment after a navigation."""
    deadline = time.monotonic() + NAVIGATION_TIMEOUT_MS / 1000
    session = await page.context.new_cdp_session(page)
    try:
        while True:
            try:
                return await session.send("Page.getNavigationHistory")
            except PlaywrightError as error:
                if "Not attached to an active page" not in str(error) or time.monotonic() > deadline:
                    raise
    finally:
        # Detach, since an agent may go back many times.
        await session.detach()


async def _do_reload(page: Page, action: Action) -> None:
    await page.reload(wait_until="commit", timeout=NAVIGATION_TIMEOUT_MS)


async def _do_nothing(page: Page, action: Action) -> None:
    """Do nothing, for actions that end the episode."""


_PERFORMERS: Mapping[Kind, Callable[[Page, Action], Awaitable[None]]] = {
    "NAVIGATE": _do_navigate,
    "CLICK": _do_click,
    "TYPE": _do_type,
    "FILL": _do_fill,
    "PRESS": _do_press,
    "HOTKEY": _do_hotkey,
    "SCROLL": _do_scroll,
    "HOVER": _do_hover,
    "SELECT": _do_select,
    "CHECK": _do_check,
    "UNCHECK": _do_check,
    "DRAG": drag,
    "WAIT": _do_wait,
    "GO_BACK": _do_history,
    "GO_FORWARD": _do_history,
    "RELOAD": _do_reload,
    "DONE": _do_nothing,
    "FAIL": _do_nothing,
}
