"""Draws worlds, and grades and stores episodes, in a thread beside the running episodes."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from stressweb.core.errors import DiskFullError, InfrastructureError, TooLargeError
from stressweb.log import parcel
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.plugins.checks import Grade
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Goal
from stressweb.runner.episode.loop import fail
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader


class GradingThread:
    """A single thread that draws worlds, grades and stores, while the event loop runs episodes."""

    def __init__(
        self,
        config: WorkerConfig,
        grade: Callable[[EpisodeRecord], Grade] | None = None,
        keep: Callable[[EpisodeRecord], None] | None = None,
        library: Library | None = None,
    ) -> None:
        """Take the configuration. Use it as an asynchronous context manager, which keeps the run's database open.

        `grade` and `keep` grade and store an episode, by default with the checks of its task and in the run's database.
        `library` may hold worlds that are already drawn.
        """
        self._config, self._own, self._library = config, (grade, keep), library or Library()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="grading")
        self._stack = contextlib.ExitStack()

    async def __aenter__(self) -> "GradingThread":
        """Open the run's database."""
        await self.do(self._open)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the database."""
        await self.do(self._stack.close)
        self._thread.shutdown(wait=False)

    async def do[Outcome](self, work: Callable[..., Outcome], *arguments: Any) -> Outcome:
        """Call a function in the thread and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def drawn(self, cell: Cell) -> tuple[SiteWorld, Goal]:
        """Draw a cell's site in its world, and the goal of its task."""
        return self._library.world_of(cell.task, cell.world), self._library.goal(cell.task, cell.world)

    def store(self, record: EpisodeRecord) -> None:
        """Grade and store an episode; raise DiskFullError if the disk is full."""
        if record.status != "error":
            try:
                record.grade = self._grade(record)
            except InfrastructureError as error:
                fail(record, error)
        try:
            self._keep(record)
        except DiskFullError:
            raise
        except TooLargeError as error:
            # An agent must not be able to turn a lost episode into an error by filling a page; count it as a failure.
            large = EpisodeRecord(record.cell, "error", record.claim, str(error), seconds=record.seconds)
            large.ending = record.usage
            if record.status != "error":
                large.status, large.grade = "crashed", self._grade(large)
            self._keep(large)
            record.status, record.message, record.grade = large.status, large.message, large.grade
        except Exception as error:
            # An episode that cannot be stored is an infrastructure error; store it without its steps.
            failed = EpisodeRecord(record.cell, seconds=record.seconds, ending=record.usage)
            fail(failed, error)
            self._keep(failed)
            record.status, record.message, record.traceback = failed.status, failed.message, failed.traceback

    def _open(self) -> None:
        grade, keep = self._own
        self._grade = grade or Grader(self._library).grade
        self._keep = keep or self._stack.enter_context(saving(self._config))


@contextlib.contextmanager
def saving(config: WorkerConfig) -> Iterator[Callable[[EpisodeRecord], None]]:
    """Yield a function that stores an episode in the run's database, or in a separate database for each episode."""
    if config.parcels:
        yield lambda record: parcel.write(parcel.place(config.database, record.cell), record)
        return
    with Store.open(config.database) as store:
        yield store.save
