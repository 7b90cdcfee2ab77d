"""Locates the target of an action, and explains why it cannot be acted on."""

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.javascript import source
from stressweb.plugins.actions import Outcome, Reason
from stressweb.runner.browser.interruption import asking
from stressweb.runner.browser.pace import is_slow
from stressweb.sources.frames import is_read
from stressweb.sources.part import INNER_JS

DIAGNOSE_JS = source(Path(__file__).with_name("diagnose.js"))
# Find and check in one call: another one would be a round trip, and the page could change in between.
_FIND_JS = f"""([selector, wanted, needs]) => {{
  const element = ({source(Path(__file__).with_name("find.js"))})({INNER_JS}, selector);
  if (!element || !needs.length) return element;
  const state = ({DIAGNOSE_JS})(element, wanted);
  const holds = (need) => (need.startsWith("!") ? !state[need.slice(1)] : state[need]);
  return needs.find((need) => !holds(need)) ?? element;
}}"""
# Scrolls like one of Playwright's own tries.
_CENTRED_JS = f"""(element) => {{
  element.scrollIntoView({{ block: "center", inline: "center", behavior: "instant" }});
  return ({DIAGNOSE_JS})(element, null);
}}"""
_NTH = re.compile(r"(.*) >> nth=(\d+)", re.DOTALL)
TARGET_TIMEOUT_MS = 1500.0
"""Time limit in milliseconds for a target to become visible, stable, enabled and uncovered."""
SLOW_TIMEOUTS_MS = (6000.0, 12_000.0)
"""Time limits of a second and a third try, if the machine is too slow for the first."""
_WAITED, _READY, _DOING = "retrying", "element is visible", "performing"
"""Text in Playwright's log if the target was not ready, was ready, or was acted on."""
_SCROLLED = "scrolling into view"
"""Text in Playwright's log if it scrolled to the target."""
type ElementState = dict[str, Any]
"""State of an element, as `diagnose.js` returns it."""


class Ended(Exception):  # noqa: N818 - carries an outcome, not an error
    """The action ends before it did anything; `outcome` is its outcome."""

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
    """Return the first element that matches a selector in document order, without waiting for it to appear.

    Shadow roots and frames of the page's origin are searched, in the order of the page's copy. A selector that is not
    valid CSS is passed to Playwright, for `text=`, `role=` and `:has-text()`; frames then come last. `needs` maps
    properties of the element's state (with `!`: negated) to the outcome if the property does not hold. Raises Refused
    if nothing matches, Ended if a need is not met.
    """
    try:
        with asking():
            js_handle = await page.evaluate_handle(_FIND_JS, [selector, wanted, list(needs)])
            handle = js_handle.as_element()
            unmet: str | None = None if handle else await js_handle.json_value()
    except PlaywrightError as error:
        # Invalid CSS may still be one of Playwright's selectors.
        if "not a valid selector" not in str(error):
            raise
        handle = await _query(page, selector)
        state = await state_of(handle, wanted) if handle and needs else {}
        unmet = next((need for need in needs if state and not _holds(need, state)), None)
    if unmet is not None:
        raise Ended(needs[unmet])
    if handle is None:
        raise Refused("not found", selector)
    return await in_own_frame(page, handle)


async def in_own_frame(page: Page, handle: ElementHandle) -> ElementHandle:
    """Return a handle in the element's own frame, since Playwright measures positions in the handle's frame."""
    if len(page.frames) == 1:
        return handle
    with asking():
        frame = await handle.owner_frame()
        if frame is None or frame is page.main_frame:
            return handle
        return (await frame.evaluate_handle("(element) => element", handle)).as_element() or handle


def _holds(need: str, state: ElementState) -> bool:
    """Return whether an element's state meets a need; like `holds` in `_FIND_JS`."""
    return not state[need[1:]] if need.startswith("!") else bool(state[need])


async def _query(page: Page, selector: str) -> ElementHandle | None:
    try:
        with asking():
            match = await page.query_selector(selector)
            return match if match or len(page.frames) == 1 else await _query_frames(page, selector)
    except PlaywrightError as error:
        # Playwright's messages about an invalid selector contain one of these words. Other errors are not the agent's.
        if "selector" not in str(error) and "engine" not in str(error):
            raise
        raise Refused("invalid", f"selector {selector}") from error


async def _query_frames(page: Page, selector: str) -> ElementHandle | None:
    """Search the page and its frames of the same origin; `nth` counts matches in the page first."""
    numbered = _NTH.fullmatch(selector)
    base, skipped = (numbered[1], int(numbered[2])) if numbered else (selector, 0)
    for frame in page.frames:
        # Observations leave out documents of other origins, so actions must not reveal them.
        if frame is not page.main_frame and not await is_read(frame):
            continue
        matches = await frame.query_selector_all(base)
        if skipped < len(matches):
            return matches[skipped]
        skipped -= len(matches)
    return None


async def state_of(handle: ElementHandle, wanted: str | None = None) -> ElementState:
    """Return the state of an element; `wanted` is the text to select or fill in."""
    with asking():
        state: ElementState = await handle.evaluate(DIAGNOSE_JS, wanted)
    return state


async def _refuse(handle: ElementHandle, selector: str, log: str) -> Refused:
    """Return why a target did not become ready in time; `log` is Playwright's log.

    Playwright scrolls differently at each try, and makes fewer tries on a busy machine. So if it scrolled, the page is
    scrolled to a fixed position.
    """
    try:
        with asking():
            frame = await handle.owner_frame()
            # Playwright does not log scrolling to a target in a frame.
            scrolled = _SCROLLED in log or (frame is not None and frame.parent_frame is not None)
            state = await handle.evaluate(_CENTRED_JS if scrolled else DIAGNOSE_JS, None)
    except PlaywrightError:
        return Refused("detached", selector)
    return refusal_for(state, selector) or Refused("timed out", selector)


async def in_time(
    handle: ElementHandle, selector: str, act: Callable[[float], Awaitable[object]], patience: float = TARGET_TIMEOUT_MS
) -> None:
    """Call `act` with a time limit of `patience` milliseconds for the target to become ready.

    Raises Refused if it does not become ready. While the machine is slow, the target gets further tries, as long as
    nothing has been done to it. Raises InfrastructureError if the browser does not answer.
    """
    waited, log = False, ""
    for timeout_ms in (patience, *SLOW_TIMEOUTS_MS):
        try:
            await act(timeout_ms)
        except PlaywrightTimeoutError as error:
            log = str(error)
            # Only the log at the end of Playwright's message shows how far it came.
            waited = _WAITED in log
            # An action that has started may have taken effect, and another try could repeat it. Only pointer actions
            # log scrolling, and they also log when they start.
            has_started = _DOING in log or (_READY in log and _SCROLLED not in log and not waited)
            if has_started:
                raise InfrastructureError(f"the browser did not answer in time: {first_line(error)}") from error
            # The machine is fast enough, so the target itself is not ready.
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


def refusal_for(state: ElementState, selector: str) -> Refused | None:
    """Return why an element in this state cannot be acted on; None if it can."""
    # The most fundamental reason comes first: a removed element is not visible either, and a hidden one is covered.
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
    """Return an action's position; raises Refused if it is outside the viewport."""
    size = page.viewport_size
    assert size is not None
    assert x is not None
    assert y is not None
    if not (0 <= x < size["width"] and 0 <= y < size["height"]):
        raise Refused("invalid", f"({x:g}, {y:g}) is outside of the viewport")
    return x, y
