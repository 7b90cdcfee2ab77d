"""A page is read once the requests that its scripts make have ended, even before the proxy gets them."""

import asyncio
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from scripts.blocking import run
from stressweb.core.browser_program import find_browser
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.plugins.site_world import now_of
from stressweb.runner.external.observer import Observer
from stressweb.runner.external.pipe_browser import PipeBrowser
from stressweb.runner.external.session import Session
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.toy import Toy

PAGE = """<!DOCTYPE html><title>Late</title><p id="words">early words</p>
<script>fetch("/late").then((answer) => answer.text()).then((text) => (words.textContent = text))</script>"""


class Late(Toy):
    """A page whose script gets its words after half a second."""

    def app(self, environ: Mapping[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        if environ["PATH_INFO"] != "/late":
            return super().app(environ, start_response)
        time.sleep(0.5)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"late words"]


class Unheard:
    """An episode whose proxy never reports a request, as in the moment before it gets one."""

    def __init__(self, episode: EpisodeWorld) -> None:
        self._episode = episode

    def busy(self) -> int:
        return 0

    def started(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._episode, name)


class Pages:
    """Steps that keep the pages only."""

    def __init__(self) -> None:
        self.first: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def take(self, text: str) -> None:
        if not self.first.done():
            self.first.set_result(json.loads(text)["copy"])


async def first_read(episode: EpisodeWorld, site: Toy) -> str:
    """Open the first page in a browser; return the page as the observer reads it first."""
    browser = await PipeBrowser.launch(find_browser().path, f"http://127.0.0.1:{episode.port}")
    try:
        session, pages = await Session.of(browser), Pages()
        await Observer(session, Unheard(episode), now_of(site), pages).start()  # type: ignore[arg-type]
        await session.ask(session.root, "Target.createTarget", url=episode.start_url)
        async with asyncio.timeout(30):
            return await pages.first
    finally:
        await browser.close()


def test_a_request_that_the_proxy_has_not_got_yet_is_waited_for(world: World) -> None:
    site = Late(PAGE)
    episode = world.open(site, CLEAN, Seeds(0, 0, "toy/x"))
    try:
        page = run(first_read(episode, site))
    finally:
        episode.close()
    assert "late words" in page
    assert "early words" not in page
