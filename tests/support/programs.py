"""Episodes of agents that are programs, run in this process by the functions that workers use."""

import pickle
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser

from scripts.waited import Evidence, Gate, run_observed
from stressweb.core.browser_program import find_browser
from stressweb.log.exchange_file import ExchangeFile
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.agent import Brief
from stressweb.plugins.site_world import now_of
from stressweb.runner.external.episode import Venue
from stressweb.runner.external.participants import program
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader
from stressweb.runner.world.world import World
from tests.support.plans import condition

FIRST_HIT = "shop/first-hit"


LIMITS = Limits(agent_seconds=60)


FINISH = """
import json, os, sys, time, urllib.request

def finish(claim="done", **more):
    body = json.dumps({"claim": claim, **more}).encode()
    request = urllib.request.Request(os.environ["STRESSWEB_FINISH_URL"], body, {"content-type": "application/json"})
    return urllib.request.urlopen(request).status
"""


HEAD = (
    FINISH
    + """
from playwright.sync_api import sync_playwright

playwright = sync_playwright().start()
browser = playwright.chromium.connect_over_cdp(os.environ["STRESSWEB_CDP_URL"])
page = browser.contexts[0].pages[0]
page.set_default_timeout(15000)
page.goto(os.environ["STRESSWEB_START_URL"])
"""
)
"""Start of a test's program: Playwright on the episode's first page."""


OWN_HEAD = (
    FINISH
    + """
from urllib.parse import unquote, urlsplit
from playwright.sync_api import sync_playwright
from stressweb.core.browser_program import find_browser, launch_args

proxy = urlsplit(os.environ["STRESSWEB_PROXY"])
server = {
    "server": f"http://{proxy.hostname}:{proxy.port}",
    "username": unquote(proxy.username),
    "password": unquote(proxy.password),
}
playwright = sync_playwright().start()
browser = playwright.chromium.launch(executable_path=find_browser().path, args=launch_args(), proxy=server)
page = browser.new_page()
page.set_default_timeout(15000)
page.goto(os.environ["STRESSWEB_START_URL"])
"""
)
"""Start of a test's program with its own browser."""


class Programs:
    """Runs episodes whose agent is a command."""

    def __init__(self, browser: Browser, world: World, folder: Path) -> None:
        self.library = Library()
        self._browser, self._world, self._folder = browser, world, folder
        self._grader, self._evidence = Grader(self.library), Evidence(browser)
        self.gate = Gate()

    def run(
        self,
        command: str,
        label: str = "clean",
        task: str = FIRST_HIT,
        limits: Limits = LIMITS,
        *,
        own_browser: bool = False,
        exchanges: ExchangeFile | None = None,
    ) -> EpisodeRecord:
        """Return the graded record of one episode."""
        cell = Cell(agent="x", task=task, condition=label, world=0, stress=None if label == "clean" else 0)
        site = self.library.world_of(task, 0)
        episode = self._world.open(site, condition(label), cell.seeds)
        try:
            record: EpisodeRecord = run_observed(
                cell,
                self.library.goal(task, 0),
                program(command),
                episode,
                Venue(find_browser().path, self.gate._it, self._evidence._it),
                limits,
                now_of(site),
                own_browser=own_browser,
                exchanges=partial((exchanges or ExchangeFile()).episode, cell.key),
            )
        finally:
            episode.close()
        if record.status != "error":
            record.grade = self._grader.grade(record)
        return record

    def python(self, body: str, *, head: str = HEAD) -> str:
        """Return the command of a program with this body."""
        path = self._folder / f"program{len(list(self._folder.iterdir()))}.py"
        path.write_text(head + body, "utf-8")
        return f"{sys.executable} {path}"

    def scripted(self, agent: str, task: str) -> str:
        """Return the command of a scripted agent that knows the words of a task."""
        goal = self.library.goal(task, 0)
        briefs = self._folder / f"briefs{len(list(self._folder.iterdir()))}"
        start = f"http://{self.library.world_of(task, 0).host}/"
        briefs.write_bytes(pickle.dumps({goal.text: Brief(goal=goal.text, start_url=start, steps=goal.ways[0])}))
        return f"{sys.executable} -P {Path(__file__).with_name('scripted.py')} {agent} {briefs}"


type Ran = Callable[..., EpisodeRecord]
