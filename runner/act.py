"""What an agent decided, done in the browser; what cannot be done fails within two seconds and says why."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import ElementHandle, Page
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from runner.observe import first_line, torn
from stressweb.actions import Action, Kind, Outcome, Reason
from stressweb.errors import InfrastructureError

PATIENCE = 1500
"""Milliseconds that a target has to become visible, still, enabled and uncovered."""
NAVIGATION = 1900
"""Milliseconds that a navigation has until the first byte of its answer."""
DIAGNOSE_JS = Path(__file__).with_name("diagnose.js").read_text("utf-8")
type State = dict[str, Any]
"""What `diagnose.js` says of an element."""

DONE = Outcome(ok=True)


class Refused(Exception):  # noqa: N818 - an outcome on its way, no failure of ours
    """The action cannot be done; carries the outcome that says why."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason} {detail}")
        self.outcome = Outcome(ok=False, reason=reason, detail=detail)


def perform(page: Page, action: Action) -> Outcome:
    """Do one action on the page and say what came of it, in the same words in every condition.

    Nothing is forced and nothing is verified. Raises InfrastructureError if page or browser are gone.
    """
    try:
        _DOERS[action.kind](page, action)
    except Refused as refused:
        return refused.outcome
    except PlaywrightTimeoutError:
        return Outcome(ok=False, reason="timed out")
    except PlaywrightError as error:
        return _outcome_of(page, action, error)
    return DONE


def _outcome_of(page: Page, action: Action, error: PlaywrightError) -> Outcome:
    text = first_line(error)
    if page.is_closed() or "crashed" in text or "has been closed" in text:
        raise InfrastructureError(f"the browser is gone: {text}") from error
    if torn(error) or "not attached" in text or "interrupted by another navigation" in text:
        return Outcome(ok=False, reason="detached", detail=action.selector or "")
    if "Unknown key" in text or "Unknown modifier" in text:
        return Outcome(ok=False, reason="invalid", detail=text.partition(": ")[2])
    if "net::" in text:
        return Outcome(ok=False, reason="not found", detail=text[text.index("net::") + 5 :].partition(" ")[0])
    return Outcome(ok=False, reason="invalid", detail=text[:120])


def _find(page: Page, selector: str) -> ElementHandle:
    """Return the first element in document order; the page is settled, so what is missing now is missing."""
    try:
        handle = page.evaluate_handle("(selector) => document.querySelector(selector)", selector).as_element()
    except PlaywrightError as error:
        if "not a valid selector" in str(error):
            raise Refused("invalid", f"selector {selector}") from error
        raise
    if handle is None:
        raise Refused("not found", selector)
    return handle


def _state(handle: ElementHandle, wanted: str | None = None) -> State:
    state: State = handle.evaluate(DIAGNOSE_JS, wanted)
    return state


def _refuse(handle: ElementHandle, selector: str) -> Refused:
    """Look at a target that did not become ready in time and say what was wrong with it."""
    try:
        state = _state(handle)
    except PlaywrightError:
        return Refused("detached", selector)
    if not state["connected"]:
        return Refused("detached", selector)
    if state["disabled"]:
        return Refused("disabled", selector)
    if not state["visible"]:
        return Refused("not found", f"{selector} is not visible")
    if state["cover"]:
        return Refused("covered by", state["cover"])
    return Refused("timed out", selector)


def _pointer(page: Page, action: Action) -> tuple[float, float]:
    """Return the coordinates of an action, which must lie in the viewport."""
    size = page.viewport_size
    assert size is not None
    assert action.x is not None
    assert action.y is not None
    if not (0 <= action.x < size["width"] and 0 <= action.y < size["height"]):
        raise Refused("invalid", f"({action.x:g}, {action.y:g}) is outside of the viewport")
    return action.x, action.y


def _press_on(page: Page, action: Action, count: int) -> None:
    """Click the target of an action, given by selector or by coordinates."""
    if action.selector is None:
        page.mouse.click(*_pointer(page, action), click_count=count)
        return
    _click(_find(page, action.selector), action.selector, count)


def _click(handle: ElementHandle, selector: str, count: int = 1) -> None:
    try:
        handle.click(click_count=count, timeout=PATIENCE, no_wait_after=True)
    except PlaywrightTimeoutError as error:
        raise _refuse(handle, selector) from error


def _do_click(page: Page, action: Action) -> None:
    _press_on(page, action, action.click_count)


