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
        made = cls()
        # What is scheduled and what has started end by events of their own, so each is kept under its own name.
        for event in _BEGIN:
            session.on(f"Page.{event}", lambda told, event=event: made._began(event, told["frameId"]))
        for event, begun in _END.items():
            session.on(f"Page.{event}", lambda told, begun=begun: made._navigations.discard((begun, told["frameId"])))
        session.on("Page.frameNavigated", made._replaced)
        session.on("Network.requestWillBeSent", made._asked)
        for event in ("loadingFinished", "loadingFailed"):
            session.on(f"Network.{event}", made._ended)
        # Only the events are wanted; by default the browser would also keep the bodies of all answers in memory.
        quiet = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}
        await asyncio.gather(session.send("Page.enable"), session.send("Network.enable", quiet))
        return made

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

    def _asked(self, told: dict[str, Any]) -> None:
        if told.get("type") in _OF_SCRIPTS:
            # A redirect is reported as a new request with the same id: it replaces the entry, and the chain ends once.
            self._started += 1
            self._requests[told["requestId"]] = (told.get("frameId", ""), told["loaderId"])

    def _ended(self, told: dict[str, Any]) -> None:
        self._requests.pop(told["requestId"], None)

    def _replaced(self, told: dict[str, Any]) -> None:
        """Forget what the document before asked for: the browser never tells how that ended."""
        frame, loader = told["frame"]["id"], told["frame"]["loaderId"]
        self._requests = {one: (its, by) for one, (its, by) in self._requests.items() if its != frame or by == loader}


IDLE = Loading()
"""Used for a tab without a session."""
