"""A scripted agent as a separate program that connects to an episode by its CDP URL or its proxy.

`scripted.py AGENT BRIEFS [direct]`: the file has the pickled briefs of scripted agents, by the goal's text.
"""

import asyncio
import json
import os
import pickle
import sys
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.async_api import BrowserContext, Playwright, ProxySettings, ViewportSize, async_playwright

from stressweb.core.browser_program import find_browser, launch_args
from stressweb.core.protocol import VIEWPORT
from stressweb.plugins.actions import Action
from stressweb.plugins.offers import Offer
from stressweb.runner.agents import make
from stressweb.runner.browser.session import BrowserSession


class Still:
    """Traffic without any request, because this process sees none."""

    def busy(self) -> int:
        """Return that no request is open."""
        return 0

    def started(self) -> int:
        """Return that no request has started."""
        return 0


async def theirs(playwright: Playwright) -> BrowserContext:
    """Return the first context of the episode's browser."""
    browser = await playwright.chromium.connect_over_cdp(os.environ["STRESSWEB_CDP_URL"])
    return browser.contexts[0]


async def own(playwright: Playwright, *, direct: bool) -> BrowserContext:
    """Return a context of this process's own browser, behind the episode's proxy unless `direct`."""
    address = urlsplit(os.environ["STRESSWEB_PROXY"])
    proxy = ProxySettings(
        server=f"http://{address.hostname}:{address.port}",
        username=unquote(address.username or ""),
        password=unquote(address.password or ""),
    )
    # Without a proxy, the browser must resolve names itself.
    args = [arg for arg in launch_args() if not (direct and arg.startswith("--host-resolver-rules"))]
    browser = await playwright.chromium.launch(
        executable_path=find_browser().path, args=args, proxy=None if direct else proxy
    )
    return await browser.new_context(viewport=ViewportSize(width=VIEWPORT["width"], height=VIEWPORT["height"]))


def files() -> tuple[Offer, ...]:
    """Return the files that can be uploaded."""
    folder = Path(os.environ.get("STRESSWEB_FILES") or "nowhere")
    return tuple(Offer(name=path.name, text=path.read_text("utf-8")) for path in sorted(folder.glob("*")))


async def main(name: str, briefs: str, way: str = "") -> None:
    """Do the task, and finish the episode with the agent's claim."""
    agent = make(name)
    agent.start(pickle.loads(Path(briefs).read_bytes())[os.environ["STRESSWEB_GOAL"]])
    async with async_playwright() as playwright:
        direct = way == "direct"
        context = await (theirs(playwright) if "STRESSWEB_CDP_URL" in os.environ else own(playwright, direct=direct))
        session = BrowserSession(context, Still(), agent.wants, offers=files())
        start = os.environ["STRESSWEB_DIRECT_URL" if direct else "STRESSWEB_START_URL"]
        observation = await session.start(start, 20_000)
        while isinstance(action := agent.act(observation), Action) and not action.final:
            # In its own browser, a page is disturbed only after it has settled.
            await asyncio.sleep(0 if "STRESSWEB_CDP_URL" in os.environ else 0.5)
            _, observation = await session.step(action)
        assert isinstance(action, Action)
        claim = {"claim": "done" if action.kind == "DONE" else "failed", "message": action.message or ""}
        request = urllib.request.Request(
            os.environ["STRESSWEB_FINISH_URL"], json.dumps(claim).encode(), {"content-type": "application/json"}
        )
        urllib.request.urlopen(request).close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
