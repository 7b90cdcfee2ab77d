"""A worker process: takes cells from its parent one by one and writes their episodes into the run's database.

Spoken to in JSON, a line for each message, by standard input and output. It ends with its parent.
"""

import ctypes
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from pydantic import BaseModel, ConfigDict

from stressweb.actions import Action
from stressweb.agent import Agent, Brief, Observation
from stressweb.errors import InfrastructureError, UserError, first_line
from stressweb.recording import Cell, EpisodeRecord
from stressweb.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

    from stressweb.sites import SiteWorld

_PR_SET_PDEATHSIG = 1


class Orders(BaseModel):
    """What a worker is told when it starts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database: Path
    browser: Path
    headed: bool = False
    max_steps: int = 100
    agent_seconds: float | None = None
    screenshots: bool = False
    base_url: str | None = None
    """Where language models are asked, if the command line says so."""
    parent: int
    """Process id of the parent: if it is another one by now, the parent has died."""


def die_with_parent(parent: int) -> None:
    """Have the kernel (Linux) kill this process when its parent dies; end at once if it has died already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class Inbox:
    """The parent's messages; when they end, the parent is gone and so is this process, whatever it is doing."""

    def __init__(self, source: TextIO) -> None:
        """Read ahead in a thread, since the main one belongs to the browser while an episode runs."""
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self._source = source
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self) -> dict[str, Any]:
        """Return the next message."""
        return self._messages.get()

    def _listen(self) -> None:
        for line in self._source:
            self._messages.put(json.loads(line))
            if line.strip() == '{"end": true}':
                return
        # Playwright's driver and its browser end when their pipes close, which this does.
        os._exit(1)


class Watched(Agent):
    """Another agent, each of whose decisions is told: a slow model can be told from a worker that hangs."""

    name = "watched"

    def __init__(self, agent: Agent, tell: Callable[[], None]) -> None:
        """Take the agent, and what is called after each decision."""
        self._agent, self._tell = agent, tell
        self.wants = agent.wants

    def start(self, brief: Brief) -> None:
        """Hand the brief on."""
        self._agent.start(brief)

    def act(self, observation: Observation) -> Action:
        """Have the agent decide, and tell."""
        try:
            return self._agent.act(observation)
        finally:
            self.usage = self._agent.usage
            self._tell()


class Worker:
    """One world and one browser, for the process's whole life."""

    def __init__(self, orders: Orders, store: Store, playwright: "Playwright") -> None:
        """Start world and browser; imports take a second or more."""
        from runner.episode import Limits  # noqa: PLC0415 - the parent imports this module for `Orders` alone
        from runner.grade import Grader  # noqa: PLC0415
        from runner.listing import Library  # noqa: PLC0415
        from runner.world import World  # noqa: PLC0415

        self._orders = orders
        self._store = store
        self._playwright = playwright
        self._limits = Limits(orders.max_steps, orders.agent_seconds, orders.screenshots)
        self._library = Library()
        self._grader = Grader(self._library)
        self._world = World()
        self._doubtful = False
        self._launch()

    def _launch(self) -> None:
        from runner.episode import Evidence  # noqa: PLC0415

        self._browser: Browser = launch(self._playwright, self._orders.browser, headed=self._orders.headed)
        self._evidence = Evidence(self._browser)

    def make_ready(self) -> None:
        """Start another browser if the last episode was an error and this one opens no page any more."""
        if not self._doubtful:
            return
        self._doubtful = False
        try:
            self._browser.new_context().close()
        except Exception:
            self._relaunch()

    def _relaunch(self) -> None:
        try:
            self._launch()
        except UserError as error:
            # It did start before: not the user's mistake, and another process may well have more luck.
            raise InfrastructureError(str(error)) from error

    def serve(self, cell: Cell, decided: Callable[[], None]) -> EpisodeRecord:
        """Run, grade and store one cell; `decided` is called after each decision of its agent."""
        try:
            record = self._run(cell, decided)
        except Exception as error:
            record = EpisodeRecord(cell, message=f"{type(error).__name__}: {error}")
        if record.status != "error":
            try:
                record.grade = self._grader.grade(record)
            except InfrastructureError as error:
                record.status, record.message = "error", str(error)
        self._store.save(record)
        self._doubtful = record.status == "error"
        return record

    def _run(self, cell: Cell, decided: Callable[[], None]) -> EpisodeRecord:
        from runner.agents import make  # noqa: PLC0415
        from runner.episode import run_episode  # noqa: PLC0415
        from runner.listing import condition  # noqa: PLC0415

        site = self._library.world(cell.task.partition("/")[0], cell.world)
        goal = self._library.goal(cell.task, cell.world)
        agent = Watched(make(cell.agent), decided)
        episode = self._world.open(site, condition(cell.condition), cell.seeds, cell.mark_key)
        try:
            return run_episode(cell, goal, agent, episode, self._browser, self._evidence, self._limits, now_of(site))
        finally:
            episode.close()

    def close(self) -> None:
        """End browser and world."""
        if self._browser.is_connected():
            self._browser.close()
        self._world.close()


def now_of(site: "SiteWorld") -> str:
    """Return the date and time at which a site's clock starts, for the browser's; both are in UTC."""
    return f"{site.start.isoformat()}Z"


def launch(playwright: "Playwright", path: Path, *, headed: bool = False) -> "Browser":
    """Start the browser; raises UserError if it does not start."""
    from playwright.sync_api import Error  # noqa: PLC0415

    from runner.browser import launch_args  # noqa: PLC0415

    try:
        return playwright.chromium.launch(executable_path=path, args=launch_args(), headless=not headed)
    except Error as error:
        raise UserError(f"browser {path} does not start: {first_line(error)}") from None


def work(orders: Orders, inbox: Inbox, say: TextIO) -> None:
    """Serve cells until the parent says that there are no more."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with Store.open(orders.database) as store, sync_playwright() as playwright:
        worker = Worker(orders, store, playwright)
        _tell(say, ready=True)
        while not (message := inbox.next()).get("end"):
            cell = Cell.model_validate(message["cell"])
            worker.make_ready()
            _tell(say, began=cell.key)
            record = worker.serve(cell, lambda: _tell(say, decided=True))
            _tell(say, finished=record.cell.key, status=record.status, message=record.message)
        worker.close()


def _tell(say: TextIO, **message: object) -> None:
    say.write(json.dumps(message) + "\n")
    say.flush()


def main() -> int:
    """Run a worker on standard input and output."""
    # Whatever a site or a library prints must not get between our lines.
    say = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    orders = Orders.model_validate_json(sys.stdin.readline())
    die_with_parent(orders.parent)
    try:
        work(orders, Inbox(sys.stdin), say)
    except UserError as error:
        _tell(say, failed=str(error))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
