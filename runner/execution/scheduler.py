"""The scheduler of a run: distributes its cells among workers and never loses a finished episode."""

import contextlib
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import Cell
from stressweb.runner.execution import disk_space
from stressweb.runner.execution.backend import Backend, Finished, WorkerDied, WorkerHandle, WorkerNotStarted
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.listener import Listener
from stressweb.runner.execution.losses import FALSE_STARTS, Again, Losses
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.plan.budget import Gate
from stressweb.runner.registry import Library

type _Queue = queue.SimpleQueue[Cell]
type _Deaths = list[tuple[Cell, WorkerDied]]

_CLOSING_TIMEOUT_S = 30.0
"""Seconds that workers may take to close their browsers after the last cell."""
_FAREWELL_S = 5.0
"""Seconds to wait for threads whose workers have ended."""


class Scheduler:
    """Distributes the cells of a run among workers, and replaces workers that die.

    If a worker dies with one cell in flight, that cell becomes an error or, in the agent's turn, the agent's crash. If
    it had several, they run again one at a time, and the one that kills its worker again is the reason.
    """

    def __init__(
        self,
        config: WorkerConfig,
        cells: Sequence[Cell],
        lanes: Lanes,
        backend: Backend,
        listener: Listener | None = None,
        gate: Gate | None = None,
        library: Library | None = None,
    ) -> None:
        """Take the cells in the order to run them, and the backend that starts workers; nothing starts before `run`.

        `lanes` has the number of workers and of concurrent cells in each. No more cells start once `gate` is shut. The
        first workers inherit the worlds that `library` has drawn, if possible.
        """
        self._config, self._backend, self._inherited_library = config, backend, library
        self._listener, self._gate = listener or Listener(), gate or Gate()
        self._pending_cells: _Queue = queue.SimpleQueue()
        for cell in cells:
            self._pending_cells.put(cell)
        self._suspects: _Queue = queue.SimpleQueue()
        """Cells that were in flight when a worker died and must run again alone."""
        self._losses = Losses(config.database, library or Library())
        self._total = len(cells)
        # Threads also put their errors here, because an exception in a thread does not reach `run`.
        self._results: queue.SimpleQueue[Finished | Exception] = queue.SimpleQueue()
        # Do not start a browser for a worker without cells.
        self._lanes = Lanes(max(1, min(lanes.workers, -(-self._total // lanes.in_flight))), lanes.in_flight)
        self._workers: dict[int, WorkerHandle] = {}
        self._forks: dict[int, WorkerHandle] = {}
        """Workers that have been forked and not yet used, by number."""
        self._stopped = threading.Event()

    def run(self) -> None:
        """Run until every cell is finished, or until the gate is shut and all running cells have ended.

        The listener is called once for each finished cell. Raises UserError and InfrastructureError; these and Ctrl-C
        end all workers.
        """
        numbers = range(self._lanes.workers)
        if self._inherited_library:
            self._fork_workers(self._inherited_library)
        # Daemon threads: a thread that waits for a worker must not keep the program from exiting.
        threads = [threading.Thread(target=self._run_workers, args=(number,), daemon=True) for number in numbers]
        for thread in threads:
            thread.start()
        closing_timeout_s = 0.0
        try:
            for result in self._first_result_per_cell(threads):
                self._listener.finished(result)
            # After a normal end, let the workers close their browsers; after an error or Ctrl-C, do not wait.
            if self._ended_normally():
                closing_timeout_s = _CLOSING_TIMEOUT_S
        finally:
            self._end(threads, closing_timeout_s)

    def _fork_workers(self, library: Library) -> None:
        """Fork all workers; they inherit the worlds that `library` has drawn."""
        with self._listener.forking():
            logs = [self._log(number) for number in range(self._lanes.workers)]
            self._forks = dict(enumerate(self._backend.fork(self._config, logs, library)))

    def _ended_normally(self) -> bool:
        """Return whether the run has ended because every cell was started or the gate is shut, and not by giving up."""
        return (self._pending_cells.empty() or self._gate.shut) and not self._gate.overdue

    def _end(self, threads: Sequence[threading.Thread], closing_timeout_s: float) -> None:
        self._stopped.set()
        for thread in threads if closing_timeout_s else ():
            thread.join(closing_timeout_s)
        for worker in [*self._workers.values(), *self._forks.values()]:
            worker.kill()
        # Now that the workers have ended, the threads end soon. Wait for them, because the caller may close a
        # connection that they still use.
        deadline = time.monotonic() + _FAREWELL_S
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _first_result_per_cell(self, threads: Sequence[threading.Thread]) -> Iterator[Finished]:
        """Yield one result for each cell; a second result of a cell must not be counted as another cell's."""
        seen = set[str]()
        while len(seen) < self._total and (result := self._result(threads)):
            if result.cell.key not in seen:
                seen.add(result.cell.key)
                yield result

    def _result(self, threads: Sequence[threading.Thread]) -> Finished | None:
        """Return the next finished cell; None if there will be no more because the gate is shut."""
        while True:
            # Wait in short intervals, so that Ctrl-C is handled meanwhile.
            with contextlib.suppress(queue.Empty):
                result = self._results.get(timeout=0.5)
                if isinstance(result, Exception):
                    raise result
                return result
            ended = not any(thread.is_alive() for thread in threads) and self._results.empty()
            if self._gate.shut and (ended or self._gate.overdue):
                return None
            if ended:
                raise InfrastructureError("all worker processes ended before all episodes were run")

    def _run_workers(self, number: int) -> None:
        """Run one worker after the other while there are cells. Runs in a thread for each worker."""
        try:
            while self._cells_left():
                self._run_worker(number)
        except Exception as error:
            self._fail(error)

    def _run_worker(self, number: int) -> None:
        """Start a worker and send it cells until there are none left or it dies."""
        worker = self._start_worker(number)
        if worker is None:
            return
        deaths = self._run_cells(worker, self._suspects, 1)
        if not deaths and not worker.takes_no_more:
            deaths = self._run_cells(worker, self._pending_cells, self._lanes.in_flight)
        # After an error or Ctrl-C, end at once without closing browsers properly.
        if deaths or self._stopped.is_set():
            worker.kill()
            self._bury(number, deaths)
        else:
            worker.end()

    def _run_cells(self, worker: WorkerHandle, cells: _Queue, in_flight: int) -> _Deaths:
        """Run cells, up to `in_flight` at a time, while there are any; return those during which the worker died."""
        deaths: _Deaths = []
        # Do not start more threads than there are cells.
        lanes = range(min(in_flight, cells.qsize()))
        threads = [threading.Thread(target=self._lane, args=(worker, cells, deaths), daemon=True) for _ in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return deaths

    def _lane(self, worker: WorkerHandle, cells: _Queue, deaths: _Deaths) -> None:
        """Run one cell after the other until there are no more or the worker has died. Runs in a thread."""
        try:
            while self._open() and not worker.takes_no_more and not deaths:
                try:
                    cell = cells.get_nowait()
                except queue.Empty:
                    return
                try:
                    self._listener.started(cell)
                    self._results.put(worker.run(cell))
                except WorkerDied as gone:
                    deaths.append((cell, gone))
        except Exception as error:
            self._fail(error)

    def _bury(self, number: int, deaths: _Deaths) -> None:
        """Decide what to do with the cells of a worker that died."""
        # If we killed the worker ourselves, its cells stay pending and run when the run is resumed.
        if self._stopped.is_set():
            return
        was_alone = sum(not isinstance(gone, WorkerNotStarted) for _, gone in deaths) == 1
        for cell, gone in deaths:
            fate = self._losses.fate(cell, gone, self._log(number), was_alone=was_alone)
            if isinstance(fate, Finished):
                self._results.put(fate)
                continue
            self._listener.again(cell, str(gone))
            (self._suspects if fate is Again.ALONE else self._pending_cells).put(cell)

    def _start_worker(self, number: int) -> WorkerHandle | None:
        """Start a worker and return it once it accepts cells; None if there are no cells left for it."""
        reason = ""
        for _ in range(FALSE_STARTS):
            worker = self._forks.pop(number, None)
            worker = worker or self._backend.start(self._config, self._log(number), self._cells_left)
            if worker is None:
                return None
            self._workers[number] = worker
            try:
                worker.await_ready()
            except WorkerDied as gone:
                reason = str(gone)
                worker.kill()
                # The worker was killed on purpose, and a new one would outlive the run.
                if self._stopped.is_set():
                    break
            else:
                return worker
        disk_space.check(self._folder)
        failed = f"no worker process started in {FALSE_STARTS} attempts: {reason}; see {self._log(number)}"
        raise InfrastructureError(failed)

    @property
    def _folder(self) -> Path:
        return self._config.database.parent

    def _log(self, number: int) -> Path:
        return self._folder / f"worker-{number}.log"

    def _open(self) -> bool:
        return not self._stopped.is_set() and not self._gate.shut

    def _cells_left(self) -> bool:
        return self._open() and not (self._pending_cells.empty() and self._suspects.empty())

    def _fail(self, error: Exception) -> None:
        """End the run with an error."""
        # Errors caused by a full disk seldom say so.
        self._results.put(disk_space.full(self._folder) or error)
