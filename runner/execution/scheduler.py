"""The scheduler of a run: workers get its cells, many at a time, and no finished episode is ever lost."""

import contextlib
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from runner.execution import disk_space
from runner.execution.backend import Backend, Finished, WorkerDied, WorkerHandle, WorkerNotStarted
from runner.execution.lanes import Lanes
from runner.execution.listener import Listener
from runner.execution.losses import FALSE_STARTS, Again, Losses
from runner.execution.worker_config import WorkerConfig
from runner.plan.budget import Gate
from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import Cell

type _Queue = queue.SimpleQueue[Cell]
type _Deaths = list[tuple[Cell, WorkerDied]]

_END_S = 30.0
"""Seconds that workers have to close their browsers after the last cell."""
_FAREWELL_S = 5.0
"""Seconds for which threads are waited for that have no worker any more."""


class Scheduler:
    """Gives the cells of a run to its workers. One that dies is replaced.

    If it had one cell at that time, this becomes an error or, in the agent's turn, the agent's crash. If it had
    several, they run again one at a time, and whichever ends its worker again is the reason.
    """

    def __init__(
        self,
        config: WorkerConfig,
        cells: Sequence[Cell],
        lanes: Lanes,
        backend: Backend,
        listener: Listener | None = None,
        gate: Gate | None = None,
    ) -> None:
        """Take the cells in the order in which they run, and what starts the workers; nothing starts before `run`.

        `lanes` is how many workers there are, and how many cells each has at a time. `gate` says when no more cells are
        given out.
        """
        self._config, self._backend = config, backend
        self._listener, self._gate = listener or Listener(), gate or Gate()
        self._waiting: _Queue = queue.SimpleQueue()
        for cell in cells:
            self._waiting.put(cell)
        self._suspects: _Queue = queue.SimpleQueue()
        """Cells that were in flight when a worker died, and are run again alone."""
        self._losses = Losses(config.database)
        self._total = len(cells)
        # Threads put their errors here, too: an exception that is raised in a thread does not reach `run`.
        self._results: queue.SimpleQueue[Finished | Exception] = queue.SimpleQueue()
        # A worker without a cell would only cost the start of a browser.
        self._lanes = Lanes(max(1, min(lanes.workers, -(-self._total // lanes.in_flight))), lanes.in_flight)
        self._workers: dict[int, WorkerHandle] = {}
        self._stopped = threading.Event()

    def run(self) -> None:
        """Run until every cell is finished, or until the gate is closed and nothing runs any more.

        The listener hears of each cell once. Raises UserError and InfrastructureError; these and Ctrl-C end all
        workers.
        """
        # Daemons, since a thread that waits for a worker must not keep the program from ending.
        numbers = range(self._lanes.workers)
        threads = [threading.Thread(target=self._serve_all, args=(number,), daemon=True) for number in numbers]
        for thread in threads:
            thread.start()
        patience = 0.0
        try:
            for result in self._each_once(threads):
                self._listener.finished(result)
            # After a normal end the workers close their browsers themselves; after an error or Ctrl-C nothing is
            # waited for.
            if (self._waiting.empty() or self._gate.shut) and not self._gate.overdue:
                patience = _END_S
        finally:
            self._end(threads, patience)

    def _end(self, threads: Sequence[threading.Thread], patience: float) -> None:
        self._stopped.set()
        for thread in threads if patience else ():
            thread.join(patience)
        for worker in list(self._workers.values()):
            worker.kill()
        # What they waited for has ended, so they have little left to do. A connection that they share with the caller
        # must not be closed under them.
        deadline = time.monotonic() + _FAREWELL_S
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _each_once(self, threads: Sequence[threading.Thread]) -> Iterator[Finished]:
        """Yield the results; each cell counts once, or another one would be missing when all seem to be finished."""
        seen = set[str]()
        while len(seen) < self._total and (result := self._result(threads)):
            if result.cell.key not in seen:
                seen.add(result.cell.key)
                yield result

    def _result(self, threads: Sequence[threading.Thread]) -> Finished | None:
        """Return the next finished cell; None if there will be no more because the gate is closed."""
        while True:
            # In slices, so that Ctrl-C is heard while nothing comes.
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

    def _serve_all(self, number: int) -> None:
        """Have one worker after the other take cells while there are any: in a thread for each worker."""
        try:
            while self._cells_left():
                self._serve(number)
        except Exception as error:
            self._fail(error)

    def _serve(self, number: int) -> None:
        """Start a worker and give it cells until there are none, or it dies."""
        worker = self._started(number)
        if worker is None:
            return
        deaths = self._fly(worker, self._suspects, 1)
        if not deaths and not worker.spent:
            deaths = self._fly(worker, self._waiting, self._lanes.in_flight)
        # After an error or Ctrl-C the run ends at once, without closing browsers in order.
        if deaths or self._stopped.is_set():
            worker.kill()
            self._bury(number, deaths)
        else:
            worker.end()

    def _fly(self, worker: WorkerHandle, cells: _Queue, in_flight: int) -> _Deaths:
        """Have cells run, so many at a time, while there are any; return those under which the worker died."""
        deaths: _Deaths = []
        # No more than there are cells: a thread that finds none would only have been started.
        lanes = range(min(in_flight, cells.qsize()))
        threads = [threading.Thread(target=self._lane, args=(worker, cells, deaths), daemon=True) for _ in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return deaths

    def _lane(self, worker: WorkerHandle, cells: _Queue, deaths: _Deaths) -> None:
        """Have one cell after the other run, until there are no more or the worker has died: in a thread."""
        try:
            while self._open() and not worker.spent and not deaths:
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
        """Decide what becomes of the cells of a worker that died."""
        # What we killed has lost nothing: its cells have no episode, and run when the run is resumed.
        if self._stopped.is_set():
            return
        alone = sum(not isinstance(gone, WorkerNotStarted) for _, gone in deaths) == 1
        for cell, gone in deaths:
            fate = self._losses.fate(cell, gone, self._log(number), alone=alone)
            if isinstance(fate, Finished):
                self._results.put(fate)
                continue
            self._listener.again(cell, str(gone))
            (self._suspects if fate is Again.ALONE else self._waiting).put(cell)

    def _started(self, number: int) -> WorkerHandle | None:
        """Return a worker that takes cells; None if there are none left for it."""
        reason = ""
        for _ in range(FALSE_STARTS):
            worker = self._backend.start(self._config, self._log(number), self._cells_left)
            if worker is None:
                return None
            self._workers[number] = worker
            try:
                worker.await_ready()
            except WorkerDied as gone:
                reason = str(gone)
                worker.kill()
                # It was killed on purpose, and a new one would outlive the run.
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
        return self._open() and not (self._waiting.empty() and self._suspects.empty())

    def _fail(self, error: Exception) -> None:
        """End the run with an error."""
        # What fails without space seldom says so.
        self._results.put(disk_space.full(self._folder) or error)
