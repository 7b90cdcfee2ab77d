"""Where the episodes of the server play: one worker in this process, whose browser is replaced after an error."""

import asyncio
from pathlib import Path

from runner.execution import disk_space
from runner.execution.worker import Visit, Worker
from stressweb.log.recording import Cell, EpisodeRecord


class Stage:
    """Plays cells."""

    def __init__(self, worker: Worker, folder: Path) -> None:
        """Take a worker, which stays the caller's, and the folder of the run."""
        self._worker, self._folder = worker, folder
        self._renewing = asyncio.Lock()
        self._flying = 0
        self._worn = False
        """Whether an episode has ended in an error since the browser started."""

    async def play(self, cell: Cell, visit: Visit) -> EpisodeRecord:
        """Play, grade and store a cell.

        Raises DiskFullError if there is no space for that, and InfrastructureError for an episode that was not stored.
        """
        disk_space.check(self._folder)
        async with self._renewing:
            await self._renew()
            self._flying += 1
        try:
            record = await self._worker.serve(cell, visit=visit)
        finally:
            self._flying -= 1
        self._worn |= record.status == "error"
        return record

    async def _renew(self) -> None:
        """Start the browser anew if it has gone, or if it may be at fault and nobody has it now."""
        # It reads evidence alone: an agent has a browser of its own for each episode.
        if not self._worker.connected or (self._worn and not self._flying):
            await self._worker.renew()
            self._worn = False
