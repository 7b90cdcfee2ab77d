"""What a worker does beside its episodes: it draws worlds, grades and stores."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from runner.episode.loop import fail
from runner.execution.worker_config import WorkerConfig
from runner.registry import Library
from runner.registry.grading import Grader
from stressweb.core.errors import DiskFullError, InfrastructureError, TooLargeError
from stressweb.log import parcel
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Goal


class Desk:
    """Draws worlds, grades and stores, one thing at a time in a thread of its own: the episodes go on meanwhile."""

    def __init__(self, config: WorkerConfig) -> None:
        """Take the configuration; as a context, the desk has the run's database open."""
        self._config = config
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="desk")
        self._stack = contextlib.ExitStack()

    async def __aenter__(self) -> "Desk":
        """Open the run's database."""
        await self.do(self._open)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.do(self._stack.close)
        self._thread.shutdown(wait=False)

    async def do[Given](self, work: Callable[..., Given], *arguments: Any) -> Given:
        """Return what some work gives that is done at the desk."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def drawn(self, cell: Cell) -> tuple[SiteWorld, Goal]:
        """Return the site of a cell in its world, and the goal of its task there."""
        return self._library.world_of(cell.task, cell.world), self._library.goal(cell.task, cell.world)

    def store(self, record: EpisodeRecord) -> None:
        """Grade and store an episode; raises DiskFullError if there is no space for that."""
        if record.status != "error":
            try:
                record.grade = self._grader.grade(record)
            except InfrastructureError as error:
                fail(record, error)
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

    def _open(self) -> None:
        self._library = Library()
        self._grader = Grader(self._library)
        self._keep = self._stack.enter_context(keeping(self._config))


@contextlib.contextmanager
def keeping(config: WorkerConfig) -> Iterator[Callable[[EpisodeRecord], None]]:
    """Yield what stores an episode: in the run's database, or each in a database of its own."""
    if config.parcels:
        yield lambda record: parcel.write(parcel.place(config.database, record.cell), record)
        return
    with Store.open(config.database) as store:
        yield store.save
