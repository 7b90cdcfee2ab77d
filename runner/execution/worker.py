"""A worker process: gets cells from its parent, runs many at a time, and writes them into the run's database.

Protocol: JSON Lines on duplicates of standard input and output, made before any agent's code runs. The process ends
with its parent.
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
from typing import TYPE_CHECKING, NamedTuple, TextIO

from stressweb.core.collector import collect_rarely
from stressweb.core.conditions import Condition
from stressweb.core.errors import DiskFullError, InfrastructureError, UserError
from stressweb.core.process_tree import die_with_parent, name_process
from stressweb.core.standard_input import empty_standard_input
from stressweb.log.exchange_file import ExchangeFile
from stressweb.log.recording import Cell, EpisodeRecord, StepRecord
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.plugins.task import Goal
from stressweb.runner.episode.agent_thread import Heartbeat, left_behind
from stressweb.runner.episode.loop import fail
from stressweb.runner.episode.playground import Playground, playground
from stressweb.runner.execution import disk_space
from stressweb.runner.execution.grading_thread import GradingThread
from stressweb.runner.execution.parent_pipe import HeartbeatSender, Inbox, teller
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.external.participants import Participant, program
from stressweb.runner.registry import Library, build, command_of, has_own_browser, load

if TYPE_CHECKING:
    # Imports FastAPI, which takes half a second.
    from stressweb.runner.external.gate import Gate

NAME = "stressweb-work"
"""Name of a worker process."""
_SETTLING_S = 0.2
"""Seconds until Playwright reports the end of a browser."""


class BrowserGoneError(InfrastructureError):
    """The browser died while several episodes ran in it, so the responsible episode is unknown."""


class Visit(NamedTuple):
    """An episode that is played by an external participant instead of one of our agents."""

    condition: Condition
    participant: Participant
    on_step: Callable[[StepRecord], object]
    """Called with each step once it is recorded."""
    own_browser: bool = False
    """Whether the participant starts its own browser."""


class Worker:
    """Runs episodes in one world and one browser of this process."""

    def __init__(
        self, config: WorkerConfig, ground: Playground, grading_thread: GradingThread, gate: "Gate | None" = None
    ) -> None:
        """Take a playground and a gate, which the caller must close; `grading_thread` stores episodes.

        Without a gate, the first external agent opens one.
        """
        self._config, self._ground, self._grading_thread = config, ground, grading_thread
        self._agents = {agent.label: agent for agent in config.plan.agents}
        self._conditions = {condition.label: condition for condition in config.plan.conditions}
        self._exchanges = ExchangeFile(config.record_llm, config.replay_llm)
        self._flying = 0
        self._doors, self._opening = contextlib.AsyncExitStack(), asyncio.Lock()
        self._gate = gate

    async def serve(self, cell: Cell, watch: Heartbeat | None = None, visit: Visit | None = None) -> EpisodeRecord:
        """Run, grade and store one cell; `visit` describes an external participant that plays it.

        Raises DiskFullError if the disk is full, and BrowserGoneError if the browser died under several episodes.
        """
        watch = watch or Heartbeat()
        self._flying += 1
        try:
            record = await self._run(cell, watch, visit)
            if record.status == "error":
                await self._check_browser()
                # A browser without disk space fails in many ways that do not mention it.
                disk_space.check(self._config.database.parent)
            # Grading a long episode takes time, and the parent kills a worker after a minute without heartbeat.
            watch.working()
            await self._grading_thread.do(self._grading_thread.store, record)
        finally:
            self._flying -= 1
        return record

    @property
    def connected(self) -> bool:
        """Whether the browser is still connected."""
        return self._ground.browser.is_connected()

    async def renew(self) -> None:
        """Replace the browser after it has died or an episode has ended with an error."""
        await self._ground.renew()

    async def _check_browser(self) -> None:
        """Raise BrowserGoneError if the browser or its driver died under more than one episode."""
        # Playwright reports the end of a browser only after it has failed the pending calls.
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
                return await self._observed(cell, site, goal, visit, watch)
            exchanges = self._exchanges.episode(cell.key)
            agent = functools.partial(build, self._agents[cell.agent], exchanges)
            return await self._ground.play(cell, site, goal, condition, agent, limits, watch, exchanges=exchanges)
        # An episode records its own failures; an exception here comes from before or after it.
        except Exception as error:
            record = EpisodeRecord(cell)
            fail(record, error)
            return record

    def _program(self, cell: Cell, condition: Condition) -> Visit | None:
        """Return a visit if the cell's agent is an external program; otherwise None."""
        agent = self._agents[cell.agent]
        if not (command := command_of(agent)):
            return None
        return Visit(condition, program(command), lambda step: None, has_own_browser(agent))

    async def _observed(self, cell: Cell, site: SiteWorld, goal: Goal, visit: Visit, watch: Heartbeat) -> EpisodeRecord:
        """Run an episode of an external participant; the first one starts the gate, which all of them share."""
        from stressweb.runner.external import episode, gate  # noqa: PLC0415 - takes half a second, for FastAPI

        async with self._opening:
            if self._gate is None:
                self._gate = await self._doors.enter_async_context(gate.Gate())
        venue = episode.Venue(self._config.browser, self._gate, self._ground.evidence)
        with self._ground.opened(cell, site, visit.condition) as world:
            return await episode.run_observed(
                cell, goal, visit.participant, world, venue, self._config.plan.limits, now_of(site), watch,
                visit.on_step, own_browser=visit.own_browser,
                exchanges=functools.partial(self._exchanges.episode, cell.key),
            )  # fmt: skip

    async def close(self) -> None:
        """Close what external agents share."""
        await self._doors.aclose()


