"""What starts the workers of a run, and what a worker is, wherever it runs: the contract of a backend."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from runner.execution.lanes import Lanes
from runner.execution.mission import Mission
from runner.execution.worker_config import WorkerConfig
from stressweb.log.recording import Cell
from stressweb.plugins.agent import Usage
from stressweb.plugins.backend import BackendChoice


@dataclass(frozen=True)
class Finished:
    """A cell that has its episode."""

    cell: Cell
    status: str
    message: str = ""
    success: bool | None = False
    """Whether it was graded a success; None if that was not observed."""
    usage: Usage = field(default_factory=Usage)
    """What all decisions of its agent cost together."""
    ends_run: bool = False
    """Whether its message says why no further episode can do better."""


class WorkerDied(Exception):  # noqa: N818 - an event that is dealt with, no error to show
    """A worker ended, or had to be ended, before it answered."""

    status: int | None = None
    """Its exit status, negative for a signal; None if it was silent too long and had to be ended."""
    last_words = ""
    """What it wrote to its log since it was given the cell."""


class AgentHung(WorkerDied):
    """A worker ended in its agent's turn, and by the agent's doing: it hangs, or it ended the process."""


class WorkerNotStarted(WorkerDied):
    """A worker ended before it began the cell that it was given: the cell is as good as new."""


class WorkerLost(WorkerDied):
    """A worker's machine is gone, and what it did with it: the cell may have begun, and can run on another machine."""


class WorkerHandle(Protocol):
    """One worker, as the scheduler sees it, wherever it is. Several threads may each have a cell run in it."""

    @property
    def spent(self) -> bool:
        """Whether it takes no further cell."""

    def await_ready(self) -> None:
        """Wait until it takes cells; raises WorkerDied, or UserError or DiskFullError with what it says is wrong."""

    def run(self, cell: Cell) -> Finished:
        """Have a cell run and its episode stored.

        Raises WorkerNotStarted if it was not begun, WorkerLost if it was and can run elsewhere, and WorkerDied if what
        became of it is an error.
        """

    def end(self) -> None:
        """Let it close its browser and end by itself."""

    def kill(self) -> None:
        """End it at once, and every process that it started."""


class Backend(BackendChoice, ABC):
    """What starts workers, for the time of one run."""

    @classmethod
    @contextlib.contextmanager
    def opened(cls, mission: Mission, address: str | None) -> Iterator["Backend"]:
        """Yield a backend for a run, and give up what it holds afterwards.

        `mission` is what the run needs of each machine. Raises UserError if the machines at `address` do not answer, or
        are not as needed.
        """
        yield cls()

    @abstractmethod
    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        """Return how many episodes run at a time if so many are asked for; None: as many as suit the machines.

        `waits` says whether agents wait for a model, `own_browsers` whether some of them have a browser process for
        each episode. Raises UserError for what the machines cannot bear.
        """

    @abstractmethod
    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> WorkerHandle | None:
        """Start a worker; what it prints goes to `log`.

        Where there is no place for it yet, waits for one for as long as it is `wanted`; returns None when it is not any
        more. Raises InfrastructureError if there will be none.
        """
