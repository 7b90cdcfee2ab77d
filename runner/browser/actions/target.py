"""The element or place that an action is about, and why it cannot be acted on."""

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.plugins.actions import Outcome, Reason
from stressweb.runner.browser.interruption import asking
from stressweb.runner.browser.pace import is_slow
from stressweb.sources.frames import is_read
from stressweb.sources.part import INNER_JS

DIAGNOSE_JS = Path(__file__).with_name("diagnose.js").read_text("utf-8")
# Found and looked at in one question: each further one is a round trip, and the page could change in between.
_FIND_JS = f"""([selector, wanted, needs]) => {{
  const element = ({Path(__file__).with_name("find.js").read_text("utf-8")})({INNER_JS}, selector);
  if (!element || !needs.length) return element;
  const state = ({DIAGNOSE_JS})(element, wanted);
  const holds = (need) => (need.startsWith("!") ? !state[need.slice(1)] : state[need]);
  return needs.find((need) => !holds(need)) ?? element;
}}"""
# As one of Playwright's own tries does.
_CENTRED_JS = f"""(element) => {{
  element.scrollIntoView({{ block: "center", inline: "center", behavior: "instant" }});
  return ({DIAGNOSE_JS})(element, null);
}}"""
_NTH = re.compile(r"(.*) >> nth=(\d+)", re.DOTALL)
TARGET_TIMEOUT_MS = 1500.0
"""Milliseconds that a target has to become visible, still, enabled and uncovered."""
SLOW_TIMEOUTS_MS = (6000.0, 12_000.0)
"""The same for a second and a third try, on a machine that is too slow for the first."""
_WAITED, _READY, _DOING = "retrying", "element is visible", "performing"
"""What stands in Playwright's log of an action: that its target was not ready, was ready, and was acted on."""
_SCROLLED = "scrolling into view"
"""The line of that log for a page that was scrolled to its target."""
type ElementState = dict[str, Any]
"""What `diagnose.js` says of an element."""


class Ended(Exception):  # noqa: N818 - an outcome on its way, no failure of ours
    """The action is over before anything was done; carries what came of it."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"{outcome.reason} {outcome.detail}")
        self.outcome = outcome


class Refused(Ended):
    """The action cannot be done; the outcome says why."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(Outcome(ok=False, reason=reason, detail=detail))


async def find(
    page: Page, selector: str, wanted: str | None = None, needs: Mapping[str, Outcome] = MappingProxyType({})
) -> ElementHandle:
    """Return the first element in document order; the page is settled, so what is missing now is missing.

    Shadow roots and frames of the page's origin belong to the document as its copy shows them. A selector that is no
    CSS is taken for one of Playwright's: `text=`, `role=`, `:has-text()`; it looks into the frames last. `needs` maps
    what must hold of the element's state (after a `!`: what must not) to what comes of the action if it does not:
    looked at in the same breath.
    """
    try:
        with asking():
            js_handle = await page.evaluate_handle(_FIND_JS, [selector, wanted, list(needs)])
            handle = js_handle.as_element()
            unmet: str | None = None if handle else await js_handle.json_value()
    except PlaywrightError as error:
        # The browser knows CSS alone; what it cannot read may still be one of Playwright's selectors.
        if "not a valid selector" not in str(error):
            raise
        handle = await _query(page, selector)
        state = await state_of(handle, wanted) if handle and needs else {}
        unmet = next((need for need in needs if state and not _holds(need, state)), None)
    if unmet is not None:
        raise Ended(needs[unmet])
    if handle is None:
        raise Refused("not found", selector)
    return await at_home(page, handle)


async def at_home(page: Page, handle: ElementHandle) -> ElementHandle:
    """Return a handle of the frame that an element is in: Playwright measures by the frame of the handle."""
    if len(page.frames) == 1:
        return handle
    with asking():
        frame = await handle.owner_frame()
        if frame is None or frame is page.main_frame:
            return handle
        return (await frame.evaluate_handle("(element) => element", handle)).as_element() or handle


def _holds(need: str, state: ElementState) -> bool:
    """Return whether an element is as it needs to be, as in the page."""
    return not state[need[1:]] if need.startswith("!") else bool(state[need])


async def _query(page: Page, selector: str) -> ElementHandle | None:
    try:
        with asking():
            match = await page.query_selector(selector)
            return match if match or len(page.frames) == 1 else await _query_frames(page, selector)
    except PlaywrightError as error:
        # Playwright says one of these words of a selector that it cannot read. Everything else is no mistake of the
        # agent's.
        if "selector" not in str(error) and "engine" not in str(error):
            raise
        raise Refused("invalid", f"selector {selector}") from error


