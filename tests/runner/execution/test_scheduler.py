"""The scheduler: workers that never start a cell end the run, and a closed gate leaves the remaining cells."""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stressweb.core.errors import InfrastructureError
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.runner.execution.backend import AgentHung, Backend, Finished, WorkerDied, WorkerLost, WorkerNotStarted
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.listener import Listener, Listeners
from stressweb.runner.execution.local import Local
from stressweb.runner.execution.scheduler import Scheduler
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.plan.budget import Gate
from stressweb.runner.registry import Library, task_ids

TASKS = [task for task in task_ids() if task.startswith("shop/")][:5]
CELLS = [Cell(agent="a", task=task, condition="clean", world=0) for task in TASKS]
LIBRARY = Library()

NOTHING = Plan(agents=(), tasks=(), conditions=())
ONE_LANE = Lanes(1)


class Fake:
    """Fake of a worker process, without a process."""

    takes_no_more = False
    begins = True

    def __init__(self, config: WorkerConfig, log: Path) -> None:
        self.killed = False

    def await_ready(self) -> None:
        pass

    def run(self, cell: Cell) -> Finished:
        if not self.begins:
            raise WorkerNotStarted("the worker process died (exit status 1)")
        return Finished(cell, "done")

    def kill(self) -> None:
        self.killed = True

    end = kill


class RecordingListener(Listener):
    """Records results and repeated cells."""

    def __init__(self) -> None:
        self.results, self.repeated = list[Finished](), list[tuple[Cell, str]]()

    def again(self, cell: Cell, reason: str) -> None:
        self.repeated.append((cell, reason))

    def finished(self, finished: Finished) -> None:
        self.results.append(finished)


class Counting(Gate, Listener):
    """Gate that closes after a number of started cells."""

    def __init__(self, cells: int) -> None:
        self.left = cells

    def started(self, cell: Cell) -> None:
        self.left -= 1

    @property
    def shut(self) -> bool:
        return self.left <= 0


def run_cells(
    folder: Path,
    gate: Gate | None = None,
    *,
    lanes: Lanes = ONE_LANE,
    backend: Backend | None = None,
    library: Library | None = None,
) -> RecordingListener:
    """Run the cells and return the recording listener; a gate that is a listener gets the events too."""
    config = WorkerConfig(database=folder / "run.db", browser=folder, plan=NOTHING, parent=1)
    heard = RecordingListener()
    listeners = Listeners(heard, gate) if isinstance(gate, Counting) else heard
    Scheduler(config, CELLS, lanes, backend or Local(Fake), listeners, gate, library).run()
    return heard


class Unwilling(Fake):
    """Fake of a worker process that begins no cell."""

    begins = False


def test_workers_that_never_begin_a_cell_end_the_run(tmp_path: Path) -> None:
    message = f"no worker process began {re.escape(CELLS[0].key)} in 3 attempts"
    with pytest.raises(InfrastructureError, match=message):
        run_cells(tmp_path, backend=Local(Unwilling))


def test_a_closed_gate_leaves_the_rest(tmp_path: Path) -> None:
    gate = Counting(2)
    assert [finished.cell for finished in run_cells(tmp_path, gate).results] == CELLS[:2]
    assert [finished.cell for finished in run_cells(tmp_path).results] == CELLS


def test_an_overdue_gate_is_not_waited_for(tmp_path: Path) -> None:
    class Overdue(Gate):
        shut = overdue = True

    assert run_cells(tmp_path, Overdue()).results == []


class Machines(Backend):
    """Machines that go down under some cells, as often as in `losses`; each episode is stored once."""

    def __init__(self, database: Path, losses: Sequence[int]) -> None:
        self.left = dict(zip((cell.key for cell in CELLS), losses, strict=True))
        self.ran, self.alive, self._database = list[str](), 0, database
        self._lock = threading.Lock()

    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        return Lanes(workers or 1, in_flight or 1)

    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> "Machine":
        with self._lock:
            self.alive += 1
        return Machine(self)

    def run(self, cell: Cell) -> Finished:
        with self._lock:
            self.ran.append(cell.key)
            if self.left[cell.key]:
                self.left[cell.key] -= 1
                raise WorkerLost("node b was lost")
            with Store.open(self._database) as store:
                store.save(EpisodeRecord(cell, "done"))
        return Finished(cell, "done")


class Machine(Fake):
    """A worker on one of these machines."""

    def __init__(self, machines: Machines) -> None:
        self.machines, self.killed = machines, False

    def run(self, cell: Cell) -> Finished:
        return self.machines.run(cell)

    def kill(self) -> None:
        if not self.killed:
            self.machines.alive -= 1
        self.killed = True

    end = kill


