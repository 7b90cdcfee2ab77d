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
from stressweb.runner.external.usage_reader import UsageReader

HOP = (
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
    "upgrade", "host", "content-length", "accept-encoding", "content-encoding", "date", "server",
)  # fmt: skip
"""Headers that belong to one connection, or that our own server or client sets."""
_LONGEST_RECORDED = 64_000_000
"""Largest answer that is recorded, in bytes; a model's answer is never longer."""


class Passing(Response):
    """A streamed answer. It ends when the endpoint's answer, the program's connection or the episode ends."""

    def __init__(
        self,
        answer: httpx.Response,
        question: Question,
        account: Account,
        resources: AsyncExitStack,
        episode_over: asyncio.Event,
        *,
        added: bool,
        with_users_key: bool,
        start_s: float,
    ) -> None:
        """Take an answer whose body has not been read yet; `resources` is closed when it ends.

        `added`: we added a request for usage that the client did not make. `with_users_key`: the user's key was sent.
        """
        super().__init__(status_code=answer.status_code)
        self.raw_headers = [(name.lower(), value) for name, value in answer.headers.raw if _is_passed_on(name)]
        self._answer, self._question, self._account, self._resources, self._episode_over = (
            answer,
            question,
            account,
            resources,
            episode_over,
        )
        self._with_users_key, self._start_s = with_users_key, start_s
        self._is_error = answer.status_code >= 400
        self._reader = usage_reader(answer.headers.get("content-type", ""), added=added)
        self._body = bytearray()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        async with self._resources:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            tasks = [
                asyncio.create_task(self._pump(send)),
                asyncio.create_task(wait_for_disconnect(receive)),
                asyncio.create_task(self._episode_over.wait()),
            ]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                is_complete = tasks[0].done()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            if not is_complete:
                self._account.count_cancelled(time.monotonic() - self._start_s)

    async def _pump(self, send: Send) -> None:
        try:
            async for part in self._answer.aiter_bytes():
                if len(self._body) <= _LONGEST_RECORDED:
                    self._body += part
                passed = self._reader.read_part(part)
                # An error may contain the user's key, which the program must not see.
                if not self._is_error:
                    await _send(send, passed)
        except httpx.HTTPError as error:
            # Omit the end of the body, so the client notices that the answer is incomplete.
            self._account.count_unanswered(f"the answer broke off: {cause(error)}", time.monotonic() - self._start_s)
            return
        # Count before the client gets the end of the body, because it may send the next request at once.
        rest = self._reader.read_end()
        answer = Answer(self.status_code, self._answer.headers, bytes(self._body))
        count_answer(
            self._account,
            self._question,
            answer,
            self._reader,
            time.monotonic() - self._start_s,
            with_users_key=self._with_users_key,
        )
        if len(self._body) <= _LONGEST_RECORDED:
            self._account.exchanges.keep(self._question, answer)
        await _send(
            send, self._account.upstreams[self._question.provider].hide(answer.body) if self._is_error else rest
        )
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def replayed_response(answer: Answer, question: Question, account: Account, *, added: bool) -> Response:
    """Return a recorded answer as it was originally sent to the program."""
    reader = usage_reader(answer.headers.get("content-type", ""), added=added)
    body = reader.read_part(answer.body) + reader.read_end()
    count_answer(account, question, answer, reader, 0.0, with_users_key=True)
    return Response(body, answer.status, dict(answer.headers))


def usage_reader(content_type: str, *, added: bool) -> UsageReader:
    """Return the reader of usage for an answer of this content type."""
    return UsageReader(streamed=content_type.startswith("text/event-stream"), drop_usage=added)


def count_answer(
    account: Account, question: Question, answer: Answer, reader: UsageReader, seconds: float, *, with_users_key: bool
) -> None:
    """Count a complete answer."""
    if answer.status >= 400:
        account.count_failure(answer.status, answer.body, answer.headers, seconds, with_users_key=with_users_key)
    else:
        account.count_answer(reader.usage + Usage(seconds=seconds, tries=1), question.model)


async def wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send(send: Send, part: bytes) -> None:
    if part:
        await send({"type": "http.response.body", "body": part, "more_body": True})


def _is_passed_on(name: bytes) -> bool:
    return name.lower().decode("latin-1") not in HOP
