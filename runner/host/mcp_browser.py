"""Runs the tools of Playwright's MCP server on the browser of the open episode."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any, Self

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, Tool

from stressweb.runner.host.browser_command import browser_command

_NO_BROWSER = "ws://127.0.0.1:9/none"
"""An address without a browser; listing the tools does not need one."""


class McpBrowser:
    """Playwright's MCP server as a process, restarted for each episode. Use it as an asynchronous context manager."""

    def __init__(self, folder: Path) -> None:
        """Take the folder to which the tools write files."""
        self._folder = folder
        self._ended = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self.tools: list[Tool] = []
        """The server's tools, which are the same for all episodes."""

    async def __aenter__(self) -> Self:
        """List the server's tools."""
        session = await self._start(_NO_BROWSER)
        self.tools = (await session.list_tools()).tools
        await self.leave()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the server."""
        await self.leave()

    async def enter(self, cdp_url: str) -> None:
        """Connect the tools to the browser at a CDP address."""
        await self.leave()
        self._session = await self._start(cdp_url)

    async def leave(self) -> None:
        """Disconnect from the browser."""
        running, self._running = self._running, None
        self._ended.set()
        if running is not None:
            await running

    @property
    def entered(self) -> bool:
        """Whether the tools are connected to a browser."""
        return self._running is not None and not self._running.done()

    async def call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool and return its result."""
        return await self._session.call_tool(name, arguments)

    async def _start(self, cdp_url: str) -> ClientSession:
        ready: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._ended = asyncio.Event()
        self._running = asyncio.create_task(self._run_server(cdp_url, ready, self._ended))
        await asyncio.wait({ready, self._running}, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            # Raises the exception that kept the server from starting.
            await self._running
        return await ready

    async def _run_server(self, cdp_url: str, ready: "asyncio.Future[ClientSession]", ended: asyncio.Event) -> None:
        """Run the server until `ended` is set. One task does all of it, because the task that opens must also close."""
        command = browser_command(cdp_url, self._folder)
        parameters = StdioServerParameters(command=command.command, args=command.args, cwd=self._folder)
        async with contextlib.AsyncExitStack() as stack:
            streams = await stack.enter_async_context(stdio_client(parameters))
            session = await stack.enter_async_context(ClientSession(*streams))
            await session.initialize()
            ready.set_result(session)
            await ended.wait()
