"""Writes episodes that arrive from other machines into the run's database."""

import threading
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.log.parcel import unpack
from stressweb.log.recording import Cell
from stressweb.log.store import Store
from stressweb.runner.execution.backend import Finished, WorkerLost


class Incoming:
    """Writes each episode once, even if it arrives several times or from several machines."""

    def __init__(self, database: Path) -> None:
        """Take the run's database."""
        self._database = database
        self._finished_cells: dict[str, Finished] = {}
        # Each worker has a thread in this process; only one of them writes at a time.
        self._turn = threading.Lock()

    def keep(self, cell: Cell, data: bytes) -> Finished:
        """Write an episode and return how it ended; ignore it if the cell already has one.

        Raises WorkerLost if the bytes are not a complete episode of the cell, which must then run again. Also raises
        the errors of `Store.save`.
        """
        try:
            record = unpack(data, cell)
        except UserError as error:
            raise WorkerLost(f"a worker sent a damaged episode: {error}") from None
        with self._turn:
            if cell.key not in self._finished_cells:
                with Store.open(self._database) as store:
                    store.save(record)
                success = record.grade is not None and record.grade.outcome
                self._finished_cells[cell.key] = Finished(cell, record.status, record.message, success, record.usage)
            return self._finished_cells[cell.key]
