"""When a page counts as settled after an action: the same rule in every condition."""

import time
from collections.abc import Callable
from typing import Any, Protocol

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from runner.browser.loading import IDLE, Loading
from stressweb.core.errors import InfrastructureError, first_line

SETTLE_TIMEOUT_S = 2.0
"""Seconds after which a page is read as it is."""
_POLL = 0.002
"""Seconds between looks at the traffic."""
# A form is submitted by a task of its own, which frames overtake on a busy machine: they wait for a task that waits for
# all others. A page that is being replaced draws nothing: it gives up its answer, and its question, for another try. A
# read ends an entry, so that one which came late would cut the next action in two.
_SETTLED_JS = """(argument) => new Promise((done, fail) => {
  let late = false;
  const answer = () => {
    if (late) return;
    try {
      done(document.readyState === "complete" ? (%s)(argument) : null);
    } catch (error) {
      fail(error);
    }
  };
  const frames = () => requestAnimationFrame(() => requestAnimationFrame(answer));
  scheduler.postTask(frames, { priority: "background" });
  setTimeout(() => { late = true; done(null); }, 1000);
})"""
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


def settle(
    page: Page,
    traffic: Traffic,
    patience: float = SETTLE_TIMEOUT_S,
    then: str = "() => true",
    argument: object = None,
    loading: Loading = IDLE,
    ask: Callable[[str, object], Any] | None = None,
) -> Any:
    """Wait until the document is loaded and no request was open for two animation frames; return what `then` gives.

    `then` is a function of `argument` that is called in the page with the last of the frames: it sees the page that
    settled, without another question. `loading` is what the browser has begun, of which the traffic may not know yet.
    `ask` evaluates a function for an argument in the page, by default among the page's own scripts, which can then
    interfere. Returns None if the page was not settled after `patience` seconds; it is read all the same. A navigation
    that has begun is waited for until its first byte, however long: the browser answers no question before.
    """
    script = _SETTLED_JS % then
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        # A look at the proxy's count is free, while a question to the page costs a round trip.
        if traffic.busy():
            # The proxy counts in a thread of its own, so that sleeping here holds nothing up.
            time.sleep(_POLL)
            continue
        if loading.busy():
            # This count comes from the browser's events, which Playwright processes only while it waits itself.
            _asked(lambda: page.wait_for_timeout(1000 * _POLL))
            continue
        # A request that both began and ended during the question shows in these counts alone.
        before = (traffic.started(), loading.started())
        # None if the document is another one by then, or not loaded.
        given = _asked(lambda: (ask or page.evaluate)(script, argument))
        quiet = not (traffic.busy() or loading.busy() or loading.navigating())
        if given is not None and quiet and (traffic.started(), loading.started()) == before:
            return given
    return None


def _asked(question: Callable[[], Any]) -> Any:
    """Return what a page answers; None if a navigation took it away."""
    try:
        return question()
    except PlaywrightError as error:
        if not torn(error):
            raise InfrastructureError(f"the page closed or crashed: {first_line(error)}") from error
        return None


def torn(error: PlaywrightError) -> bool:
    """Whether the call failed only because a navigation took the document away: try again."""
    text = str(error)
    return any(sign in text for sign in _TORN)
