"""A worker process: takes cells from its parent, runs many at a time, and writes them into the run's database.

Protocol: JSON Lines on descriptors of its own, made of standard input and output before any code of an agent runs.
The process ends with its parent.
"""

import asyncio
import contextlib
import faulthandler
import functools
import os
import resource
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple, TextIO

from runner.episode.agent_thread import Heartbeat, left_behind
from runner.episode.loop import fail
from runner.episode.playground import Playground, playground
from runner.execution import disk_space
from runner.execution.grading_thread import GradingThread
from runner.execution.parent_pipe import HeartbeatSender, Inbox, teller
from runner.execution.worker_config import WorkerConfig
from runner.external.episode import Venue, run_observed
from runner.external.gate import Gate
from runner.external.participants import Participant, program
from runner.registry import build, command_of, has_own_browser, load
from stressweb.core.conditions import Condition
from stressweb.core.errors import DiskFullError, InfrastructureError, UserError
from stressweb.core.process_tree import die_with_parent
from stressweb.core.standard_input import empty_standard_input
from stressweb.log.exchange_file import ExchangeFile
from stressweb.log.recording import Cell, EpisodeRecord, StepRecord
from stressweb.plugins.site_world import now_of

_SETTLING_S = 0.2
"""Seconds in which the end of a browser becomes known."""


class BrowserGoneError(InfrastructureError):
    """The browser died while several episodes ran in it; which of them was the reason is not known."""


class Visit(NamedTuple):
    """An episode that somebody from outside plays, and no agent of the plan."""

    condition: Condition
    participant: Participant
    on_step: Callable[[StepRecord], object]
    """Gets each step when it has been recorded."""
    own_browser: bool = False
    """Whether they start a browser by themselves."""


class Worker:
    """The episodes that are in flight in one world and one browser, which live as long as the process."""

    def __init__(
        self, config: WorkerConfig, ground: Playground, grading_thread: GradingThread, gate: Gate | None = None
    ) -> None:
        """Take browser and world, which stay the caller's, as does `gate`; `grading_thread` stores episodes.

        Without a gate, one is opened for the first agent from outside.
        """
        self._config, self._ground, self._grading_thread = config, ground, grading_thread
        self._agents = {agent.label: agent for agent in config.plan.agents}
        self._conditions = {condition.label: condition for condition in config.plan.conditions}
        self._exchanges = ExchangeFile(config.record_llm, config.replay_llm)
        self._flying = 0
        self._doors, self._opening = contextlib.AsyncExitStack(), asyncio.Lock()
        self._gate = gate

    async def serve(self, cell: Cell, watch: Heartbeat | None = None, visit: Visit | None = None) -> EpisodeRecord:
        """Run, grade and store one cell; `visit` says who plays it if that is no agent of the plan.

        Raises DiskFullError if there is no space for that, and BrowserGoneError.
        """
        watch = watch or Heartbeat()
        self._flying += 1
        try:
            record = await self._run(cell, watch, visit)
            if record.status == "error":
                await self._check_browser()
                # A browser without space for its files fails in many ways, none of which says so.
                disk_space.check(self._config.database.parent)
            # To grade and to store a long episode takes time, and the parent takes a minute of silence for a hang.
            watch.working()
            await self._grading_thread.do(self._grading_thread.store, record)
        finally:
            self._flying -= 1
        return record

    @property
    def connected(self) -> bool:
        """Whether the browser is still there."""
        return self._ground.browser.is_connected()

    async def renew(self) -> None:
        """Take another browser in the place of one that has gone, or that an episode ended in an error with."""
        await self._ground.renew()

    async def _check_browser(self) -> None:
        """Raise BrowserGoneError if the browser or its driver died under more than one episode."""
        # Playwright tells of the end of a browser after it has ended the calls.
        await asyncio.sleep(_SETTLING_S)
        if self._flying > 1 and not await self._ground.is_alive():
            raise BrowserGoneError(f"the browser died under {self._flying} episodes")

    async def _run(self, cell: Cell, watch: Heartbeat, visit: Visit | None) -> EpisodeRecord:
        try:
            site, goal = await self._grading_thread.do(self._grading_thread.drawn, cell)
            watch.working()
            condition = visit.condition if visit else self._conditions[cell.condition]
            limits = self._config.plan.limits
            if visit := visit or self._program(cell, condition):
                with self._ground.opened(cell, site, condition) as episode:
                    venue, now, (_, participant, on_step, own) = await self._venue(), now_of(site), visit
                    return await run_observed(
                        cell, goal, participant, episode, venue, limits, now, watch, on_step, own_browser=own,
                        exchanges=functools.partial(self._exchanges.episode, cell.key),
                    )  # fmt: skip
            exchanges = self._exchanges.episode(cell.key)
            agent = functools.partial(build, self._agents[cell.agent], exchanges)
            return await self._ground.play(cell, site, goal, condition, agent, limits, watch, exchanges=exchanges)
        # An episode makes a record of its own failures; what is raised here failed before or after it.
        except Exception as error:
            record = EpisodeRecord(cell)
            fail(record, error)
            return record

    def _program(self, cell: Cell, condition: Condition) -> Visit | None:
        """Return the visit of the program that is the cell's agent; None for an agent of ours."""
        agent = self._agents[cell.agent]
        if not (command := command_of(agent)):
            return None
        return Visit(condition, program(command), lambda step: None, has_own_browser(agent))

    async def _venue(self) -> Venue:
        """Return what agents from outside share; its server is started for the first of them."""
        async with self._opening:
            if self._gate is None:
                self._gate = await self._doors.enter_async_context(Gate())
        return Venue(self._config.browser, self._gate, self._ground.evidence)

    async def close(self) -> None:
        """End what agents from outside share."""
        await self._doors.aclose()


