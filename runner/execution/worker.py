"""A worker process: takes cells from its parent one by one and writes their episodes into the run's database.

Protocol: JSON Lines on descriptors of its own, made of standard input and output before any code of an agent runs.
The process ends with its parent.
"""

import contextlib
import ctypes
import faulthandler
import functools
import json
import os
import queue
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from pydantic import BaseModel, ConfigDict

from runner.browser import driver
from runner.episode.agent_thread import Heartbeat, left_behind
from runner.execution import disk_space, parcel
from runner.plan.plan import Plan
from stressweb.core.errors import DiskFullError, InfrastructureError, TooLargeError, UserError, first_line
from stressweb.core.standard_input import empty_standard_input
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

    from stressweb.plugins.site import SiteWorld

_PR_SET_PDEATHSIG = 1


class WorkerConfig(BaseModel):
    """Start-up configuration of a worker process."""

    # An option of an agent may be infinite, for which pydantic by default writes null.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    database: Path
    browser: Path
    plan: Plan
    """The run's plan; a cell has the labels of one of its agents and of one of its conditions."""
    headed: bool = False
    base_url: str | None = None
    """Where language models are asked, if the command line says so."""
    extensions: tuple[str, ...] = ()
    """What the user loads besides what ships: files, folders, `module:Class`."""
    parcels: bool = False
    """Whether each episode gets the database for itself, as a file that the parent fetches and sends on."""
    parent: int
    """Process id of the parent: if it is another one by now, the parent has died."""


def die_with_parent(parent: int) -> None:
    """Have the kernel (Linux) kill this process when its parent dies; end at once if it has died already."""
    if sys.platform == "linux":
        # Not even a parent that is killed outright, and can tell nobody, leaves a worker and its browser behind.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the line above: no signal would come any more.
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
            # After the last message the pipe is meant to end, and the worker still has its browser to close.
            if line.strip() == '{"end": true}':
                return
        # Playwright's driver and its browser end when their pipes close, which this does.
        os._exit(1)


class HeartbeatSender(Heartbeat):
    """Sends heartbeats to the parent, which so knows whether the agent or the worker is responsible for a silence."""

    def __init__(self, tell: Callable[..., None]) -> None:
        """Take what sends a message."""
        self._tell = tell

    def working(self) -> None:
        """Send that this process and its browser are alive."""
        self._tell(working=True)

    def deciding(self, seconds: float) -> None:
        """Send that the agent begins to decide, for at most so many seconds."""
        self._tell(deciding=seconds)

    def decided(self) -> None:
        """Send that the agent has decided."""
        self._tell(decided=True)


class Worker:
    """One world and one browser, for the process's whole life."""

    def __init__(self, config: WorkerConfig, keep: Callable[[EpisodeRecord], None], playwright: "Playwright") -> None:
        """Start world and browser; imports take a second or more. `keep` stores an episode."""
        from runner.episode.grading import Grader  # noqa: PLC0415
        from runner.episode.loop import Evidence  # noqa: PLC0415 - the parent imports this module for `WorkerConfig` alone
        from runner.registry import Library  # noqa: PLC0415
        from runner.world.world import World  # noqa: PLC0415

        self._config = config
        self._keep = keep
        self._agents = {one.label: one for one in config.plan.agents}
        self._conditions = {one.label: one for one in config.plan.conditions}
        self._library = Library()
        self._grader = Grader(self._library)
        self._world = World()
        self._browser: Browser = launch(playwright, config.browser, headed=config.headed)
        self._evidence = Evidence(self._browser)

    def serve(self, cell: Cell, watch: Heartbeat) -> EpisodeRecord:
        """Run, grade and store one cell; raises DiskFullError if there is no space for that."""
        from runner.episode.loop import fail  # noqa: PLC0415

        try:
            # run_episode makes a record of its own failures; what is raised here failed before or after it.
            record = self._run(cell, watch)
        except Exception as error:
            record = EpisodeRecord(cell)
            fail(record, error)
        # To grade and to store a long episode takes time, and the parent takes a minute of silence for a hang.
        watch.working()
        if record.status != "error":
            try:
                record.grade = self._grader.grade(record)
            except InfrastructureError as error:
                fail(record, error)
        if record.status == "error":
            # A browser without space for its files fails in many ways, none of which says so.
            disk_space.check(self._config.database.parent)
        watch.working()
        self._save(record)
        return record

    def _save(self, record: EpisodeRecord) -> None:
        from runner.episode.loop import fail  # noqa: PLC0415

        try:
            self._keep(record)
        except DiskFullError:
            raise
        except TooLargeError as error:
            # An agent that fills a page must not void an episode that it loses: it is a failure, not an error.
            large = EpisodeRecord(record.cell, "error", record.claim, str(error), seconds=record.seconds)
            large.ending = record.usage
            if record.status != "error":
                large.status, large.grade = "crashed", self._grader.grade(large)
            self._keep(large)
            record.status, record.message, record.grade = large.status, large.message, large.grade
        except Exception as error:
            # What cannot be stored is an error of ours; the episode does without its steps.
            failed = EpisodeRecord(record.cell, seconds=record.seconds, ending=record.usage)
            fail(failed, error)
            self._keep(failed)
            record.status, record.message, record.traceback = failed.status, failed.message, failed.traceback

    def _run(self, cell: Cell, watch: Heartbeat) -> EpisodeRecord:
        from runner.agents import build  # noqa: PLC0415
        from runner.episode.loop import run_episode  # noqa: PLC0415

        site = self._library.world_of(cell.task, cell.world)
        goal = self._library.goal(cell.task, cell.world)
        agent = functools.partial(build, self._agents[cell.agent])
        episode = self._world.open(site, self._conditions[cell.condition], cell.seeds, cell.mark_key)
        try:
            return run_episode(
                cell,
                goal,
                agent,
                episode,
                self._browser,
                self._evidence,
                self._config.plan.limits,
                now_of(site),
                watch,
            )
        finally:
            # Its ports serve another episode next, which must find nothing of this one.
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
    """Start the browser; raises InfrastructureError if it does not start."""
    from playwright.sync_api import Error  # noqa: PLC0415

    from runner.browser.install import launch_args  # noqa: PLC0415

    try:
        return playwright.chromium.launch(executable_path=path, args=launch_args(), headless=not headed)
    except Error as error:
        raise InfrastructureError(f"browser {path} does not start: {first_line(error)}") from None


