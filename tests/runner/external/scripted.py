"""A scripted agent as a program of its own: it takes part in an episode by its CDP URL, with Playwright.

`scripted.py AGENT BRIEFS`: the file has what scripted agents know of each goal, pickled by the goal's text.
"""

import asyncio
import json
import os
import pickle
import sys
import urllib.request
from pathlib import Path

from playwright.async_api import async_playwright

from runner.agents import make
from runner.browser.session import BrowserSession


class Still:
    """No traffic that this process could know of."""

    def busy(self) -> int:
        """Return that nothing is under way."""
        return 0

    def started(self) -> int:
        """Return that nothing has begun."""
        return 0


async def main(name: str, briefs: str) -> None:
    """Do the task, and finish the episode with what the agent claims."""
    agent = make(name)
    agent.start(pickle.loads(Path(briefs).read_bytes())[os.environ["STRESSWEB_GOAL"]])
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(os.environ["STRESSWEB_CDP_URL"])
        session = BrowserSession(browser.contexts[0], Still(), agent.wants)
        observation = await session.start(os.environ["STRESSWEB_START_URL"], 20_000)
        while not (action := agent.act(observation)).final:
            _, observation = await session.step(action)
        claim = {"claim": "done" if action.kind == "DONE" else "failed", "message": action.message or ""}
        request = urllib.request.Request(
            os.environ["STRESSWEB_FINISH_URL"], json.dumps(claim).encode(), {"content-type": "application/json"}
        )
        urllib.request.urlopen(request).close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
