"""When a page counts as settled after an action: the same rule in every condition."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.protocol import SETTLE_TIMEOUT_S
from stressweb.runner.browser.loading import IDLE, Loading

_POLL = 0.002
"""Seconds between looks at the traffic."""
REST_MS = 24
"""Milliseconds that a page has after the last event of an action, and after it has loaded, before it is read. What
waits for a frame comes within 17, in an episode by a timer: the clock that stands still has frames of its own."""
_SETTLED_JS = Path(__file__).with_name("settled.js").read_text("utf-8")
# Playwright has no class of its own for these errors: only the words tell them apart.
_TORN = (
    "context was destroyed",
    "Cannot find context",
    "is navigating",
    "Frame was detached",
    "target navigated",
    "No frame for given id",
)


class Traffic(Protocol):
    """The requests of one episode, as the proxy sees them."""

    def busy(self) -> int:
        """Return how many requests are under way."""

    def started(self) -> int:
        """Return how many requests were ever started."""


async def settle(
    page: Page,
    traffic: Traffic,
    patience: float = SETTLE_TIMEOUT_S,
    then: str = "() => true",
    argument: object = None,
    loading: Loading = IDLE,
    ask: Callable[[str, object], Awaitable[Any]] | None = None,
) -> Any:
    """Wait until the document is loaded and has had a moment's rest; return what `then` gives.

    The rest begins with the end of the action, or with the load of the document if that comes later. It is `REST_MS`
    and one animation frame, or two if anything in the document moves after the first, and no request may be open in it.
    `then` is a function of `argument` that is called in the page when the rest is over: it sees the page that settled,
    without another question. `loading` is what the browser has begun, of which the traffic may not know yet. `ask`
    evaluates a function for an argument in the page, by default among the page's own scripts, which can then interfere.
    Returns None if the page was not settled after `patience` seconds; it is read all the same. A navigation that has
    begun is waited for until its first byte, however long: the browser answers no question before.
    """
    script = settled_js(then)
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        # A look at the proxy's count is free, while a question to the page costs a round trip.
        if traffic.busy():
            await asyncio.sleep(_POLL)
            continue
        # A document that is about to go would take its answer along, and one that loads would answer afterwards. What
        # its scripts have asked for by then is known here when the browser says that it has loaded.
        if loading.busy() or loading.navigating():
            await asyncio.sleep(_POLL)
            if page.is_closed():
                raise InfrastructureError("the page closed or crashed")
            continue
        # A request that both began and ended during the question shows in these counts alone.
        before = (traffic.started(), loading.started())
        # None if the document is another one by then, or had not loaded.
        answer = await _answered((ask or page.evaluate)(script, argument))
        if answer is None or traffic.busy() or loading.busy() or loading.navigating():
            continue
        if (traffic.started(), loading.started()) == before:
            return answer
    return None


@cache
def settled_js(then: str) -> str:
    """Return the function of `then`'s argument that gives what `then` gives when the page has settled."""
    return f"({_SETTLED_JS.rstrip().removesuffix(';')})({then}, {REST_MS})"


async def _answered(question: Awaitable[Any]) -> Any:
    """Return what a page answers; None if a navigation took it away."""
    try:
        return await question
    except PlaywrightError as error:
        if not torn(error):
            raise InfrastructureError(f"the page closed or crashed: {first_line(error)}") from error
        return None


def torn(error: PlaywrightError) -> bool:
    """Whether the call failed only because a navigation took the document away: try again."""
    text = str(error)
    return any(sign in text for sign in _TORN)
