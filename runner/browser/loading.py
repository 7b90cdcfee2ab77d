"""A tab's navigations and requests in progress, as the browser reports them."""

import asyncio
from typing import Any, Protocol, Self

from playwright.async_api import CDPSession

_OF_SCRIPTS = ("Fetch", "XHR")
"""Types of requests that scripts make, for which a document's load event does not wait."""
EVENTS = (
    "Page.frameScheduledNavigation",
    "Page.frameStartedLoading",
    "Page.frameClearedScheduledNavigation",
    "Page.frameStoppedLoading",
    "Page.frameNavigated",
    "Network.requestWillBeSent",
    "Network.loadingFinished",
    "Network.loadingFailed",
)
"""Events of a tab that `Loading.take` needs, after the commands of `ENABLE`."""
# Without buffers, since only the events are needed.
ENABLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Page.enable", {}),
    ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
)
"""Commands that make a tab send the events, with their parameters."""


class Traffic(Protocol):
    """The requests of one episode, as the proxy sees them."""

    def busy(self) -> int:
        """Return the number of requests in progress."""

    def started(self) -> int:
        """Return the number of requests so far."""


class Loading:
    """Navigations and script requests in progress in one tab, including its frames.

    A request reaches the proxy some time after the click or script that caused it, and its answer reaches the page some
    time after it left the proxy: on a busy machine, later than two animation frames. The browser reports both before it
    draws the next frame.
    """

    def __init__(self) -> None:
        """Start idle, until `take` gets events."""
        self._navigations: set[tuple[str, str]] = set()
        self._requests: dict[str, tuple[str, str]] = {}
        self._started = 0

    @classmethod
    async def of(cls, session: CDPSession) -> Self:
        """Return an object that follows the tab of a session from now on."""
        loading = cls()
        for method in EVENTS:
            session.on(method, lambda event, method=method: loading.take(method, event))
        await asyncio.gather(*(session.send(method, parameters) for method, parameters in ENABLE))
        return loading

    def navigating(self) -> bool:
        """Whether the tab or one of its frames is about to load another document, or is loading it."""
        return bool(self._navigations)

    def busy(self) -> int:
        """Return the number of script requests in progress."""
        return len(self._requests)

    def started(self) -> int:
        """Return the number of script requests so far."""
        return self._started

    def pending(self, traffic: Traffic) -> bool:
        """Return whether the proxy or the browser has a request or a navigation in progress."""
        return bool(traffic.busy() or self.busy() or self.navigating())

    def counts(self, traffic: Traffic) -> tuple[int, int]:
        """Return the numbers of requests so far, as the proxy and as the browser sees them."""
        return traffic.started(), self.started()

    def take(self, method: str, event: dict[str, Any]) -> None:
        """Take one of `EVENTS`."""
        match method.partition(".")[2]:
            # Scheduled and started navigations end with different events, so they are recorded separately.
            case "frameScheduledNavigation" | "frameStartedLoading" as begin:
                self._navigations.add((begin, event["frameId"]))
            case "frameClearedScheduledNavigation":
                self._navigations.discard(("frameScheduledNavigation", event["frameId"]))
            case "frameStoppedLoading":
                self._navigations.discard(("frameStartedLoading", event["frameId"]))
            case "frameNavigated":
                self._forget_previous(event)
            case "requestWillBeSent":
                self._add_request(event)
            case _:
                self._requests.pop(event["requestId"], None)

    def _add_request(self, event_data: dict[str, Any]) -> None:
        if event_data.get("type") in _OF_SCRIPTS:
            # A redirect is a new request with the same id, and the chain has a single end event.
            self._started += 1
            self._requests[event_data["requestId"]] = (event_data.get("frameId", ""), event_data["loaderId"])

    def _forget_previous(self, event_data: dict[str, Any]) -> None:
        """Forget the requests of a frame's previous document, whose end the browser never reports."""
        frame, loader = event_data["frame"]["id"], event_data["frame"]["loaderId"]
        self._requests = {
            request_id: (request_frame, request_loader)
            for request_id, (request_frame, request_loader) in self._requests.items()
            if request_frame != frame or request_loader == loader
        }


IDLE = Loading()
"""For a tab without a session."""
