"""When a page counts as settled after an action: the same rule in every condition."""

import time
from typing import Protocol

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from runner.observe import first_line, torn
from stressweb.errors import InfrastructureError

PATIENCE = 2.0
"""Seconds after which a page is read as it is."""
_POLL = 3
"""Milliseconds between looks at the traffic."""
# The timer lets the promise end where frames do not run: a page that is being replaced draws nothing.
FRAMES_JS = """() => new Promise((done) => {
  const answer = () => done(document.readyState === "complete");
  requestAnimationFrame(() => requestAnimationFrame(answer));
  setTimeout(answer, 250);
})"""


class Traffic(Protocol):
    """The requests of one episode, as the proxy sees them."""

    def busy(self) -> int:
        """Return how many requests are under way."""

    def started(self) -> int:
        """Return how many requests were ever started."""


def settle(page: Page, traffic: Traffic, patience: float = PATIENCE) -> bool:
    """Wait until the document is loaded and no request was open for two animation frames.

    Returns False if the page was not settled after `patience` seconds; it is read all the same. A navigation that has
    begun is waited for until its first byte, however long: the browser answers no question before.
    """
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if traffic.busy():
            page.wait_for_timeout(_POLL)
            continue
        before = traffic.started()
        if _frames(page) and traffic.busy() == 0 and traffic.started() == before:
            return True
    return False


def _frames(page: Page) -> bool:
    """Let two animation frames pass; say whether the document is still the same and loaded."""
    try:
        return bool(page.evaluate(FRAMES_JS))
    except PlaywrightError as error:
        if not torn(error):
            raise InfrastructureError(f"the page is gone: {first_line(error)}") from error
        return False