@contextlib.asynccontextmanager
async def working(
    config: WorkerConfig, grading_thread: GradingThread, gate: "Gate | None" = None
) -> AsyncIterator[Worker]:
    """Yield a worker with its own browser and world, and close them when the context ends."""
    async with playground(config.browser, headed=config.headed) as ground:
        worker = Worker(config, ground, grading_thread, gate)
        yield worker
        await worker.close()


async def work(config: WorkerConfig, inbox: Inbox, tell: Callable[..., None], library: Library | None = None) -> None:
    """Run cells until the parent sends the last message; `library` may hold worlds that are already drawn."""
    # Load extensions first, since a cell's agent or mode may come from them.
    load(config.extensions)
    disk_space.check(config.database.parent)
    async with GradingThread(config, library=library) as grading_thread, working(config, grading_thread) as worker:
        # Report this only now: the parent must not send cells to a worker whose browser does not start.
        tell(ready=True)
        await serve_all(config, inbox, tell, worker)


async def serve_all(config: WorkerConfig, inbox: Inbox, tell: Callable[..., None], worker: Worker) -> None:
    """Run all cells that arrive, concurrently, until there are no more.

    Raises DiskFullError and BrowserGoneError, which end this process.
    """

    async def serve(cell: Cell) -> None:
        # A browser keeps running for a while on a full disk; its failures must not count against the agent.
        disk_space.check(config.database.parent)
        # Before this message, another worker can run the cell if this process dies; after it, the death ends the cell.
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
    """Return the message to the parent about a finished and stored episode."""
    cost = record.usage
    return {
        "status": record.status,
        "message": record.message,
        "success": record.grade is not None and record.grade.outcome,
        "usage": {"tokens_in": cost.tokens_in, "tokens_out": cost.tokens_out, "model": cost.model},
        "ends_run": record.ends_run,
        # The cause of an error is seldom known, so start everything anew in another process.
        "takes_no_more": bool(left_behind()) or record.status == "error",
    }


def log(record: EpisodeRecord) -> None:
    """Write an episode's failure to the worker's log, which is standard error."""
    if record.traceback or record.status in ("crashed", "error"):
        # An episode must not be lost because the log cannot be written.
        with contextlib.suppress(OSError):
            print(f"{record.status}: {record.cell.key}: {record.message}", record.traceback, sep="\n", file=sys.stderr)
            sys.stderr.flush()


def main(library: Library | None = None) -> int:
    """Run a worker, which talks to its parent through its original standard input and output.

    `library` holds the worlds that its parent has drawn, if it is a fork of its parent.
    """
    # Use duplicates that child processes do not inherit: agents, sites and libraries must neither print between our
    # lines nor read them.
    say, source = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    empty_standard_input()
    # The parent ends a hanging worker with SIGABRT, which writes all threads' stacks to the log but no core file.
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    config = WorkerConfig.model_validate_json(source.readline())
    die_with_parent(config.parent)
    # A fork has the command line of its parent.
    name_process(NAME)
    collect_rarely()
    tell = teller(say)
    status = asyncio.run(run(config, source, tell, library))
    if left_behind():
        # A hanging agent would keep the interpreter from exiting.
        os._exit(status)
    return status


async def run(config: WorkerConfig, source: TextIO, tell: Callable[..., None], library: Library | None = None) -> int:
    """Run the worker and return its exit status; failures are sent to the parent."""
    try:
        await work(config, Inbox(source), tell, library)
    except (UserError, InfrastructureError) as error:
        full = error if isinstance(error, DiskFullError) else disk_space.full(config.database.parent)
        ours = full is None and isinstance(error, InfrastructureError)
        if ours:
            # Write the traceback to the log, which outlives the worker.
            traceback.print_exc()
        tell(failed=str(full or error), disk=full is not None, ours=ours)
        return 3 if full or ours else 2
    except Exception:
        # Errors caused by a full disk seldom say so, so check this before the interpreter logs the traceback.
        if not (full := disk_space.full(config.database.parent)):
            raise
        tell(failed=str(full), disk=True)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
