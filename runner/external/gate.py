"""The server through which external agents reach the episodes of a worker process, each at its own path.

It listens on loopback unless the user names another address of the machine.
"""

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Protocol, Self

import uvicorn
from fastapi import FastAPI, HTTPException, WebSocket
from fastapi.responses import JSONResponse
from starlette.websockets import WebSocketDisconnect

from stressweb.log.ledger import Entry
from stressweb.runner.external.llm_account import Account
from stressweb.runner.external.llm_relay import LlmRelay
from stressweb.runner.external.offer import Claim, cdp_url
from stressweb.runner.external.pipe_browser import PipeBrowser
from stressweb.runner.external.relay import Heard, Relay

LOOPBACK = "127.0.0.1"
_LARGEST_MESSAGE = 1 << 27
"""Largest message that a client may send, in bytes; the same as a browser's limit."""
_CLOSE_EPISODE_OVER, _CLOSE_OVERRUN = 1000, 1008
"""WebSocket close codes: the episode is over; the client does not read its answers."""
_MOST_QUEUED = 1 << 28
"""Characters of answers that may be queued for a client."""


class Guest:
    """One episode that an external process may take part in."""

    heard: Heard
    """Listener for its clients' actions. Set it before you admit the guest."""
    account: Account
    """Account of its agent's requests to language models. Set it before you admit the guest."""

    def __init__(self, browser: PipeBrowser | None, ledger: Sequence[Entry] = ()) -> None:
        """Take the episode's browser (None if the agent starts its own), and the ledger, which keeps growing."""
        self.browser, self.ledger = browser, ledger
        self.claim: asyncio.Future[Claim] = asyncio.get_running_loop().create_future()
        """The agent's claim, set when the agent finishes."""
        self.over = asyncio.Event()
        """Set when the episode is over: clients are disconnected and further actions do not count."""
        self.wait_until_last_page_read: Callable[[], Awaitable[None]] | None = None
        """Waits until the last page is read; None if it can be read after the agent has left."""
        self.clients = 0
        """Number of open connections to the browser."""
        self.visited = False
        """Whether a client has ever connected."""
        self.last_active_s = time.monotonic()
        """Monotonic time when a client last connected, sent a message or left; initially, the start of the episode."""

    async def finish(self, claim: Claim) -> None:
        """Accept the agent's claim; raise HTTPException if the episode already has a claim."""
        if self.wait_until_last_page_read is not None:
            # The agent may close its browser as soon as it gets the response.
            await self.wait_until_last_page_read()
        if self.claim.done():
            raise HTTPException(409, f"the episode was finished before, with claim {self.claim.result().claim!r}")
        self.claim.set_result(claim)

    async def gone(self) -> None:
        """Wait until the episode's browser has ended; wait forever if the agent started the browser."""
        if self.browser is None:
            await asyncio.Future()
        else:
            await self.browser.gone()

    def touch(self) -> None:
        """Record that the agent has just been active."""
        self.visited, self.last_active_s = True, time.monotonic()

    @contextlib.contextmanager
    def visiting(self) -> Iterator[None]:
        """Count a client as connected while the context is open."""
        self.clients, self.visited, self.last_active_s = self.clients + 1, True, time.monotonic()
        try:
            yield
        finally:
            self.clients, self.last_active_s = self.clients - 1, time.monotonic()


