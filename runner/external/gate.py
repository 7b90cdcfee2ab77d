"""The door of a process's episodes for agents of others: one server on loopback, and an address for each episode."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Self

import uvicorn
from fastapi import FastAPI, HTTPException, WebSocket
from fastapi.responses import JSONResponse
from starlette.websockets import WebSocketDisconnect

from runner.external.offer import Claim, cdp_url
from runner.external.pipe_browser import PipeBrowser
from runner.external.relay import Heard, Relay

_LONGEST = 1 << 27
"""Bytes of one message of a client, as in a browser."""
_OVER = 1000
"""Status with which a connection closes whose episode is over."""


class Guest:
    """One episode that a process may take part in."""

    heard: Heard
    """Who hears what its clients do; to be set before it is admitted."""

    def __init__(self, browser: PipeBrowser) -> None:
        """Take the episode's browser."""
        self.browser = browser
        self.claim: asyncio.Future[Claim] = asyncio.get_running_loop().create_future()
        """What the agent claimed, once it has."""
        self.over = asyncio.Event()
        """Set when nothing counts any more: clients are sent away."""


class Gate:
    """The server; use as an asynchronous context manager."""

    def __init__(self) -> None:
        """Prepare the server; it listens from the start of the context on."""
        self._guests: dict[str, Guest] = {}
        self.app = FastAPI(openapi_url=None)
        self.app.add_api_route("/{token}/json/version", self._version)
        self.app.add_api_route("/{token}/json/version/", self._version)
        self.app.add_api_route("/{token}/finish", self._finish, methods=["POST"])
        self.app.add_api_websocket_route("/{token}/devtools/browser", self._devtools)
        self._socket = socket.socket()
        self._server = _Server(
            uvicorn.Config(
                self.app,
                log_config=None,
                ws="websockets-sansio",
                ws_max_size=_LONGEST,
                ws_ping_interval=None,
                ws_per_message_deflate=False,
                lifespan="off",
                timeout_graceful_shutdown=1,
            )
        )

    async def __aenter__(self) -> Self:
        """Listen on a port of the system's choice, on loopback only."""
        self._socket.bind(("127.0.0.1", 0))
        self._serving = asyncio.create_task(self._server.serve([self._socket]))
        while not self._server.started and not self._serving.done():
            await asyncio.sleep(0.001)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the server, and every connection."""
        for guest in self._guests.values():
            guest.over.set()
        self._server.should_exit = True
        await self._serving

    @property
    def address(self) -> str:
        """Where the server listens: HOST:PORT."""
        host, port = self._socket.getsockname()
        return f"{host}:{port}"

    @contextlib.contextmanager
    def admitting(self, token: str, guest: Guest) -> Iterator[None]:
        """Have an episode taken part in by whoever knows its token."""
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
        self._guest(token)
        return JSONResponse(
            {"Browser": "Chrome", "Protocol-Version": "1.3", "webSocketDebuggerUrl": cdp_url(self.address, token)}
        )

    async def _finish(self, token: str, claim: Claim) -> JSONResponse:
        guest = self._guest(token)
        if guest.claim.done():
            raise HTTPException(409, f"the episode was finished before, with claim {guest.claim.result().claim!r}")
        guest.claim.set_result(claim)
        return JSONResponse({"finished": True})

    async def _devtools(self, websocket: WebSocket, token: str) -> None:
        guest = self._guests.get(token)
        if guest is None or guest.over.is_set():
            await websocket.close()
            return
        await websocket.accept()
        said: asyncio.Queue[str] = asyncio.Queue()
        relay = Relay(guest.browser, guest.heard, said.put_nowait)
        await relay.open()
        tasks = [
            asyncio.create_task(work)
            for work in (_sent(websocket, said), _received(websocket, relay), guest.over.wait(), guest.browser.gone())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await relay.close()
            # What was answered last, such as to a client that leaves.
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                while not said.empty():
                    await websocket.send_text(said.get_nowait())
                await websocket.close(_OVER, "the episode is over" if guest.over.is_set() else "")


async def _sent(websocket: WebSocket, said: "asyncio.Queue[str]") -> None:
    while True:
        await websocket.send_text(await said.get())


async def _received(websocket: WebSocket, relay: Relay) -> None:
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        if not await relay.take(message.get("text") or message.get("bytes") or ""):
            return


class _Server(uvicorn.Server):
    """A server among other work: signals are not its business."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the process's signals alone."""
        yield
