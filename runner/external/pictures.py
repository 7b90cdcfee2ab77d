"""Repeats a client's screenshot command if a new document interrupted it."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from stressweb.runner.external.pipe_browser import Message

PICTURE = "Page.captureScreenshot"
_TORN = "Not attached to an active page"
"""The browser's error for a screenshot of a page that it is about to replace."""
_PATIENCE_S = 2.0
"""Seconds after which the client gets the error."""
_PAUSE_S = 0.05

type Key = tuple[str, int]
"""Session and number of a command."""


@dataclass
class _Request:
    message: Message
    deadline: float
    posted: int = 1
    """Number of commands that were sent to the browser and have no answer yet."""
    is_waiting: bool = False
    """Whether the command is about to be repeated."""
    is_answered: bool = False


class Pictures:
    """The pending screenshot commands of a client.

    While a page is being replaced, a browser refuses to take a screenshot or never answers. Since a screenshot has no
    side effects, the command can be repeated; the client gets one answer.
    """

    def __init__(self, resend: Callable[[Message], None]) -> None:
        """`resend` passes a command on to the browser once the page has settled."""
        self._resend = resend
        self._requests: dict[Key, _Request] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, message: Message) -> None:
        """Record a command that is passed on to the browser."""
        if message["method"] != PICTURE:
            return
        key = message["sessionId"], message["id"]
        if (request := self._requests.get(key)) is None:
            self._requests[key] = _Request(message, time.monotonic() + _PATIENCE_S)
        else:
            request.posted += 1
            request.is_waiting = False

    def arrived(self, session: str) -> None:
        """Repeat a session's pending commands after a new document, since the browser may have dropped them."""
        for (by, _), request in self._requests.items():
            if by == session and not request.is_answered and not request.is_waiting:
                request.is_waiting = True
                self._resend(request.message)

    def keeps(self, message: Message) -> bool:
        """Return whether to withhold a message of the browser: the client has its answer, or will get another."""
        key = message.get("sessionId", ""), message.get("id", 0)
        if (request := self._requests.get(key)) is None:
            return False
        request.posted -= 1
        is_surplus = request.is_answered
        is_torn = _TORN in message.get("error", {}).get("message", "")
        if not is_surplus and is_torn and time.monotonic() < request.deadline:
            if not request.is_waiting:
                request.is_waiting = True
                self._retry_later(request.message)
            return True
        request.is_answered = True
        if request.posted == 0:
            del self._requests[key]
        return is_surplus

    def _retry_later(self, message: Message) -> None:
        async def wait() -> None:
            await asyncio.sleep(_PAUSE_S)
            self._resend(message)

        task = asyncio.create_task(wait())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
