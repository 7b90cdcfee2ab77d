"""Episodes that come from other machines, written into the run by this process alone."""

import threading
from pathlib import Path

from runner.execution.backend import Finished, WorkerLost
from stressweb.core.errors import UserError
from stressweb.log.parcel import unpack
from stressweb.log.recording import Cell
from stressweb.log.store import Store


class Incoming:
    """Writes each episode once, whichever machine it comes from and however often."""

    def __init__(self, database: Path) -> None:
        """Take the database of the run."""
        self._database = database
        self._kept: dict[str, Finished] = {}
        # Every worker has a thread of this process; they take turns at writing, as processes would.
        self._turn = threading.Lock()

    def keep(self, cell: Cell, data: bytes) -> Finished:
        """Write an episode and return how it ended; one of a cell that has come before is dropped.

        Raises WorkerLost if the bytes are not the whole episode of the cell, which then has to run again, and what
        `Store.save` raises.
        """
        try:
            record = unpack(data, cell)
        except UserError as error:
            raise WorkerLost(f"what a worker sent was damaged: {error}") from None
        with self._turn:
            if cell.key not in self._kept:
                with Store.open(self._database) as store:
                    store.save(record)
                success = record.grade is not None and record.grade.outcome
                self._kept[cell.key] = Finished(cell, record.status, record.message, success, record.usage)
            return self._kept[cell.key]
