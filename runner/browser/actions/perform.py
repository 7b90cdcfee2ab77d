"""Performs an agent's actions in the browser; an impossible action fails within two seconds and gives the reason."""

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

# A little less than the two seconds within which an action that is impossible has to fail.
NAVIGATION_TIMEOUT_MS = 1900
"""Milliseconds that a navigation has until the first byte of its answer."""
DONE = Outcome(ok=True)
_UNFIT = ("Malformed value", "cannot be filled", "into input[type=number]")
"""What Playwright says of a value that a field does not take."""


async def perform(page: Page, action: Action, offers: Sequence[Offer] = ()) -> Outcome:
    """Do one action on the page and say what came of it, in the same words in every condition.

    `offers` are the files that can be uploaded. Nothing is forced and nothing is verified. Tabs and dialogs are the
    session's. Raises InfrastructureError if the browser is gone, or if time ran out on a machine that is too slow.
    """
    try:
        if action.kind == "UPLOAD":
            await upload(page, action, offers)
        else:
            await _DOERS[action.kind](page, action)
    except Ended as ended:
        return ended.outcome
    except PlaywrightTimeoutError:
        # A time-out is the agent's failure, unless the machine is too slow: then this raises an infrastructure error.
        await check_pace(page, f"the action {action.kind}")
        return Outcome(ok=False, reason="timed out")
    except PlaywrightError as error:
        return _outcome_of(page, action, error)
    return DONE


def _outcome_of(page: Page, action: Action, error: PlaywrightError) -> Outcome:
    text = first_line(error)
    if page.is_closed() and "crashed" not in text:
        # A page may close its own tab; if the browser is gone, the read that follows finds out.
        return DONE
    if "crashed" in text or "has been closed" in text:
        raise InfrastructureError(f"the browser closed or crashed: {text}") from error
    # An address that is a download leaves the page where it is, which Playwright reports as a failed navigation.
    if "Download is starting" in text:
        return DONE
    # To the agent a page that went away under its action is the same as an element that did.
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
    # Playwright does not wait for what a click starts, because settling does, after every action in the same way.
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
        # An input may take no text, or not this one: a check box, or letters in a field for numbers.
        if any(sign in str(error) for sign in _UNFIT):
            raise Refused("invalid", f"value {action.text}") from error
        raise


async def _do_press(page: Page, action: Action) -> None:
    if action.selector is not None:
        # A disabled element takes no focus, and the key would go to whatever has it now.
        disabled = Refused("disabled", action.selector).outcome
        await (await find(page, action.selector, None, {"!disabled": disabled})).focus()
    await page.keyboard.press(action.key or "")


async def _do_hotkey(page: Page, action: Action) -> None:
    await page.keyboard.press(action.keys or "")


async def _do_scroll(page: Page, action: Action) -> None:
    if action.selector is not None or action.x is not None:
        # The wheel turns what is under the pointer.
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
        # By number, since the label may hold characters without width that noise has put in and no agent writes.
        await handle.select_option(index=state["option"], timeout=ms, no_wait_after=True)

    await in_time(handle, action.selector, select)


async def _do_check(page: Page, action: Action) -> None:
    """Click if the state differs, and look no further: Playwright's own `check` would tell of a swallowed click."""
    assert action.selector is not None
    checkable = _invalid(f"{action.selector} is not a checkbox or radio button")
    differs = "!checked" if action.kind == "CHECK" else "checked"
    await _click(await find(page, action.selector, None, {"checkable": checkable, differs: DONE}), action.selector)


async def _do_wait(page: Page, action: Action) -> None:
    await asyncio.sleep(action.seconds)


async def _do_navigate(page: Page, action: Action) -> None:
    url = urljoin(page.url, action.url or "")
    # `file:` would read this machine's disk and `javascript:` would run in the page: neither is a place to go to.
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise Refused("invalid", f"url {action.url}")
    # Only until the first byte: whether the page is loaded is for settling to find out, the same way after every
    # action.
    await page.goto(url, wait_until="commit", timeout=NAVIGATION_TIMEOUT_MS)


async def _do_history(page: Page, action: Action) -> None:
    step = -1 if action.kind == "GO_BACK" else 1
    history = await _history_of(page)
    index = history["currentIndex"] + step
    entries = history["entries"]
    # Every tab starts with a blank entry that was never a page of the world.
    if not 0 <= index < len(entries) or entries[index]["url"] == "about:blank":
        raise Refused("invalid", "there is no page to go back to" if step < 0 else "there is no page to go forward to")
    move = page.go_back if step < 0 else page.go_forward
    await move(wait_until="commit", timeout=NAVIGATION_TIMEOUT_MS)


async def _history_of(page: Page) -> dict[str, Any]:
    """Return what the browser says of a tab's history; for a moment after a navigation it refuses to say."""
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
        # Each session listens on until it is detached, and an agent may go back many times.
        await session.detach()


async def _do_reload(page: Page, action: Action) -> None:
    await page.reload(wait_until="commit", timeout=NAVIGATION_TIMEOUT_MS)


async def _do_nothing(page: Page, action: Action) -> None:
    """Leave the page as it is: the action ends the episode."""


_DOERS: Mapping[Kind, Callable[[Page, Action], Awaitable[None]]] = {
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