def _do_type(page: Page, action: Action) -> None:
    if action.selector is not None or action.x is not None:
        _press_on(page, action, 1)
    page.keyboard.type(action.text or "")


def _do_fill(page: Page, action: Action) -> None:
    assert action.selector is not None
    assert action.text is not None
    handle = _find(page, action.selector)
    state = _state(handle, action.text)
    if not state["editable"]:
        raise Refused("invalid", f"{action.selector} is not a field")
    if not state["fits"]:
        raise Refused("invalid", f"value {action.text}")
    try:
        handle.fill(action.text, timeout=PATIENCE, no_wait_after=True)
    except PlaywrightTimeoutError as error:
        raise _refuse(handle, action.selector) from error
    except PlaywrightError as error:
        if (
            "Malformed value" in str(error)
            or "cannot be filled" in str(error)
            or "into input[type=number]" in str(error)
        ):
            raise Refused("invalid", f"value {action.text}") from error
        raise


def _do_press(page: Page, action: Action) -> None:
    if action.selector is not None:
        handle = _find(page, action.selector)
        if _state(handle)["disabled"]:
            raise Refused("disabled", action.selector)
        handle.focus()
    page.keyboard.press(action.key or "")


def _do_hotkey(page: Page, action: Action) -> None:
    page.keyboard.press(action.keys or "")


def _do_scroll(page: Page, action: Action) -> None:
    if action.selector is not None or action.x is not None:
        _do_hover(page, action)
    page.mouse.wheel(0, action.delta)


def _do_hover(page: Page, action: Action) -> None:
    if action.selector is None:
        page.mouse.move(*_pointer(page, action))
        return
    handle = _find(page, action.selector)
    try:
        handle.hover(timeout=PATIENCE)
    except PlaywrightTimeoutError as error:
        raise _refuse(handle, action.selector) from error


def _do_select(page: Page, action: Action) -> None:
    assert action.selector is not None
    handle = _find(page, action.selector)
    state = _state(handle, action.option)
    if state["option"] is None:
        raise Refused("invalid", f"{action.selector} is not a select")
    if state["option"] < 0:
        raise Refused("not found", f"option {action.option}")
    if state["disabled"]:
        raise Refused("disabled", f"option {action.option}")
    try:
        handle.select_option(index=state["option"], timeout=PATIENCE, no_wait_after=True)
    except PlaywrightTimeoutError as error:
        raise _refuse(handle, action.selector) from error


def _do_check(page: Page, action: Action) -> None:
    """Click if the state differs, and look no further: Playwright's own `check` would tell of a swallowed click."""
    assert action.selector is not None
    handle = _find(page, action.selector)
    state = _state(handle)
    if not state["checkable"]:
        raise Refused("invalid", f"{action.selector} is not a checkbox or radio button")
    if state["checked"] != (action.kind == "CHECK"):
        _click(handle, action.selector)


def _do_wait(page: Page, action: Action) -> None:
    page.wait_for_timeout(action.seconds * 1000)


def _do_navigate(page: Page, action: Action) -> None:
    url = urljoin(page.url, action.url or "")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise Refused("invalid", f"url {action.url}")
    page.goto(url, wait_until="commit", timeout=NAVIGATION)


def _do_history(page: Page, action: Action) -> None:
    step = -1 if action.kind == "GO_BACK" else 1
    session = page.context.new_cdp_session(page)
    try:
        history = session.send("Page.getNavigationHistory")
    finally:
        session.detach()
    at = history["currentIndex"] + step
    entries = history["entries"]
    # Every tab starts with a blank entry that was never a page of the world.
    if not 0 <= at < len(entries) or entries[at]["url"] == "about:blank":
        raise Refused("invalid", "there is no page to go back to" if step < 0 else "there is no page to go forward to")
    move = page.go_back if step < 0 else page.go_forward
    move(wait_until="commit", timeout=NAVIGATION)


def _do_reload(page: Page, action: Action) -> None:
    page.reload(wait_until="commit", timeout=NAVIGATION)


_DOERS: Mapping[Kind, Callable[[Page, Action], None]] = {
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
    "WAIT": _do_wait,
    "GO_BACK": _do_history,
    "GO_FORWARD": _do_history,
    "RELOAD": _do_reload,
    "DONE": lambda page, action: None,
    "FAIL": lambda page, action: None,
}
