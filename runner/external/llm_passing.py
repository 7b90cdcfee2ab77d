"""Streams the answer of an endpoint to a program, and counts and records it."""

import asyncio
import time
from contextlib import AsyncExitStack

import httpx
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from stressweb.log.exchanges import Answer, Question
from stressweb.plugins.agent import Usage
from stressweb.runner.agents.llm.endpoint_config import cause
from stressweb.runner.external.llm_account import Account
from stressweb.runner.external.llm_reading import AnswerReading

HOP = (
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
    "upgrade", "host", "content-length", "accept-encoding", "content-encoding", "date", "server",
)  # fmt: skip
"""Headers that belong to one connection, or that our own server or client sets."""
_LONGEST_KEPT = 64_000_000
"""Largest answer that is recorded, in bytes; a model's answer is never longer."""


class Passing(Response):
    """A streamed answer. It ends when the endpoint's answer, the program's connection or the episode ends."""

    def __init__(
        self,
        answer: httpx.Response,
        question: Question,
        account: Account,
        held: AsyncExitStack,
        over: asyncio.Event,
        *,
        added: bool,
        ours: bool,
        begun: float,
    ) -> None:
        """Take an answer whose body has not been read yet; `held` is closed when it ends.

        `added`: we added a request for usage that the client did not make. `ours`: the user's key was sent.
        """
        super().__init__(status_code=answer.status_code)
        self.raw_headers = [(name.lower(), value) for name, value in answer.headers.raw if _passed(name)]
        self._answer, self._question, self._account, self._held, self._over = answer, question, account, held, over
        self._ours, self._begun = ours, begun
        self._failed = answer.status_code >= 400
        self._reading = reading(answer.headers.get("content-type", ""), added=added)
        self._body = bytearray()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        async with self._held:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            tasks = [
                asyncio.create_task(self._pump(send)),
                asyncio.create_task(left(receive)),
                asyncio.create_task(self._over.wait()),
            ]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                whole = tasks[0].done()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            if not whole:
                self._account.cancelled(time.monotonic() - self._begun)

    async def _pump(self, send: Send) -> None:
        try:
            async for part in self._answer.aiter_bytes():
                if len(self._body) <= _LONGEST_KEPT:
                    self._body += part
                passed = self._reading.take(part)
                # An error may contain the user's key, which the program must not see.
                if not self._failed:
                    await _send(send, passed)
        except httpx.HTTPError as error:
            # Omit the end of the body, so the client notices that the answer is incomplete.
            self._account.unanswered(f"the answer broke off: {cause(error)}", time.monotonic() - self._begun)
            return
        # Count before the client gets the end of the body, because it may send the next request at once.
        rest = self._reading.end()
        answer = Answer(self.status_code, self._answer.headers, bytes(self._body))
        count(self._account, self._question, answer, self._reading, time.monotonic() - self._begun, ours=self._ours)
        if len(self._body) <= _LONGEST_KEPT:
            self._account.exchanges.keep(self._question, answer)
        await _send(send, self._account.upstreams[self._question.provider].hide(answer.body) if self._failed else rest)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def replayed(answer: Answer, question: Question, account: Account, *, added: bool) -> Response:
    """Return a recorded answer as it was originally sent to the program."""
    read = reading(answer.headers.get("content-type", ""), added=added)
    body = read.take(answer.body) + read.end()
    count(account, question, answer, read, 0.0, ours=True)
    return Response(body, answer.status, dict(answer.headers))


def reading(content_type: str, *, added: bool) -> AnswerReading:
    """Return the reader of usage for an answer of this content type."""
    return AnswerReading(streamed=content_type.startswith("text/event-stream"), drop_usage=added)


def count(
    account: Account, question: Question, answer: Answer, read: AnswerReading, seconds: float, *, ours: bool
) -> None:
    """Count a complete answer."""
    if answer.status >= 400:
        account.failed(answer.status, answer.body, answer.headers, seconds, ours=ours)
    else:
        account.answered(read.usage + Usage(seconds=seconds, tries=1), question.model)


async def left(receive: Receive) -> None:
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send(send: Send, part: bytes) -> None:
    if part:
        await send({"type": "http.response.body", "body": part, "more_body": True})


def _passed(name: bytes) -> bool:
    return name.lower().decode("latin-1") not in HOP
