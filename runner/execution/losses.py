"""Decides what to do with a cell whose worker died: run it again, or record an error or a crash."""

from collections import Counter
from enum import Enum
from pathlib import Path

from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.runner.execution import disk_space
from stressweb.runner.execution.backend import AgentHung, Finished, WorkerDied, WorkerLost, WorkerNotStarted
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader

FALSE_STARTS = 3
"""Attempts to start a worker. On a busy machine a start may fail once; repeated failures have a lasting reason."""
_MACHINES = 3
"""Machines that may be lost with the same cell in flight; after that, the cell is assumed to be the reason."""


class Again(Enum):
    """How to run a cell again."""

    FREELY = "with others beside it"
    ALONE = "with nothing beside it"


class Losses:
    """The cells of a run whose workers died. Several threads may call it, each with its own cells."""

    def __init__(self, database: Path, library: Library) -> None:
        """Take the run's database, and the library of its tasks."""
        self._database, self._library = database, library
        self._not_begun, self._machines = Counter[str](), Counter[str]()

    def fate(self, cell: Cell, gone: WorkerDied, log: Path, *, was_alone: bool) -> Finished | Again:
        """Return the result of a cell, or how to run it again; `was_alone`: no other cell was in flight.

        Raises InfrastructureError if no worker can begin the cell, and DiskFullError if the disk is full.
        """
        if isinstance(gone, WorkerNotStarted):
            self._check_begins(cell, gone, log)
            return Again.FREELY
        if isinstance(gone, WorkerLost):
            self._machines[cell.key] += 1
            # The episode was lost with the machine.
            if self._machines[cell.key] < _MACHINES:
                return Again.FREELY
        if not was_alone:
            # Any of the cells may be the reason. Run alone, the responsible one will kill its worker again.
            return self._finished_cell(cell) or Again.ALONE
        return self._lost_cell(cell, gone)

    def _check_begins(self, cell: Cell, gone: WorkerDied, log: Path) -> None:
        # If every worker dies before it begins, starting further ones would never end.
        self._not_begun[cell.key] += 1
        if self._not_begun[cell.key] >= FALSE_STARTS:
            reason = f"no worker process began {cell.key} in {FALSE_STARTS} attempts: {gone}; see {log}"
            raise InfrastructureError(reason) from None

    def _finished_cell(self, cell: Cell) -> Finished | None:
        """Return the cell as finished if its worker stored the episode before it died; otherwise None."""
        with Store.open(self._database) as store:
            return None if cell in store.pending() else Finished(cell, "done")

    def _lost_cell(self, cell: Cell, gone: WorkerDied) -> Finished:
        """Record that the cell's worker died, unless the worker has already stored the episode."""
        disk_space.check(self._database.parent)
        record = EpisodeRecord(cell, message=str(gone), traceback=gone.last_words)
        if isinstance(gone, AgentHung):
            # Grade the empty record like any failure of an agent; otherwise it would not count in any rate.
            record.status, record.grade = "crashed", Grader(self._library).grade(record)
        # The worker may have died after storing the episode but before reporting it; then nothing is lost.
        if finished := self._finished_cell(cell):
            return finished
        with Store.open(self._database) as store:
            store.save(record)
        return Finished(cell, record.status, record.message)
