"""A client of the Model Context Protocol that plays `shop/first-hit` with browser tools, by the official SDK.

`mcp_client.py WAY FOLDER`: "one" uses `stressweb mcp` alone, "two" uses it for the episode, and the episode's own
command for the browser. It reads the site's words as JSON, and prints the tools' answers as JSON. With the way
"verdict" it reads the id of a test case and a verdict instead, and gives the verdict.
"""

import asyncio
import json
import os
import re
import sys
from contextlib import AsyncExitStack
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


class Tools:
    """The tools of one server."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session

    @classmethod
    async def of(cls, stack: AsyncExitStack, command: str, args: list[str]) -> "Tools":
        parameters = StdioServerParameters(command=command, args=args, env=dict(os.environ))
        streams = await stack.enter_async_context(stdio_client(parameters))
        session = await stack.enter_async_context(ClientSession(*streams))
        await session.initialize()
        return cls(session)

    async def call(self, name: str, **arguments: Any) -> str:
        answer = await self.session.call_tool(name, arguments)
        return "\n".join(part.text for part in answer.content if part.type == "text")

    async def press(self, name: str, role: str, words: str, above: str = "", **arguments: Any) -> None:
        """Use a tool on the first element of this role and name, below the line that holds `above`."""
        snapshot = await self.call("browser_snapshot")
        rest = snapshot[snapshot.index(above) :] if above else snapshot
        match = re.search(rf'{role} "{re.escape(words)}".*?\[ref=(\w+)\]', rest)
        assert match, snapshot
        answer = await self.call(name, target=match[1], element=words, **arguments)
        assert "### Error" not in answer, answer


async def judge(folder: str, words: dict[str, Any]) -> None:
    async with AsyncExitStack() as stack:
        host = await Tools.of(stack, sys.executable, ["-P", "-m", "stressweb", "mcp", folder])
        listed = json.loads(await host.call("list_tasks", cases=True))
        episode = json.loads(await host.call("open_episode", task=words["case"]))
        malformed = await host.call("finish_episode", verdict="fail")
        ended = json.loads(await host.call("finish_episode", **words["verdict"]))
    print(json.dumps({"listed": listed, "goal": episode["goal"], "malformed": malformed, "ended": ended}))


async def main(way: str, folder: str) -> None:
    words = json.load(sys.stdin)
    await (judge(folder, words) if way == "verdict" else play(way, folder, words))


async def play(way: str, folder: str, words: dict[str, Any]) -> None:
    async with AsyncExitStack() as stack:
        host = await Tools.of(stack, sys.executable, ["-P", "-m", "stressweb", "mcp", folder])
        listed = [tool.name for tool in (await host.session.list_tools()).tools]
        answers = [await host.call("finish_episode", claim="done"), await host.call("browser_snapshot")]
        answers.append(await host.call("open_episode", task="shop/first-hot"))
        episode = json.loads(await host.call("open_episode", task="shop/first-hit", condition=words["condition"]))
        answers.append(await host.call("open_episode", task="shop/first-hit"))
        answers.append(await host.call("finish_episode", claim="won"))
        own = episode["mcp"]
        browser = host if way == "one" else await Tools.of(stack, own["command"], own["args"])
        await browser.call("browser_navigate", url=episode["start_url"])
        await browser.press("browser_type", "searchbox", words["field"], text=words["query"], submit=True)
        await browser.press("browser_click", "button", words["button"], above=words["product"])
        await browser.call("browser_snapshot")
        ended = json.loads(await host.call("finish_episode", claim="done", message="by MCP"))
        after = await host.call("browser_snapshot")
    print(json.dumps({"tools": listed, "answers": answers, "goal": episode["goal"], "ended": ended, "after": after}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
