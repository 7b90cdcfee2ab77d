"""Forwards model requests of an episode's program to the endpoints, and returns their answers unchanged."""

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import Any, Protocol
from urllib.parse import unquote

import httpx
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response

from stressweb.log.exchanges import Left, Question
from stressweb.runner.agents.llm.bounded import passing_client
from stressweb.runner.agents.llm.endpoint_config import cause
from stressweb.runner.agents.llm.provider import PROVIDERS, Upstream
from stressweb.runner.external.llm_account import Account, RelayRefusal
from stressweb.runner.external.llm_passing import HOP, Passing, replayed_response, wait_for_disconnect
from stressweb.runner.external.offer import llm_key

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_LARGEST = 64_000_000
"""Largest request, in bytes."""
_NOT_TAKEN = (400, 422)
"""Status codes of an endpoint that rejects an unknown parameter."""


class Asking(Protocol):
    """An episode whose program may send model requests."""

    account: Account
    over: asyncio.Event
    """Set when the episode is over."""


class LlmRelay:
    """The routes of the gate that accept model requests."""

    def __init__(self, app: FastAPI, guest_of: Callable[[str], Asking]) -> None:
        """Add the routes to the application; `guest_of` returns the episode of a token, or raises HTTPException."""
        self._guest_of = guest_of
        self._clients: dict[str, httpx.AsyncClient] = {}
        for provider in PROVIDERS.values():
            route = f"/{{token}}/{provider.name}{provider.path}/{{path:path}}"
            app.add_api_route(route, self._serving(provider.name), methods=_METHODS, include_in_schema=False)

    async def close(self) -> None:
        """Close the connections to endpoints."""
        for client in self._clients.values():
            await client.aclose()

    def _serving(self, provider: str) -> Callable[..., Any]:
        async def serve(token: str, request: Request) -> Response:
            return await self._serve(self._guest_of(token), token, provider, request)

        return serve

    async def _serve(self, guest: Asking, token: str, provider: str, request: Request) -> Response:
        # Use the path as it was sent, because percent-encoded characters must stay encoded.
        head = f"/{token}/{provider}{PROVIDERS[provider].path}/".encode()
        path = request.scope["raw_path"].removeprefix(head).decode("ascii")
        if ".." in unquote(path).split("/"):
            raise HTTPException(400, "an endpoint's path must not contain '..'")
        query = request.scope["query_string"].decode("ascii")
        question = Question(provider, request.method, f"{path}?{query}" if query else path, await _body(request))
        if refusal := guest.account.check():
            return _refusal_response(guest, 402, refusal)
        try:
            recorded = guest.account.exchanges.answer(question)
        except Left as departure:
            return _refusal_response(guest, 400, guest.account.record_divergence(str(departure)))
        if recorded is not None:
            return replayed_response(recorded, question, guest.account, added=_with_usage(question) is not None)
        return await self._ask(guest, question, request)

    async def _ask(self, guest: Asking, question: Question, request: Request) -> Response:
        """Send the request to the endpoint; return the response that streams its answer."""
        account, start_s = guest.account, time.monotonic()
        upstream = account.upstreams[question.provider]
        headers, with_users_key = _headers(request.headers, upstream, llm_key(request.scope["path_params"]["token"]))
        sent = _Sent(self._client(upstream), upstream, question, headers)
        async with AsyncExitStack() as stack:
            stack.enter_context(account.pending_request())
            answer = await _unless_disconnected(sent.answer(), request, guest.over)
            if answer is None:
                account.count_cancelled(time.monotonic() - start_s)
                return Response(status_code=499)
            if isinstance(answer, str):
                account.count_unanswered(answer, time.monotonic() - start_s)
                reason = RelayRefusal(f"stressweb: no answer from the endpoint: {answer}", "no_answer")
                return _error(502, reason)
            stack.push_async_callback(answer.aclose)
            resources = stack.pop_all()
        return Passing(
            answer,
            question,
            account,
            resources,
            guest.over,
            added=sent.added,
            with_users_key=with_users_key,
            start_s=start_s,
        )

    def _client(self, upstream: Upstream) -> httpx.AsyncClient:
        if upstream.url not in self._clients:
            self._clients[upstream.url] = passing_client(upstream.url)
        return self._clients[upstream.url]


