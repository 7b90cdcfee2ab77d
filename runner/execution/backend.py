"""The interface of a backend, which starts the workers of a run, and of the workers themselves."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from stressweb.log.recording import Cell
from stressweb.plugins.agent import Usage
from stressweb.plugins.backend import BackendChoice
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.mission import Mission
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.registry import Library


@dataclass(frozen=True)
class Finished:
    """A cell whose episode is finished."""

    cell: Cell
    status: str
    message: str = ""
    success: bool | None = False
    """Whether the grade is a success; None if the pages that decide this were not recorded."""
    usage: Usage = field(default_factory=Usage)
    """Total usage of all the agent's decisions."""
    ends_run: bool = False
    """Whether the run must stop, because all further episodes would fail for the reason in `message`."""


class WorkerDied(Exception):  # noqa: N818 - an event that is handled and never shown as an error
    """A worker ended, or was killed, before it answered."""

    status: int | None = None
    """Its exit status, negative for a signal; None if it was killed because it sent no heartbeat."""
    last_words = ""
    """The worker's log output since it was given the cell."""


class AgentHung(WorkerDied):
    """A worker ended during the agent's turn because the agent hung or ended the process."""


class WorkerNotStarted(WorkerDied):
    """A worker ended before it began its cell, so the cell can run again as if nothing had happened."""


class WorkerLost(WorkerDied):
    """A worker's machine and its work are lost. The cell may have begun, and can run on another machine."""


class WorkerHandle(Protocol):
    """The scheduler's handle of one worker on any machine. Several threads may each run a cell in it."""

    @property
    def takes_no_more(self) -> bool:
        """Whether the worker takes no further cells."""

    def await_ready(self) -> None:
        """Wait until the worker accepts cells; raise WorkerDied, or the UserError or DiskFullError that it reports."""

    def run(self, cell: Cell) -> Finished:
        """Run a cell and store its episode.

        Raises WorkerNotStarted if the cell did not begin, WorkerLost if it began and can run elsewhere, and WorkerDied
        if the worker died during the cell.
        """

    def end(self) -> None:
        """Let the worker close its browser and exit."""

    def kill(self) -> None:
        """Kill the worker and every process that it started."""


class Backend(BackendChoice, ABC):
    """Starts the workers of one run."""

    @classmethod
    @contextlib.contextmanager
    def opened(cls, mission: Mission, address: str | None) -> Iterator["Backend"]:
        """Yield a backend for a run, and release its resources afterwards.

        `mission` is what the run needs on each machine. Raises UserError if the machines at `address` do not answer or
        do not meet these needs.
        """
        yield cls()

    @abstractmethod
    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        """Return how many episodes to run at a time, for the numbers that the user requests (None: choose them).

        `waits`: agents wait for a model. `own_browsers`: some agents need a browser process for each episode. Raises
        UserError for more than the machines can run.
        """

    def fork(self, config: WorkerConfig, logs: Sequence[Path], library: Library) -> Sequence[WorkerHandle]:
        """Start a worker for each log as a fork of this process, if possible; otherwise return nothing.

        A fork needs less time than `start`, because it inherits the worlds that `library` has drawn. Called before this
        process starts threads.
        """
        return ()

    @abstractmethod
    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> WorkerHandle | None:
        """Start a worker whose output goes to `log`.

        If no machine has a free place for it, wait for one while `wanted()` is true, and return None when it is not.
        Raises InfrastructureError if no place will become free.
        """
