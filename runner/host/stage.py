"""Runs the server's episodes on one worker in this process, and restarts its browser after an error."""

import asyncio
from pathlib import Path

from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.runner.execution import disk_space
from stressweb.runner.execution.worker import Visit, Worker


class Stage:
    """Plays episodes on a worker."""

    def __init__(self, worker: Worker, folder: Path) -> None:
        """Take a worker, which the caller must close, and the run's folder."""
        self._worker, self._folder = worker, folder
        self._renewing = asyncio.Lock()
        self._flying = 0
        self._worn = False
        """Whether an episode has ended with an error since the browser started."""

    async def play(self, cell: Cell, visit: Visit) -> EpisodeRecord:
        """Play, grade and store a cell.

        Raises DiskFullError if the disk is full, and InfrastructureError if the episode could not be stored.
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
        """Restart the browser if it has ended, or if it may have caused an error and no episode is running."""
        # This browser only reads evidence: each episode has its own browser for the agent.
        if not self._worker.connected or (self._worn and not self._flying):
            await self._worker.renew()
            self._worn = False
