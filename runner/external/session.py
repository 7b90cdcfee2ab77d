"""A DevTools session of our own in an episode's browser, for commands and events."""

import asyncio
from collections.abc import Callable
from typing import Any, Self

from stressweb.runner.external.pipe_browser import Message, PipeBrowser

type OnEvent = Callable[[dict[str, Any], str], None]
"""Takes the parameters of an event, and the id of its session."""


class ProtocolError(Exception):
    """The browser refused a command, or its target has gone."""


class Session:
    """Our session, beside those of the agent; created by `Session.of`."""

    def __init__(self, browser: PipeBrowser) -> None:
        """Take the browser; no command is sent yet."""
        self._browser = browser
        self.root = ""
        self._number = 0
        self._pending: dict[tuple[str, int], asyncio.Future[Any]] = {}
        self._events: dict[str, list[OnEvent]] = {}

    @classmethod
    async def of(cls, browser: PipeBrowser) -> Self:
        """Return a new browser-level session."""
        session = cls(browser)
        session.root = await browser.session(session._take_message)
        browser.ended.add_done_callback(lambda _: session._refuse_pending())
        return session

    def on(self, event: str, act: OnEvent) -> None:
        """Call `act` for each event of this name, from any target."""
        self._events.setdefault(event, []).append(act)

    def post(self, session: str, method: str, **params: object) -> None:
        """Send a command without waiting for its answer."""
        self._number += 1
        self._browser.post({"id": self._number, "sessionId": session, "method": method, "params": params})

    async def ask(self, session: str, method: str, **params: object) -> Any:
        """Send a command and return its answer; raise ProtocolError if the browser refuses it."""
        self._number += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[session, self._number] = answer
        if self._browser.ended.done():
            self._refuse_pending()
        else:
            self._browser.post({"id": self._number, "sessionId": session, "method": method, "params": params})
        return await answer

    def gone(self, session: str) -> None:
        """Fail the pending commands of a target that is gone."""
        for key in [key for key in self._pending if key[0] == session]:
            _refuse(self._pending.pop(key), "the target has gone")

    def _refuse_pending(self) -> None:
        pending, self._pending = self._pending, {}
        for answer in pending.values():
            _refuse(answer, "the browser has ended")

    def _take_message(self, message: Message) -> None:
        session = message["sessionId"]
        if "id" in message:
            answer = self._pending.pop((session, message["id"]), None)
            if answer is None or answer.done():
                return
            if "error" in message:
                _refuse(answer, str(message["error"].get("message")))
            else:
                answer.set_result(message["result"])
        else:
            for act in self._events.get(message["method"], ()):
                act(message["params"], session)


def _refuse(answer: "asyncio.Future[Any]", reason: str) -> None:
    if not answer.done():
        answer.set_exception(ProtocolError(reason))
        # Retrieve the exception, because asyncio logs it otherwise if the caller was cancelled.
        answer.exception()
