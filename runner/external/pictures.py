"""Asks for a picture again where a new document came in its way."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from runner.external.pipe_browser import Message

PICTURE = "Page.captureScreenshot"
_TORN = "Not attached to an active page"
"""Error of a browser that is about to replace the page of which it was to take a picture."""
_PATIENCE_S = 2.0
"""Seconds after which a client gets the error."""
_PAUSE_S = 0.05

type Key = tuple[str, int]
"""Session and number of a command."""


@dataclass
class _Request:
    message: Message
    deadline: float
    posted: int = 1
    """How often the browser was asked and has not answered yet."""
    is_waiting: bool = False
    """Whether it is about to be asked again."""
    is_answered: bool = False


class Pictures:
    """The pictures for which a client has asked.

    While a page is replaced by the next one, a browser refuses to take a picture, or never answers. A picture changes
    nothing, so that it can be asked for again; the client gets one answer.
    """

    def __init__(self, again: Callable[[Message], None]) -> None:
        """Take what passes a command on to the browser once the page has settled."""
        self._again = again
        self._requests: dict[Key, _Request] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, message: Message) -> None:
        """Note that a command is passed on to the browser."""
        if message["method"] != PICTURE:
            return
        key = message["sessionId"], message["id"]
        if (request := self._requests.get(key)) is None:
            self._requests[key] = _Request(message, time.monotonic() + _PATIENCE_S)
        else:
            request.posted += 1
            request.is_waiting = False

    def arrived(self, session: str) -> None:
        """Ask again for the pictures of a session that has a new document: the browser may have dropped the first."""
        for (by, _), request in self._requests.items():
            if by == session and not request.is_answered and not request.is_waiting:
                request.is_waiting = True
                self._again(request.message)

    def keeps(self, message: Message) -> bool:
        """Return whether a message of the browser stays here, because the client has its answer or will get another."""
        key = message.get("sessionId", ""), message.get("id", 0)
        if (request := self._requests.get(key)) is None:
            return False
        request.posted -= 1
        is_surplus = request.is_answered
        is_torn = _TORN in message.get("error", {}).get("message", "")
        if not is_surplus and is_torn and time.monotonic() < request.deadline:
            if not request.is_waiting:
                request.is_waiting = True
                self._later(request.message)
            return True
        request.is_answered = True
        if request.posted == 0:
            del self._requests[key]
        return is_surplus

    def _later(self, message: Message) -> None:
        async def wait() -> None:
            await asyncio.sleep(_PAUSE_S)
            self._again(message)

        task = asyncio.create_task(wait())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
