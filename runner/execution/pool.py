"""A whole run: workers get cells one by one, and no finished episode is ever lost."""

import contextlib
import fcntl
import os
import queue
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from runner.execution import disk_space
from runner.execution.backend import Backend, Local, WorkerHandle
from runner.execution.lanes import Lanes
from runner.execution.process import AgentHung, Finished, WorkerDied, WorkerLost, WorkerNotStarted
from runner.execution.worker_config import WorkerConfig
from runner.plan.budget import Gate
from stressweb.core.errors import InfrastructureError, UserError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade

# A start may fail once on a busy machine; one that fails again and again has a reason that no further try removes.
_FALSE_STARTS = 3
# A machine may go down under any episode, but hardly three times under the same one unless that is what takes it down.
_LOSSES = 3
_FAREWELL_S = 5.0
"""Seconds for which threads are waited for that have no worker any more."""


class Left(NamedTuple):
    """The cells of a run that still have to run."""

    failed: tuple[Cell, ...]
    """Those whose episode ended in error."""
    unrun: tuple[Cell, ...]
    """Those that have no episode, because the gate was closed."""


class Pool:
    """Workers that share a list of cells, many at a time. One that dies is replaced.

    If it had one cell at that time, this becomes an error or, in the agent's turn, the agent's crash. If it had
    several, they run again one at a time, and whichever ends its worker again is the reason.
    """

    def __init__(
        self,
        config: WorkerConfig,
        cells: Sequence[Cell],
        lanes: Lanes,
        begun: Callable[[Cell], None] = lambda cell: None,
        gate: Gate | None = None,
        backend: Backend | None = None,
    ) -> None:
        """Prepare; nothing starts before `finished` is asked for its first result.

        `lanes` is how many workers there are, and how many cells each has at a time. `begun` hears of each cell that a
        worker is given, in a thread of the pool's own. `gate` says when no more are given. `backend` starts the
        workers; they are processes on this machine if it is left out.
        """
        self._config, self._begun, self._gate, self._backend = config, begun, gate or Gate(), backend or Local()
        self._folder = config.database.parent
        self._waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
        for cell in cells:
            self._waiting.put(cell)
        self._suspects: queue.SimpleQueue[Cell] = queue.SimpleQueue()
        """Cells that were in flight when a worker died, and are run again alone."""
        self._unbegun, self._losses = Counter[str](), Counter[str]()
        self._total = len(cells)
        # An error of a thread is passed on like a result: where it is raised nobody would see it.
        self._results: queue.SimpleQueue[Finished | Exception] = queue.SimpleQueue()
        # A worker without a cell would only cost the start of a browser.
        self._slots = max(1, min(lanes.workers, -(-self._total // lanes.in_flight)))
        self._in_flight = lanes.in_flight
        self._processes: dict[int, WorkerHandle] = {}
        self._stopped = threading.Event()

    def finished(self) -> Generator[Finished]:
        """Yield every cell as it is finished, and no more once the gate is closed and nothing runs.

        Closing the iterator, by an error or Ctrl-C, ends all workers.
        """
        # Daemons, since a thread that waits for a worker must not keep the program from ending.
        threads = [threading.Thread(target=self._slot, args=(at,), daemon=True) for at in range(self._slots)]
        for thread in threads:
            thread.start()
        told = set[str]()
        try:
            while len(told) < self._total:
                result = self._result(threads)
                if result is None:
                    break
                # Each cell counts once, or another one would be missing when all are said to be finished.
                if result.cell.key not in told:
                    told.add(result.cell.key)
                    yield result
        finally:
            self._stopped.set()
            # After a normal end the workers close their browsers themselves; after an error or Ctrl-C nothing is waited
            # for.
            if (self._waiting.empty() or self._gate.shut) and not self._gate.overdue and sys.exc_info()[0] is None:
                for thread in threads:
                    thread.join(30)
            for process in list(self._processes.values()):
                process.kill()
            # What they waited for has ended, so they have little left to do. A connection that they share with the
            # caller must not be closed under them.
            deadline = time.monotonic() + _FAREWELL_S
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))

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

    def _slot(self, at: int) -> None:
        try:
            while self._cells_left():
                self._serve(at)
        except Exception as error:
            self._fail(error)

    def _serve(self, at: int) -> None:
        """Start a worker and give it cells until there are none, or it dies."""
        process = self._started(at)
        if process is None:
            return
        deaths = self._fly(process, self._suspects, 1)
        if not deaths and not process.spent:
            deaths = self._fly(process, self._waiting, self._in_flight)
        # After an error or Ctrl-C nobody waits for a browser to close.
        if deaths or self._stopped.is_set():
            process.kill()
            self._bury(at, deaths)
        else:
            process.end()

    def _fly(
        self, process: WorkerHandle, cells: "queue.SimpleQueue[Cell]", in_flight: int
    ) -> list[tuple[Cell, WorkerDied]]:
        """Have cells run, so many at a time, while there are any; return those under which the worker died."""
        deaths: list[tuple[Cell, WorkerDied]] = []

        def lane() -> None:
            try:
                while self._open() and not process.spent and not deaths:
                    try:
                        cell = cells.get_nowait()
                    except queue.Empty:
                        return
                    try:
                        self._begun(cell)
                        self._results.put(process.run(cell))
                    except WorkerDied as gone:
                        deaths.append((cell, gone))
            except Exception as error:
                self._fail(error)

        # No more than there are cells: a thread that finds none would only have been started.
        threads = [threading.Thread(target=lane, daemon=True) for _ in range(min(in_flight, cells.qsize()))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return deaths

    def _bury(self, at: int, deaths: Sequence[tuple[Cell, WorkerDied]]) -> None:
        """Decide what becomes of the cells of a worker that died."""
        # What we killed has lost nothing: its cells have no episode, and run when the run is resumed.
        if self._stopped.is_set():
            return
        begun = sum(not isinstance(gone, WorkerNotStarted) for _, gone in deaths)
        for cell, gone in deaths:
            if isinstance(gone, WorkerNotStarted):
                self._not_started(at, cell, gone)
            elif begun == 1:
                self._died(cell, gone)
            # It may have been stored just before.
            elif stored := self._stored(cell):
                self._results.put(stored)
            else:
                # Any of them may be the reason. Alone, the one that is will end its worker again.
                self._suspects.put(cell)

    def _not_started(self, at: int, cell: Cell, gone: WorkerNotStarted) -> None:
        """Let another worker have a cell of which nothing has happened; raises InfrastructureError if all die so."""
        # Where every worker dies like that, starting further ones would never end.
        self._unbegun[cell.key] += 1
        if self._unbegun[cell.key] >= _FALSE_STARTS:
            log = self._folder / f"worker-{at}.log"
            said = f"no worker process began {cell.key} in {_FALSE_STARTS} attempts: {gone}; see {log}"
            raise InfrastructureError(said) from None
        self._waiting.put(cell)

    def _died(self, cell: Cell, gone: WorkerDied) -> None:
        """Write down that a worker died of a cell, unless its machine is gone: then another one runs the cell anew."""
        if isinstance(gone, WorkerLost):
            self._losses[cell.key] += 1
            if self._losses[cell.key] < _LOSSES:
                # Its machine took with it all that had happened.
                self._waiting.put(cell)
                return
        self._results.put(self._lost(cell, gone))

    def _started(self, at: int) -> WorkerHandle | None:
        """Return a worker that takes cells; None if there are none left for it."""
        log = self._folder / f"worker-{at}.log"
        why = ""
        for _ in range(_FALSE_STARTS):
            process = self._backend.start(self._config, log, self._cells_left)
            if process is None:
                return None
            self._processes[at] = process
            try:
                process.await_ready()
            except WorkerDied as gone:
                why = str(gone)
                process.kill()
                # It was killed on purpose, and a new one would outlive the run.
                if self._stopped.is_set():
                    break
            else:
                return process
        disk_space.check(self._folder)
        raise InfrastructureError(f"no worker process started in {_FALSE_STARTS} attempts: {why}; see {log}")

    def _open(self) -> bool:
        return not self._stopped.is_set() and not self._gate.shut

    def _cells_left(self) -> bool:
        return self._open() and not (self._waiting.empty() and self._suspects.empty())

    def _fail(self, error: Exception) -> None:
        """End the run with an error."""
        # What fails without space seldom says so.
        self._results.put(disk_space.full(self._folder) or error)

    def _stored(self, cell: Cell) -> Finished | None:
        """Return that a cell is finished if its worker stored the episode before it died."""
        with Store.open(self._config.database) as store:
            return None if cell in store.pending() else Finished(cell, "done")

    def _lost(self, cell: Cell, gone: WorkerDied) -> Finished:
        """Write down that the cell's worker died, unless it had stored the episode already."""
        disk_space.check(self._folder)
        record = EpisodeRecord(cell, message=str(gone), traceback=gone.last_words)
        if isinstance(gone, AgentHung):
            # Nothing was recorded, and yet it is graded, as every failure of an agent: else it would be in no rate.
            record.status, record.grade = "crashed", _grade(record)
        # The worker may have died between storing the episode and saying so: then nothing is lost.
        if stored := self._stored(cell):
            return stored
        with Store.open(self._config.database) as store:
            store.save(record)
        return Finished(cell, record.status, record.message)


def _grade(record: EpisodeRecord) -> Grade:
    """Return the grade of an episode that left nothing to see."""
    from runner.episode.grading import Grader  # noqa: PLC0415 - needs lxml
    from runner.registry import Library  # noqa: PLC0415

    return Grader(Library()).grade(record)


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep a run's folder to this process; raises UserError if another one has it. A dead process has nothing."""
    # The folder itself is locked, so that no file of ours has to be made in it, or removed.
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            # The kernel gives this lock up with the process, however it dies: no stale lock file is ever left to
            # remove.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another process is executing the run in {folder}") from None
        yield
    finally:
        os.close(handle)


def run(
    folder: Path,
    config: WorkerConfig,
    lanes: Lanes,
    tell: Callable[[Finished], None],
    begun: Callable[[Cell], None] = lambda cell: None,
    order: Callable[[Sequence[Cell]], Sequence[Cell]] = lambda cells: cells,
    gate: Gate | None = None,
    backend: Backend | None = None,
) -> Left:
    """Run every cell of a run that has no episode yet, or one that ended in error; return what is left to run.

    `tell` hears of every finished cell, `begun` of every cell that a worker is given. Workers, which `backend` starts,
    take the cells in the order that `order` puts them in, as many at a time as `lanes` says, until `gate` closes.
    Raises UserError and InfrastructureError; finished episodes are kept.
    """
    with claimed(folder):
        with Store.open(folder / FILE) as store:
            pending = store.pending()
        if pending:
            pool = Pool(config, order(pending), lanes, begun, gate, backend)
            # Closed at once, whatever happens: left to the garbage collector, its workers would live on for a while.
            with contextlib.closing(pool.finished()) as results:
                for result in results:
                    tell(result)
        with Store.open(folder / FILE) as store:
            # Asked of the store and not counted here: what a worker stored before it died is not lost, whatever it
            # managed to say.
            left = store.pending()
            failed = tuple(cell for cell in left if store.has(cell))
    return Left(failed, tuple(cell for cell in left if cell not in failed))
