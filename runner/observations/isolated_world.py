"""A world of its own in a page: the same document, and none of the page's scripts can see what runs there."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]
from playwright.sync_api import CDPSession, Page
from playwright.sync_api import Error as PlaywrightError

from stressweb.core.draws import digest

_NAME = "recorder"
"""The browser keeps one world of a name for each document and session; only its own tools show the name."""
_GONE = ("Cannot find context", "context was destroyed", "Could not find object")
"""What the browser says of an object whose document has gone."""


class IsolatedWorld:
    """Evaluates functions in a tab, beside its scripts.

    What a page puts in the place of the browser's functions, or on their prototypes, has no effect there, and nothing
    that runs there can be called, listened to or replaced by the page.
    """

    def __init__(self, page: Page, session: CDPSession | None = None) -> None:
        """Take a tab, and a session with it if there is one; another one is opened otherwise."""
        self._session = session or page.context.new_cdp_session(page)
        self._frame = self._kept = ""
        self._known: set[str] = set()
        self._caller: greenlet | None = None
        self._crashed = False
        page.on("crash", self._crash)
        # Only a session with `Page.enable`, such as that of an episode's tab, gets this event.
        self._session.on("Page.frameNavigated", self._navigated)

    def evaluate(self, function: str, argument: object = None) -> Any:
        """Return what a function in JavaScript returns for an argument, both as JSON values; a promise is waited for.

        Raises PlaywrightError if the function raises, if the tab closes or crashes, or if a navigation takes the
        document away.
        """
        expression = f"({function})({json.dumps(argument)})"
        # Asked for every time: the world of one document ends with it, and its number may then be another world's.
        told = self._send(
            "Runtime.evaluate",
            expression=expression,
            contextId=self._context(),
            awaitPromise=True,
            returnByValue=True,
        )
        return _value(told)

    def ask(self, function: str, argument: object = None) -> Any:
        """Do as `evaluate` does, for a function that is asked again and again: the document keeps it.

        In a new document it costs a round trip more, and in one that was asked before a round trip less.
        """
        if self._kept:
            try:
                return self._call(function, argument)
            except PlaywrightError as error:
                # The document has gone, and nothing came of the question: it is the next one's.
                if not any(sign in str(error) for sign in _GONE):
                    raise
        found = self._send("Runtime.evaluate", expression="({})", contextId=self._context())
        self._kept, self._known = found["result"]["objectId"], set()
        return self._call(function, argument)

    def _call(self, function: str, argument: object) -> Any:
        """Call a function on the object that holds the functions of the document."""
        name = digest("function", function, size=8).hex()
        # The text is long, and need be sent only once.
        said = f"this[{name!r}]" if name in self._known else f"this[{name!r}] = ({function})"
        told = self._send(
            "Runtime.callFunctionOn",
            # Unlike the number of a world, the name of an object is never that of another one.
            objectId=self._kept,
            functionDeclaration=f"function (argument) {{ return ({said})(argument); }}",
            arguments=[{"value": argument}],
            awaitPromise=True,
            returnByValue=True,
        )
        value = _value(told)
        self._known.add(name)
        return value

    def _context(self) -> int:
        """Return the number of the world of the document that the tab shows now."""
        world = self._send("Page.createIsolatedWorld", frameId=self._main_frame(), worldName=_NAME)
        number: int = world["executionContextId"]
        return number

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

    def _navigated(self, told: Mapping[str, Any]) -> None:
        # Without it the next question would find out, by a round trip, that the document has gone.
        if "parentId" not in told["frame"]:
            self._kept = ""

    def _crash(self, page: Page) -> None:
        self._crashed = True
        # Not from here: a caller resumed in the middle of an event would leave the event half handled.
        asyncio.get_running_loop().call_soon(self._give_up)

    def _give_up(self) -> None:
        """Raise where the caller waits: a renderer that has crashed never answers."""
        if self._caller is not None:
            self._caller.throw(PlaywrightError("the page crashed"))


def _value(told: Mapping[str, Any]) -> Any:
    """Return what was returned; raises PlaywrightError with what was raised."""
    if "exceptionDetails" in told:
        details = told["exceptionDetails"]
        raise PlaywrightError(details.get("exception", {}).get("description") or details["text"])
    return told["result"].get("value")
