"""A world of its own in a page: the same document, and none of the page's scripts can see what runs there."""

import asyncio
import json
from typing import Any

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]
from playwright.sync_api import CDPSession, Page
from playwright.sync_api import Error as PlaywrightError

_NAME = "recorder"
"""The browser keeps one world of a name for each document and session; only its own tools show the name."""


class IsolatedWorld:
    """Evaluates functions in a tab, beside its scripts.

    What a page puts in the place of the browser's functions, or on their prototypes, has no effect there, and nothing
    that runs there can be called, listened to or replaced by the page.
    """

    def __init__(self, page: Page, session: CDPSession | None = None) -> None:
        """Take a tab, and a session with it if there is one; another one is opened otherwise."""
        self._session = session or page.context.new_cdp_session(page)
        self._frame = ""
        self._caller: greenlet | None = None
        self._crashed = False
        page.on("crash", self._crash)

    def evaluate(self, function: str, argument: object = None) -> Any:
        """Return what a function in JavaScript returns for an argument, both as JSON values; a promise is waited for.

        Raises PlaywrightError if the function raises, if the tab closes or crashes, or if a navigation takes the
        document away.
        """
        expression = f"({function})({json.dumps(argument)})"
        # Asked for every time: the world of one document ends with it, and its number may then be another world's.
        world = self._send("Page.createIsolatedWorld", frameId=self._main_frame(), worldName=_NAME)
        told = self._send(
            "Runtime.evaluate",
            expression=expression,
            contextId=world["executionContextId"],
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in told:
            details = told["exceptionDetails"]
            raise PlaywrightError(details.get("exception", {}).get("description") or details["text"])
        return told["result"].get("value")

    def close(self) -> None:
        """End the session."""
        self._session.detach()

    def _main_frame(self) -> str:
        # The tab keeps it for its whole life, whatever it shows.
        if not self._frame:
            self._frame = self._send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        return self._frame

    def _send(self, method: str, **params: object) -> Any:
        if self._crashed:
            raise PlaywrightError("the page crashed")
        self._caller = getcurrent()
        try:
            return self._session.send(method, params)
        finally:
            self._caller = None

    def _crash(self, page: Page) -> None:
        self._crashed = True
        # Not from here: a caller resumed in the middle of an event would leave the event half handled.
        asyncio.get_running_loop().call_soon(self._give_up)

    def _give_up(self) -> None:
        """Raise where the caller waits: a renderer that has crashed never answers."""
        if self._caller is not None:
            self._caller.throw(PlaywrightError("the page crashed"))