class _Sent:
    """A request to the endpoint."""

    def __init__(
        self, client: httpx.AsyncClient, upstream: Upstream, question: Question, headers: Mapping[str, str]
    ) -> None:
        self._client, self._headers, self._question = client, headers, question
        self._url = httpx.URL(f"{upstream.url}/{question.path}")
        self.added = False
        """Whether we added a request for the stream's usage, which the client did not make."""

    async def answer(self) -> httpx.Response | str:
        """Return the answer with its body still unread, or the reason why there is none."""
        body = _with_usage(self._question)
        self.added = body is not None
        answer = await self._post(body or self._question.body)
        if self.added and isinstance(answer, httpx.Response) and answer.status_code in _NOT_TAKEN:
            # An old server may not know the parameter. Any other error will occur again without it.
            self.added = False
            await answer.aclose()
            answer = await self._post(self._question.body)
        return answer

    async def _post(self, body: bytes) -> httpx.Response | str:
        request = self._client.build_request(self._question.method, self._url, content=body, headers=self._headers)
        request.headers["accept-encoding"] = "identity"
        try:
            return await self._client.send(request, stream=True)
        except httpx.HTTPError as error:
            return cause(error)


async def _body(request: Request) -> bytes:
    parts: list[bytes] = []
    async for part in request.stream():
        parts.append(part)
        if sum(map(len, parts)) > _LARGEST:
            raise HTTPException(413, f"a request must not exceed {_LARGEST:,} bytes")
    return b"".join(parts)


def _with_usage(question: Question) -> bytes | None:
    """Return the body of a streaming request with usage reporting switched on; None if it needs no change."""
    if question.provider != "openai" or question.path.partition("?")[0] not in ("chat/completions", "completions"):
        return None
    body = question.value
    if not isinstance(body, dict) or not body.get("stream"):
        return None
    options = body.get("stream_options") or {}
    if not isinstance(options, dict) or "include_usage" in options:
        return None
    return json.dumps({**body, "stream_options": {**options, "include_usage": True}}).encode()


def _headers(headers: Mapping[str, str], upstream: Upstream, episode_key: str) -> tuple[dict[str, str], bool]:
    """Return the headers for the endpoint, and whether the user's key (or no key) is sent.

    The user's key replaces the episode's. A program's own key is passed on unchanged.
    """
    sent = {name: value for name, value in headers.items() if name not in HOP}
    with_users_key = True
    for known in upstream.provider.keys:
        if sent.get(known.header) == f"{known.prefix}{episode_key}":
            del sent[known.header]
            if key := upstream.keys.get(known.variable):
                sent[known.header] = f"{known.prefix}{key}"
        elif known.header in sent:
            with_users_key = False
    return sent, with_users_key


async def _unless_disconnected[T](
    work: Coroutine[Any, Any, T], request: Request, episode_over: asyncio.Event
) -> T | None:
    """Return the coroutine's result; None if the client leaves or the episode ends first."""
    task = asyncio.create_task(work)
    tasks: list[asyncio.Task[Any]] = [
        task,
        asyncio.create_task(wait_for_disconnect(request.receive)),
        asyncio.create_task(episode_over.wait()),
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _refusal_response(guest: Asking, status: int, refusal: RelayRefusal) -> JSONResponse:
    """End the episode and return the refusal."""
    guest.over.set()
    return _error(status, refusal)


def _error(status: int, refusal: RelayRefusal) -> JSONResponse:
    """Return an error in a format that clients of both providers understand."""
    error = {"type": "stressweb", "code": refusal.code, "message": refusal.message}
    return JSONResponse({"type": "error", "error": error}, status)
