"""The pool: workers that never begin a cell end the run, and a closed gate leaves the rest as it is."""

from pathlib import Path

import pytest

from runner.experiment import pool as module
from runner.experiment.budget import Gate
from runner.experiment.pool import Pool
from runner.experiment.process import Finished, WorkerNotStarted
from runner.experiment.worker import WorkerConfig
from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import Cell

CELLS = [Cell(agent="a", task=f"shop/{n}", condition="clean", world=0) for n in range(5)]


class Fake:
    """A worker process that needs no process."""

    spent = False
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


class Counting(Gate):
    """Closes after so many cells were given out."""

    def __init__(self, cells: int) -> None:
        self.left = cells

    def begun(self, cell: Cell) -> None:
        self.left -= 1

    @property
    def shut(self) -> bool:
        return self.left <= 0


def pool(folder: Path, gate: Gate | None = None, begun: object = None) -> Pool:
    config = WorkerConfig(database=folder / "run.db", browser=folder, agents=(), conditions=(), parent=1)
    return Pool(config, CELLS, 1, begun or (lambda cell: None), gate)  # type: ignore[arg-type]


def test_workers_that_never_begin_a_cell_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Process", Fake)
    monkeypatch.setattr(Fake, "begins", False)
    with pytest.raises(InfrastructureError, match=r"no worker process began shop/0\|a\|clean\|0\|-\|0 in 3 attempts"):
        list(pool(tmp_path).finished())


def test_a_closed_gate_leaves_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Process", Fake)
    gate = Counting(2)
    assert [one.cell for one in pool(tmp_path, gate, gate.begun).finished()] == CELLS[:2]
    assert [one.cell for one in pool(tmp_path).finished()] == CELLS


def test_what_takes_longer_than_the_grace_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Overdue(Gate):
        shut = overdue = True  # type: ignore[assignment]

    monkeypatch.setattr(module, "Process", Fake)
    assert list(pool(tmp_path, Overdue()).finished()) == []