@given(st.lists(st.integers(0, 4), min_size=len(CELLS), max_size=len(CELLS)), st.integers(1, 4))
def test_a_cell_whose_machine_goes_down_runs_elsewhere_and_counts_once(
    tmp_path_factory: pytest.TempPathFactory, lost: list[int], workers: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    Store.create(folder / "run.db", {}, CELLS).close()
    machines = Machines(folder / "run.db", lost)
    heard = run_cells(folder, lanes=Lanes(workers), backend=machines)
    results = heard.results
    assert Counter(cell.key for cell, _ in heard.repeated) == +Counter(
        {cell.key: min(2, times) for cell, times in zip(CELLS, lost, strict=True)}
    )
    assert {reason for _, reason in heard.repeated} <= {"node b was lost"}
    # After three losses a cell becomes an error, and runs again on resume.
    expected = {cell.key: "error" if times >= 3 else "done" for cell, times in zip(CELLS, lost, strict=True)}
    assert sorted((finished.cell.key, finished.status) for finished in results) == sorted(expected.items())
    with Store.read(folder / "run.db") as store:
        assert {episode.cell.key: episode.status for episode in store.episodes()} == expected
    assert Counter(machines.ran) == {cell.key: min(3, times + 1) for cell, times in zip(CELLS, lost, strict=True)}
    assert machines.alive == 0


class Repeating(Fake):
    """Fake of a worker process that reports the first cell again instead of the second."""

    def run(self, cell: Cell) -> Finished:
        return Finished(CELLS[0] if cell == CELLS[1] else cell, "done")


def test_a_result_that_comes_twice_is_not_taken_for_another_cell(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="all worker processes ended before all episodes were run"):
        run_cells(tmp_path, backend=Local(Repeating))


class Deadly(Backend):
    """Workers that die when a task of `deadly` runs, together with all cells in flight."""

    def __init__(self, database: Path, deadly: Collection[str]) -> None:
        self.deadly, self.database = deadly, database
        self.together = list[frozenset[str]]()
        """Cells in flight at each death."""

    def lanes(self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False) -> Lanes:
        return Lanes(workers or 1, in_flight or 1)

    def start(self, config: WorkerConfig, log: Path, wanted: Callable[[], bool]) -> "Mortal":
        return Mortal(self)


class Mortal(Fake):
    """Worker of the backend `Deadly`."""

    def __init__(self, backend: Deadly) -> None:
        self._backend, self._flying = backend, set[str]()
        self._dead, self._lock = threading.Event(), threading.Lock()

    def run(self, cell: Cell) -> Finished:
        with self._lock:
            self._flying.add(cell.key)
        if cell.task in self._backend.deadly:
            # By then the other started cells are in flight.
            time.sleep(0.02)
            with self._lock:
                self._backend.together.append(frozenset(self._flying))
                self._dead.set()
        elif not self._dead.wait(0.01):
            with self._lock, Store.open(self._backend.database) as store:
                if not self._dead.is_set():
                    store.save(EpisodeRecord(cell, "done"))
                    self._flying.discard(cell.key)
                    return Finished(cell, "done")
        raise (AgentHung if cell.task in self._backend.deadly else WorkerDied)("it ended")

    def kill(self) -> None:
        self._dead.set()

    end = kill


@settings(max_examples=15, deadline=None)
@given(st.sets(st.sampled_from([cell.task for cell in CELLS])), st.integers(1, 3), st.integers(1, 5))
def test_a_cell_that_ends_its_worker_when_alone_is_blamed_and_no_other_is_lost(
    tmp_path_factory: pytest.TempPathFactory, deadly: set[str], workers: int, in_flight: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    Store.create(folder / "run.db", {}, CELLS).close()
    backend = Deadly(folder / "run.db", deadly)
    results = run_cells(folder, lanes=Lanes(workers, in_flight), backend=backend, library=LIBRARY).results
    expected = {cell.key: "crashed" if cell.task in deadly else "done" for cell in CELLS}
    assert {finished.cell.key: finished.status for finished in results} == expected
    assert len(results) == len(CELLS)
    with Store.read(folder / "run.db") as store:
        assert {episode.cell.key: episode.status for episode in store.episodes()} == expected
    blamed = {key for flying in backend.together if len(flying) == 1 for key in flying}
    assert blamed == {cell.key for cell in CELLS if cell.task in deadly}, "blamed only after a run alone"