@contextlib.asynccontextmanager
async def working(
    config: WorkerConfig, grading_thread: GradingThread, gate: Gate | None = None
) -> AsyncIterator[Worker]:
    """Yield a worker with a browser and a world of its own, which end with the context."""
    async with playground(config.browser, headed=config.headed) as ground:
        worker = Worker(config, ground, grading_thread, gate)
        yield worker
        await worker.close()


async def work(config: WorkerConfig, inbox: Inbox, tell: Callable[..., None]) -> None:
    """Serve cells until the parent says that there are no more, or until an agent hangs in this process."""
    # Before the first cell, whose agent or mode may come from there.
    load(config.extensions)
    disk_space.check(config.database.parent)
    async with GradingThread(config) as grading_thread, working(config, grading_thread) as worker:
        # Only now: the parent must give no cell to a worker whose browser does not start.
        tell(ready=True)
        await serve_all(config, inbox, tell, worker)


async def serve_all(config: WorkerConfig, inbox: Inbox, tell: Callable[..., None], worker: Worker) -> None:
    """Serve the cells that come, all at once, until there are no more.

    Raises what ends this process: DiskFullError, and BrowserGoneError.
    """

    async def serve(cell: Cell) -> None:
        # A browser runs on for a while on a full disk; what happens then must not count against the agent.
        disk_space.check(config.database.parent)
        # From here on the death of this process is the end of the cell; before, another worker could still have it.
        tell(about=cell.key, began=True)
        record = await worker.serve(cell, HeartbeatSender(tell, cell))
        log(record)
        tell(about=cell.key, **finished_message(record))

    try:
        async with asyncio.TaskGroup() as flying:
            while not (message := await inbox.next()).get("end"):
                flying.create_task(serve(Cell.model_validate(message["cell"])))
    except ExceptionGroup as failures:
        # The first failure ended the other episodes.
        raise failures.exceptions[0] from None


def finished_message(record: EpisodeRecord) -> dict[str, object]:
    """Return the message to the parent about an episode that is finished and stored."""
    cost = record.usage
    return {
        "status": record.status,
        "message": record.message,
        "success": record.grade is not None and record.grade.outcome,
        "usage": {"tokens_in": cost.tokens_in, "tokens_out": cost.tokens_out, "model": cost.model},
        "ends_run": record.ends_run,
        # What is behind an error is seldom known: browser, driver, proxy and all start anew, in another process.
        "spent": bool(left_behind()) or record.status == "error",
    }


def log(record: EpisodeRecord) -> None:
    """Write what ended an episode into the worker's log, which is standard error."""
    if record.traceback or record.status in ("crashed", "error"):
        # A log that cannot be written is no reason to lose an episode.
        with contextlib.suppress(OSError):
            print(f"{record.status}: {record.cell.key}: {record.message}", record.traceback, sep="\n", file=sys.stderr)
            sys.stderr.flush()


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
    status = asyncio.run(run(config, source, tell))
    if left_behind():
        # An agent that hangs would keep the interpreter from ending.
        os._exit(status)
    return status


async def run(config: WorkerConfig, source: TextIO, tell: Callable[..., None]) -> int:
    """Work, and return the exit status; what fails is sent to the parent."""
    try:
        await work(config, Inbox(source), tell)
    except (UserError, InfrastructureError) as error:
        full = error if isinstance(error, DiskFullError) else disk_space.full(config.database.parent)
        ours = full is None and isinstance(error, InfrastructureError)
        if ours:
            # Into the log, which is all that is left of a worker that has ended.
            traceback.print_exc()
        tell(failed=str(full or error), disk=full is not None, ours=ours)
        return 3 if full or ours else 2
    except Exception:
        # Sent before the interpreter writes the traceback into the log: what fails without space seldom says so.
        if not (full := disk_space.full(config.database.parent)):
            raise
        tell(failed=str(full), disk=True)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