class Gate:
    """The server. Use it as an asynchronous context manager."""

    def __init__(self, app: FastAPI | None = None, port: int = 0, host: str = LOOPBACK) -> None:
        """Prepare the server. It starts listening when you enter the context.

        `port` 0 lets the system choose a port. `host` is the address of this machine to listen on. If you pass an
        `app`, the routes of the episodes are added to it.
        """
        self._guests: dict[str, Guest] = {}
        self._host, self._port = host, port
        self.app = FastAPI(openapi_url=None) if app is None else app
        self.app.add_api_route("/{token}/json/version", self._version, include_in_schema=False)
        self.app.add_api_route("/{token}/json/version/", self._version, include_in_schema=False)
        self.app.add_api_route("/{token}/finish", self._finish, methods=["POST"], include_in_schema=False)
        self.app.add_api_websocket_route("/{token}/devtools/browser", self._devtools)
        self._models = LlmRelay(self.app, self._guest)
        self._socket = socket.socket()
        self._server = _Server(
            uvicorn.Config(
                self.app,
                log_config=None,
                ws="websockets-sansio",
                ws_max_size=_LARGEST_MESSAGE,
                ws_ping_interval=None,
                ws_per_message_deflate=False,
                lifespan="off",
                timeout_graceful_shutdown=1,
            )
        )

    async def __aenter__(self) -> Self:
        """Start listening."""
        # As in the proxy: a port that was just released can be reused at once.
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind((self._host, self._port))
        self._serving = asyncio.create_task(self._server.serve([self._socket]))
        while not self._server.started and not self._serving.done():
            await asyncio.sleep(0.001)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the server and close all connections."""
        for guest in self._guests.values():
            guest.over.set()
        self._server.should_exit = True
        await self._serving
        await self._models.close()

    @property
    def address(self) -> str:
        """Where the server listens: HOST:PORT."""
        host, port = self._socket.getsockname()
        return f"{host}:{port}"

    @contextlib.contextmanager
    def admitting(self, token: str, guest: Guest) -> Iterator[None]:
        """Admit clients that know the token to an episode while the context is open."""
        self._guests[token] = guest
        try:
            yield
        finally:
            del self._guests[token]
            guest.over.set()

    def _guest(self, token: str) -> Guest:
        guest = self._guests.get(token)
        if guest is None:
            raise HTTPException(404, "no episode has this address, or it is over")
        return guest

    async def _version(self, token: str) -> JSONResponse:
        if self._guest(token).browser is None:
            raise HTTPException(404, "in this episode the agent has a browser of its own")
        return JSONResponse(
            {"Browser": "Chrome", "Protocol-Version": "1.3", "webSocketDebuggerUrl": cdp_url(self.address, token)}
        )

    async def _finish(self, token: str, claim: Claim) -> JSONResponse:
        guest = self._guest(token)
        await guest.finish(claim)
        return JSONResponse({"finished": True})

    async def _devtools(self, websocket: WebSocket, token: str) -> None:
        guest = self._guests.get(token)
        if guest is None or guest.browser is None or guest.over.is_set():
            await websocket.close()
            return
        await websocket.accept()
        outbox = Outbox()
        relay = Relay(guest.browser, guest.heard, outbox.put)
        await relay.open()
        with guest.visiting():
            await _pass_messages(websocket, relay, outbox, guest)


async def _pass_messages(websocket: WebSocket, relay: Relay, outbox: "Outbox", guest: Guest) -> None:
    """Pass messages both ways until the client leaves or the episode or its browser ends."""
    loops = (
        outbox.send_all(websocket),
        _receive(websocket, relay, guest),
        outbox.overrun.wait(),
        guest.over.wait(),
        guest.gone(),
    )
    tasks = [asyncio.create_task(work) for work in loops]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await relay.close()
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            if outbox.overrun.is_set():
                await websocket.close(_CLOSE_OVERRUN, "the answers were not taken")
            else:
                # Send the last answers, such as the one to a client that asks to leave.
                await outbox.send_queued(websocket)
                await websocket.close(_CLOSE_EPISODE_OVER, "the episode is over" if guest.over.is_set() else "")


class Receiver(Protocol):
    """A client's connection, as an outbox sees it."""

    async def send_text(self, text: str, /) -> None:
        """Send a text."""


class Outbox:
    """Queue of messages to a client."""

    def __init__(self, most: int = _MOST_QUEUED) -> None:
        """Take how many characters may wait."""
        self._most_characters = most
        self._queued_texts: asyncio.Queue[str] = asyncio.Queue()
        self._queued_characters = 0
        self.overrun = asyncio.Event()
        """Set when the queue is too long because the client sends commands without reading the answers."""

    def put(self, text: str) -> None:
        """Add a text."""
        self._queued_characters += len(text)
        if self._queued_characters > self._most_characters:
            self.overrun.set()
        if not self.overrun.is_set():
            self._queued_texts.put_nowait(text)

    async def send_all(self, receiver: Receiver) -> None:
        """Send every text as soon as it is there."""
        while True:
            await self._send(receiver, await self._queued_texts.get())

    async def send_queued(self, receiver: Receiver) -> None:
        """Send what waits."""
        while not self._queued_texts.empty():
            await self._send(receiver, self._queued_texts.get_nowait())

    async def _send(self, receiver: Receiver, text: str) -> None:
        await receiver.send_text(text)
        self._queued_characters -= len(text)


async def _receive(websocket: WebSocket, relay: Relay, guest: Guest) -> None:
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        guest.last_active_s = time.monotonic()
        if not await relay.take(message.get("text") or message.get("bytes") or ""):
            return


class _Server(uvicorn.Server):
    """A uvicorn server that does not handle signals, since other code shares the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no signal handlers."""
        yield
