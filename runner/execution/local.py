"""The default backend: worker processes on this machine."""

from collections.abc import Callable, Sequence
from pathlib import Path

from stressweb.core.cores import cores
from stressweb.plugins.backend import LOCAL
from stressweb.runner.execution.backend import Backend, WorkerHandle
from stressweb.runner.execution.forking import can_fork
from stressweb.runner.execution.lanes import Lanes, chosen, free_memory
from stressweb.runner.execution.process import WorkerProcess, forked
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.registry import Library


class Local(Backend):
    """Worker processes on this machine."""

    name = LOCAL

    def __init__(self, start: Callable[[WorkerConfig, Path], WorkerHandle] = WorkerProcess) -> None:
        """Take the function that starts a worker process."""
        self._start = start

    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        """Return the requested numbers, or choose them by cores and memory."""
        return chosen(workers, in_flight, waits=waits, cores=cores(), memory=free_memory(), own_browsers=own_browsers)

    def fork(self, config: WorkerConfig, logs: Sequence[Path], library: Library) -> Sequence[WorkerHandle]:
        """Fork worker processes, unless this process has threads or plug-ins."""
        return forked(config, logs, library) if can_fork() else ()

    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> WorkerHandle:
        """Start a worker process."""
        return self._start(config, log)