async def _query_frames(page: Page, selector: str) -> ElementHandle | None:
    """Look into the frames of the page's origin; a number of the match counts those in the page first."""
    numbered = _NTH.fullmatch(selector)
    base, left = (numbered[1], int(numbered[2])) if numbered else (selector, 0)
    for frame in page.frames:
        # A document of another origin is not read, so that no action may tell of it either.
        if frame is not page.main_frame and not await is_read(frame):
            continue
        matches = await frame.query_selector_all(base)
        if left < len(matches):
            return matches[left]
        left -= len(matches)
    return None


async def state_of(handle: ElementHandle, wanted: str | None = None) -> ElementState:
    """Look at an element; `wanted` is what is to be selected in it or filled in."""
    with asking():
        state: ElementState = await handle.evaluate(DIAGNOSE_JS, wanted)
    return state


async def _refuse(handle: ElementHandle, selector: str, log: str) -> Refused:
    """Look at a target that did not become ready in time and say what was wrong with it; `log` is Playwright's log.

    Playwright scrolls to its target in another way at each try, of which a busy machine makes fewer. So the page is
    left scrolled in one and the same way, if it was scrolled.
    """
    try:
        with asking():
            frame = await handle.owner_frame()
            # To a target in a frame it scrolls before it looks, and does not say so.
            scrolled = _SCROLLED in log or (frame is not None and frame.parent_frame is not None)
            state = await handle.evaluate(_CENTRED_JS if scrolled else DIAGNOSE_JS, None)
    except PlaywrightError:
        return Refused("detached", selector)
    return wrong_with(state, selector) or Refused("timed out", selector)


async def in_time(
    handle: ElementHandle, selector: str, act: Callable[[float], Awaitable[object]], patience: float = TARGET_TIMEOUT_MS
) -> None:
    """Do something with a target that must become ready for it in `patience` milliseconds, which `act` takes.

    Raises Refused if it does not become ready. On a machine that is slow at the moment the target gets more time, as
    long as nothing has been done to it. Raises InfrastructureError if the browser does not answer at all.
    """
    waited, log = False, ""
    for time_given in (patience, *SLOW_TIMEOUTS_MS):
        try:
            await act(time_given)
        except PlaywrightTimeoutError as error:
            log = str(error)
            # Playwright tells how far it came only in the log that it appends to the message.
            waited = _WAITED in log
            # Once begun, the action may have happened although the browser did not say so: a second try could do it
            # twice.
            # Only the log of a pointer's action tells of scrolling, and then also of what is done after it.
            has_started = _DOING in log or (_READY in log and _SCROLLED not in log and not waited)
            if has_started:
                raise InfrastructureError(f"the browser did not answer in time: {first_line(error)}") from error
            # On a machine that keeps up, a target that was not ready in time is not ready: that is the outcome.
            if waited and not await _slow(handle):
                raise await _refuse(handle, selector, log) from error
        else:
            return
    if waited:
        raise await _refuse(handle, selector, log)
    raise InfrastructureError(f"the browser did not answer in {sum((patience, *SLOW_TIMEOUTS_MS)) / 1000:.0f} seconds")


async def _slow(handle: ElementHandle) -> bool:
    frame = await handle.owner_frame()
    return frame is not None and await is_slow(frame.page)


def wrong_with(state: ElementState, selector: str) -> Refused | None:
    """Return what keeps an element in this state from being acted on; None if nothing does."""
    # The gravest comes first: an element that was removed is not visible either, and one that is hidden has another in
    # its place.
    if not state["connected"]:
        return Refused("detached", selector)
    if state["disabled"]:
        return Refused("disabled", selector)
    if not state["visible"]:
        return Refused("not found", f"{selector} is not visible")
    if state["cover"]:
        return Refused("covered by", state["cover"])
    return None


def point(page: Page, x: float | None, y: float | None) -> tuple[float, float]:
    """Return a position that an action names, which must lie in the viewport."""
    size = page.viewport_size
    assert size is not None
    assert x is not None
    assert y is not None
    if not (0 <= x < size["width"] and 0 <= y < size["height"]):
        raise Refused("invalid", f"({x:g}, {y:g}) is outside of the viewport")
    return x, y