@contextlib.contextmanager
def keeping(config: WorkerConfig) -> Iterator[Callable[[EpisodeRecord], None]]:
    """Yield what stores an episode: in the run's database, or in a database for itself alone."""
    if config.parcels:
        yield functools.partial(parcel.write, config.database)
        return
    with Store.open(config.database) as store:
        yield store.save


def work(config: WorkerConfig, inbox: Inbox, tell: Callable[..., None]) -> None:
    """Serve cells until the parent says that there are no more, or until an agent hangs in this process."""
    if config.extensions:
        # Before the first cell, whose agent or mode may come from there.
        from runner.registry import load  # noqa: PLC0415 - the parent imports this module for `WorkerConfig` alone

        load(config.extensions)
    disk_space.check(config.database.parent)
    with keeping(config) as keep, driver.playwright() as playwright:
        worker = Worker(config, keep, playwright)
        # Only now: the parent must give no cell to a worker whose browser does not start.
        tell(ready=True)
        while not (message := inbox.next()).get("end"):
            cell = Cell.model_validate(message["cell"])
            # A browser runs on for a while on a full disk; what happens then must not count against the agent.
            disk_space.check(config.database.parent)
            # From here on the death of this process is the end of the cell; before, another worker could still have it.
            tell(began=cell.key)
            record = worker.serve(cell, HeartbeatSender(tell))
            log(record)
            # What is behind an error is seldom known: browser, driver, proxy and all start anew, in another process.
            spent = bool(left_behind()) or record.status == "error"
            success = record.grade is not None and record.grade.success
            cost = record.usage
            usage = {"tokens_in": cost.tokens_in, "tokens_out": cost.tokens_out, "model": cost.model}
            about = {"status": record.status, "message": record.message, "success": success, "usage": usage}
            tell(finished=record.cell.key, spent=spent, ends_run=record.ends_run, **about)
            if spent:
                break
        worker.close()


def log(record: EpisodeRecord) -> None:
    """Write what ended an episode into the worker's log, which is standard error."""
    if record.traceback or record.status in ("crashed", "error"):
        # A log that cannot be written is no reason to lose an episode.
        with contextlib.suppress(OSError):
            print(f"{record.status}: {record.cell.key}: {record.message}", record.traceback, sep="\n", file=sys.stderr)
            sys.stderr.flush()


def teller(say: TextIO) -> Callable[..., None]:
    """Return what sends a message to the parent."""

    def tell(**message: object) -> None:
        say.write(json.dumps(message) + "\n")
        say.flush()

    return tell


def main() -> int:
    """Run a worker; its parent speaks to it through what standard input and output are when it starts."""
    # Descriptors of their own, which no child process gets: neither may what an agent, a site or a library prints get
    # between our lines, nor may they read one.
    say, source = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    empty_standard_input()
    # The parent ends a worker that hangs by SIGABRT, which writes every thread's stack into the log, and no core file.
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    config = WorkerConfig.model_validate_json(source.readline())
    die_with_parent(config.parent)
    tell = teller(say)
    status = 0
    try:
        work(config, Inbox(source), tell)
    except (UserError, InfrastructureError) as error:
        full = error if isinstance(error, DiskFullError) else disk_space.full(config.database.parent)
        ours = full is None and isinstance(error, InfrastructureError)
        if ours:
            # Into the log, which is all that is left of a worker that has ended.
            traceback.print_exc()
        tell(failed=str(full or error), disk=full is not None, ours=ours)
        status = 3 if full or ours else 2
    except Exception:
        # Sent before the interpreter writes the traceback into the log: what fails without space seldom says so.
        if not (full := disk_space.full(config.database.parent)):
            raise
        tell(failed=str(full), disk=True)
        status = 3
    if left_behind():
        # An agent that hangs would keep the interpreter from ending.
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
