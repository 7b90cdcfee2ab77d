"""The episode server as an MCP server, the only one that an MCP client needs.

Its tools list, open and finish episodes. While an episode is open, the tools of Playwright's MCP server act on its
browser. This module needs the extra `mcp`.
"""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, TextContent, Tool

from stressweb.core.errors import UserError
from stressweb.runner.external.offer import Claim
from stressweb.runner.host.client import HostClient
from stressweb.runner.host.mcp_browser import McpBrowser
from stressweb.runner.host.models import Wanted

_WANTED = Wanted.model_json_schema()
# The browser tools act on the episode's browser, so the client cannot choose its own.
del _WANTED["properties"]["own_browser"]
_LISTED: dict[str, Any] = {
    "type": "object",
    "properties": {"cases": {"type": "boolean", "description": "List the test cases instead of the tasks."}},
}
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
_FINISH = (
    "Finish the episode and get its grade. Give `claim`; for a test case give `verdict` instead, and for `fail` also"
    " `step`, the number of the step that fails."
)
_ABOUT = (
    "Tests how web agents hold up when pages, clicks and outcomes change. Call open_episode with a task and a "
    "condition, open the start URL that it returns with browser_navigate, reach the goal with the browser tools alone, "
    "and call finish_episode, which returns the grade."
)

type Act = Callable[[dict[str, Any]], Awaitable[Any]]


class McpServer:
    """The tools for one client, which plays one episode at a time."""

    def __init__(self, host: HostClient, browser: McpBrowser) -> None:
        """Take a client of the episode server, and the browser tools."""
        self._host, self._browser = host, browser
        self._episode = ""
        """Id of the open episode; empty if there is none."""
        own: list[tuple[str, str, dict[str, Any], Act]] = [
            ("list_tasks", "List the tasks, or the test cases.", _LISTED, self._tasks),
            ("list_conditions", "List the conditions: clean, sham, and the modes.", _NOTHING, self._conditions),
            ("open_episode", "Open an episode and get its goal.", _WANTED, self._open),
            ("finish_episode", _FINISH, Claim.model_json_schema(), self._finish),
        ]
        self._acts = {name: act for name, _, _, act in own}
        self.tools = [Tool(name=name, description=about, inputSchema=schema) for name, about, schema, _ in own]
        """The tools of this server, without the browser tools."""

    async def call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool and return its result; a UserError becomes a failed result."""
        try:
            if act := self._acts.get(name):
                return _text(json.dumps(await act(arguments), indent=1))
            if not self._browser.entered:
                raise UserError("no episode is open; call open_episode first")
            return await self._browser.call(name, arguments)
        except UserError as error:
            return _text(str(error), failed=True)

    async def _tasks(self, wanted: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self._host.get, "/tasks?cases=true" if wanted.get("cases") else "/tasks")

    async def _conditions(self, _: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self._host.get, "/conditions")

    async def _open(self, wanted: dict[str, Any]) -> Any:
        if self._episode:
            raise UserError(f"episode {self._episode} is open; finish it first")
        response = await asyncio.to_thread(self._host.post, "/episodes", wanted)
        self._episode = response["id"]
        await self._browser.enter(response["cdp_url"])
        return response

    async def _finish(self, claim: dict[str, Any]) -> Any:
        if not self._episode:
            raise UserError("no episode is open; call open_episode first")
        path = f"/episodes/{self._episode}"
        try:
            return await asyncio.to_thread(self._host.post, f"{path}/finish", claim)
        finally:
            state = (await asyncio.to_thread(self._host.get, path))["state"]
            # If the claim was invalid, the episode is still open.
            if state != "open":
                self._episode = ""
                await self._browser.leave()


def _text(text: str, *, failed: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], isError=failed)


async def serve_mcp(host: HostClient) -> None:
    """Serve one client on standard input and output until it disconnects."""
    with tempfile.TemporaryDirectory(prefix="stressweb-mcp-") as folder:
        async with McpBrowser(Path(folder)) as browser, stdio_server() as (reading, writing):
            ours = McpServer(host, browser)
            server: Server[Any, Any] = Server("stressweb", instructions=_ABOUT)

            async def list_tools() -> list[Tool]:
                return [*ours.tools, *browser.tools]

            server.list_tools()(list_tools)
            # Each tool validates its own input, with better messages.
            server.call_tool(validate_input=False)(ours.call)
            await server.run(reading, writing, server.create_initialization_options())
