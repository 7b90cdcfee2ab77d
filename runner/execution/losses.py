"""What becomes of a cell whose worker died: it runs again, or it is written down that it cannot."""

from collections import Counter
from enum import Enum
from pathlib import Path

from runner.execution import disk_space
from runner.execution.backend import AgentHung, Finished, WorkerDied, WorkerLost, WorkerNotStarted
from runner.registry import Library
from runner.registry.grading import Grader
from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.plugins.checks import Grade

FALSE_STARTS = 3
"""A start may fail once on a busy machine; one that fails again and again has a reason that no further try removes."""
_MACHINES = 3
"""A machine may go down under any episode, but hardly three times under the same one unless that takes it down."""


class Again(Enum):
    """How a cell runs again."""

    FREELY = "with others beside it"
    ALONE = "with nothing beside it"


class Losses:
    """The cells of a run whose workers died. Called by several threads, each with cells of its own."""

    def __init__(self, database: Path) -> None:
        """Take the run's database."""
        self._database = database
        self._not_begun, self._machines = Counter[str](), Counter[str]()

    def fate(self, cell: Cell, gone: WorkerDied, log: Path, *, alone: bool) -> Finished | Again:
        """Return the result of a cell, or how it runs again; `alone` says whether no other one was in flight.

        Raises InfrastructureError if no worker ever begins it, and DiskFullError.
        """
        if isinstance(gone, WorkerNotStarted):
            self._check_begins(cell, gone, log)
            return Again.FREELY
        if isinstance(gone, WorkerLost):
            self._machines[cell.key] += 1
            # Its machine took with it all that had happened.
            if self._machines[cell.key] < _MACHINES:
                return Again.FREELY
        if not alone:
            # Any of them may be the reason. Alone, the one that is will end its worker again.
            return self._stored(cell) or Again.ALONE
        return self._written(cell, gone)

    def _check_begins(self, cell: Cell, gone: WorkerDied, log: Path) -> None:
        # Where every worker dies like that, starting further ones would never end.
        self._not_begun[cell.key] += 1
        if self._not_begun[cell.key] >= FALSE_STARTS:
            reason = f"no worker process began {cell.key} in {FALSE_STARTS} attempts: {gone}; see {log}"
            raise InfrastructureError(reason) from None

    def _stored(self, cell: Cell) -> Finished | None:
        """Return that a cell is finished if its worker stored the episode before it died."""
        with Store.open(self._database) as store:
            return None if cell in store.pending() else Finished(cell, "done")

    def _written(self, cell: Cell, gone: WorkerDied) -> Finished:
        """Write down that the cell's worker died, unless it had stored the episode already."""
        disk_space.check(self._database.parent)
        record = EpisodeRecord(cell, message=str(gone), traceback=gone.last_words)
        if isinstance(gone, AgentHung):
            # Nothing was recorded, and yet it is graded, as every failure of an agent: else it would be in no rate.
            record.status, record.grade = "crashed", _grade(record)
        # The worker may have died between storing the episode and saying so: then nothing is lost.
        if stored := self._stored(cell):
            return stored
        with Store.open(self._database) as store:
            store.save(record)
        return Finished(cell, record.status, record.message)


def _grade(record: EpisodeRecord) -> Grade:
    """Return the grade of an episode that left nothing to see."""
    return Grader(Library()).grade(record)
