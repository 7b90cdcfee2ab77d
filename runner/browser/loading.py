"""A tab's navigations and requests in progress, as the browser reports them."""

import asyncio
from typing import Any, Self

from playwright.async_api import CDPSession

_BEGIN = ("frameScheduledNavigation", "frameStartedLoading")
_END = {"frameClearedScheduledNavigation": "frameScheduledNavigation", "frameStoppedLoading": "frameStartedLoading"}
_OF_SCRIPTS = ("Fetch", "XHR")
"""Types of requests that scripts make, for which a document's load event does not wait."""


class Loading:
    """Navigations and script requests in progress in one tab, including its frames.

    A request reaches the proxy some time after the click or script that caused it, and its answer reaches the page some
    time after it left the proxy: on a busy machine, later than two animation frames. The browser reports both before it
    draws the next frame.
    """

    def __init__(self) -> None:
        """Start idle; only an object from `Loading.of` gets events."""
        self._navigations: set[tuple[str, str]] = set()
        self._requests: dict[str, tuple[str, str]] = {}
        self._started = 0

    @classmethod
    async def of(cls, session: CDPSession) -> Self:
        """Return an object that follows the tab of a session from now on."""
        loading = cls()
        # Scheduled and started navigations end with different events, so they are recorded separately.
        for event in _BEGIN:
            session.on(
                f"Page.{event}", lambda event_data, event=event: loading._add_navigation(event, event_data["frameId"])
            )
        for event, start in _END.items():
            session.on(
                f"Page.{event}",
                lambda event_data, start=start: loading._navigations.discard((start, event_data["frameId"])),
            )
        session.on("Page.frameNavigated", loading._forget_previous)
        session.on("Network.requestWillBeSent", loading._add_request)
        for event in ("loadingFinished", "loadingFailed"):
            session.on(f"Network.{event}", loading._remove_request)
        # Without buffers, since only the events are needed.
        quiet = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}
        await asyncio.gather(session.send("Page.enable"), session.send("Network.enable", quiet))
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

    def _add_navigation(self, event: str, frame: str) -> None:
        self._navigations.add((event, frame))

    def _add_request(self, event_data: dict[str, Any]) -> None:
        if event_data.get("type") in _OF_SCRIPTS:
            # A redirect is a new request with the same id, and the chain has a single end event.
            self._started += 1
            self._requests[event_data["requestId"]] = (event_data.get("frameId", ""), event_data["loaderId"])

    def _remove_request(self, event_data: dict[str, Any]) -> None:
        self._requests.pop(event_data["requestId"], None)

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
