"""The tools of Playwright's MCP server, on the browser of whichever episode is open."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any, Self

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, Tool

from runner.host.browser_command import browser_command

_NO_BROWSER = "ws://127.0.0.1:9/none"
"""Where no browser is: the tools can be listed before there is one."""


class McpBrowser:
    """Playwright's MCP server as a process, which is replaced with each episode; an asynchronous context manager."""

    def __init__(self, folder: Path) -> None:
        """Take a folder for the files that its tools write."""
        self._folder = folder
        self._ended = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self.tools: list[Tool] = []
        """What the server offers; it does not depend on the episode."""

    async def __aenter__(self) -> Self:
        """Ask the server for its tools."""
        session = await self._start(_NO_BROWSER)
        self.tools = (await session.list_tools()).tools
        await self.leave()
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the server."""
        await self.leave()

    async def enter(self, cdp_url: str) -> None:
        """Have the tools act on the browser at an address."""
        await self.leave()
        self._session = await self._start(cdp_url)

    async def leave(self) -> None:
        """Let go of the browser."""
        running, self._running = self._running, None
        self._ended.set()
        if running is not None:
            await running

    @property
    def entered(self) -> bool:
        """Whether the tools have a browser."""
        return self._running is not None and not self._running.done()

    async def call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """Return what a tool answers."""
        return await self._session.call_tool(name, arguments)

    async def _start(self, cdp_url: str) -> ClientSession:
        ready: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._ended = asyncio.Event()
        self._running = asyncio.create_task(self._hold(cdp_url, ready, self._ended))
        await asyncio.wait({ready, self._running}, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            # Its exception says why it did not start.
            await self._running
        return await ready

    async def _hold(self, cdp_url: str, ready: "asyncio.Future[ClientSession]", ended: asyncio.Event) -> None:
        """Run the server until the end, in one task: its connection must be closed by whom it was opened."""
        command = browser_command(cdp_url, self._folder)
        parameters = StdioServerParameters(command=command.command, args=command.args, cwd=self._folder)
        async with contextlib.AsyncExitStack() as stack:
            streams = await stack.enter_async_context(stdio_client(parameters))
            session = await stack.enter_async_context(ClientSession(*streams))
            await session.initialize()
            ready.set_result(session)
            await ended.wait()
