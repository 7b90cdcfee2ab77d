"""Waits until a page has settled after an action, by the same rule in every condition."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.javascript import source
from stressweb.core.protocol import SETTLE_TIMEOUT_S
from stressweb.runner.browser.loading import IDLE, Loading, Traffic

_POLL = 0.002
"""Seconds between checks of the traffic."""
REST_MS = 24
"""Minimum time in milliseconds between the last event of an action, or the load, and the read. Frame callbacks run
within 17 ms, in episodes by a timer, since the fixed clock simulates frames."""
_SETTLED_JS = source(Path(__file__).with_name("settled.js"))
# Playwright has no class for these errors, so their messages identify them.
_TORN = (
    "context was destroyed",
    "Cannot find context",
    "is navigating",
    "Frame was detached",
    "target navigated",
    "No frame for given id",
)


async def settle(
    page: Page,
    traffic: Traffic,
    patience: float = SETTLE_TIMEOUT_S,
    then: str = "() => true",
    argument: object = None,
    loading: Loading = IDLE,
    ask: Callable[[str, object], Awaitable[Any]] | None = None,
) -> Any:
    """Wait until the document has loaded and rested; return the result of `then`.

    The rest begins at the end of the action, or at the document's load if that is later. It lasts `REST_MS` and one
    animation frame, or two if the document changes after the first; no request may be in progress during it. `then` is
    a JavaScript function of `argument`, called in the page at the end of the rest, in the same round trip. `loading`
    has the browser's navigations and requests, which `traffic` may not know yet. `ask` evaluates a function in the
    page, by default in the page's own world, whose scripts can interfere. Returns None if the page has not settled
    after `patience` seconds. A navigation in progress is waited for until its first byte, however long, since the
    browser answers no call before. Raises InfrastructureError if the page closed or crashed.
    """
    script = settled_js(then)
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        # Checking the proxy's count is free, while a call to the page costs a round trip.
        if traffic.busy():
            await asyncio.sleep(_POLL)
            continue
        # A document about to be replaced would lose its answer, and one that is loading would answer late.
        if loading.busy() or loading.navigating():
            await asyncio.sleep(_POLL)
            if page.is_closed():
                raise InfrastructureError("the page closed or crashed")
            continue
        # A request that both started and ended during the call only shows in these counts.
        before = loading.counts(traffic)
        # None if the document was replaced, or had not loaded.
        answer = await _answer_unless_replaced((ask or page.evaluate)(script, argument))
        if answer is not None and loading.counts(traffic) == before and not loading.pending(traffic):
            return answer
    return None


@cache
def settled_js(then: str) -> str:
    """Return a JavaScript function that waits until the page has settled, and then calls `then`."""
    return f"({_SETTLED_JS})({then}, {REST_MS})"


async def _answer_unless_replaced(question: Awaitable[Any]) -> Any:
    """Return a page's answer; None if a navigation replaced the page."""
    try:
        return await question
    except PlaywrightError as error:
        if not torn(error):
            raise InfrastructureError(f"the page closed or crashed: {first_line(error)}") from error
        return None


def torn(error: PlaywrightError) -> bool:
    """Return whether a call failed only because a navigation replaced the document, so that it can be retried."""
    text = str(error)
    return any(sign in text for sign in _TORN)
