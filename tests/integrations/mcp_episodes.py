"""Plays cells of a host as a client of the Model Context Protocol, with the tools of `stressweb mcp`.

`mcp_episodes.py HOST_FILE`: the cells come as JSON by standard input; how each ended is printed as JSON.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tool_calls import calls


async def main(host: str) -> None:
    cells, ended = json.load(sys.stdin), []
    command = ["-P", "-m", "stressweb", "mcp", str(Path(host).parent)]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()

        async def call(name: str, arguments: dict[str, Any]) -> str:
            answer = await session.call_tool(name, arguments)
            return "\n".join(part.text for part in answer.content if part.type == "text")

        for cell in cells:
            wanted = {"task": cell["task"], "condition": cell["condition"], "agent": "mcp"}
            opened = json.loads(await call("open_episode", wanted))
            moves = calls(opened["start_url"], cell["script"])
            move = next(moves, None)
            while move is not None:
                answer = await call(*move)
                try:
                    move = moves.send(answer)
                except StopIteration:
                    move = None
            ended.append(json.loads(await call("finish_episode", {"claim": "done"})))
    print(json.dumps({"ended": ended}))


asyncio.run(main(*sys.argv[1:]))
