"""What a tab is about to load: known from the browser itself, before a request has reached anybody."""

import asyncio
from typing import Any, Self

from playwright.async_api import CDPSession

_BEGIN = ("frameScheduledNavigation", "frameStartedLoading")
_END = {"frameClearedScheduledNavigation": "frameScheduledNavigation", "frameStoppedLoading": "frameStartedLoading"}
_OF_SCRIPTS = ("Fetch", "XHR")
"""Requests that a loaded document does not wait for; what it draws of them is drawn when they have ended."""


class Loading:
    """What has begun in one tab and not ended: its navigations, those of its frames, and the requests of its scripts.

    A request reaches the proxy some time after the click or the script that caused it, and its answer the page some
    time after it left the proxy: on a busy machine later than two animation frames. The browser tells of both before it
    draws the next frame.
    """

    def __init__(self) -> None:
        """Know of nothing; `Loading.of` returns one that hears of what begins."""
        self._navigations: set[tuple[str, str]] = set()
        self._requests: dict[str, tuple[str, str]] = {}
        self._started = 0

    @classmethod
    async def of(cls, session: CDPSession) -> Self:
        """Return what has begun in the tab of a session, from now on."""
        loading = cls()
        # What is scheduled and what has started end by events of their own, so each is kept under its own name.
        for event in _BEGIN:
            session.on(f"Page.{event}", lambda event_data, event=event: loading._began(event, event_data["frameId"]))
        for event, start in _END.items():
            session.on(
                f"Page.{event}",
                lambda event_data, begun=start: loading._navigations.discard((begun, event_data["frameId"])),
            )
        session.on("Page.frameNavigated", loading._replaced)
        session.on("Network.requestWillBeSent", loading._request_sent)
        for event in ("loadingFinished", "loadingFailed"):
            session.on(f"Network.{event}", loading._ended)
        # Only the events are wanted; by default the browser would also keep the bodies of all answers in memory.
        quiet = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}
        await asyncio.gather(session.send("Page.enable"), session.send("Network.enable", quiet))
        return loading

    def navigating(self) -> bool:
        """Whether the tab or a frame of it is about to show another document, or still loads it."""
        return bool(self._navigations)

    def busy(self) -> int:
        """Return how many requests of scripts are under way."""
        return len(self._requests)

    def started(self) -> int:
        """Return how many requests scripts ever made."""
        return self._started

    def _began(self, event: str, frame: str) -> None:
        self._navigations.add((event, frame))

    def _request_sent(self, event_data: dict[str, Any]) -> None:
        if event_data.get("type") in _OF_SCRIPTS:
            # A redirect is reported as a new request with the same id: it replaces the entry, and the chain ends once.
            self._started += 1
            self._requests[event_data["requestId"]] = (event_data.get("frameId", ""), event_data["loaderId"])

    def _ended(self, event_data: dict[str, Any]) -> None:
        self._requests.pop(event_data["requestId"], None)

    def _replaced(self, event_data: dict[str, Any]) -> None:
        """Forget the requests of the previous document: the browser never reports their end."""
        frame, loader = event_data["frame"]["id"], event_data["frame"]["loaderId"]
        self._requests = {
            request_id: (its, by) for request_id, (its, by) in self._requests.items() if its != frame or by == loader
        }


IDLE = Loading()
"""Used for a tab without a session."""
