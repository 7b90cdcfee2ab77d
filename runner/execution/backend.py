"""Where the workers of a run are: processes on this machine, or on the machines of a Ray cluster."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from runner.execution.lanes import Lanes, chosen, free_memory
from runner.execution.process import Finished, Process
from runner.execution.worker_config import WorkerConfig
from stressweb.core.choices import unknown
from stressweb.core.cores import cores
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell

LOCAL, RAY = BACKENDS = ("local", "ray")


class WorkerHandle(Protocol):
    """One worker, as the pool sees it, wherever it is."""

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


class Backend(ABC):
    """What starts workers."""

    @abstractmethod
    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool) -> Lanes:
        """Return how many episodes run at a time if so many are asked for; None: as many as suit the machines.

        `waits` says whether agents wait for a model. Raises UserError for what the machines cannot bear.
        """

    @abstractmethod
    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> WorkerHandle | None:
        """Start a worker; what it prints goes to `log`.

        Where there is no place for it yet, waits for one for as long as it is `wanted`; returns None when it is not any
        more. Raises InfrastructureError if there will be none.
        """


class Local(Backend):
    """Worker processes on this machine."""

    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool) -> Lanes:
        """Return what is asked for, or what suits cores and memory."""
        return chosen(workers, in_flight, waits=waits, cores=cores(), memory=free_memory())

    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> WorkerHandle:
        """Start a process."""
        return Process(config, log)


def check_backend(name: str, address: str | None) -> None:
    """Raise UserError for an unknown backend, for ray without an address, and for an address with another backend."""
    if name not in BACKENDS:
        raise UserError(unknown("backend", name, BACKENDS))
    if name == RAY and not address:
        said = "give --address HOST:PORT, which `ray start --head` prints (and `ray status` checks)"
        raise UserError(f"backend ray needs the address of a Ray cluster that runs; {said}")
    if name != RAY and address:
        raise UserError(f"an address is for --backend ray alone, and the backend is {name}; leave out --address")
