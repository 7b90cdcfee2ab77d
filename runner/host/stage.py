"""Where the episodes of the server play: one worker in this process, whose browser is replaced after an error."""

import asyncio
from typing import Self

from playwright.async_api import Playwright

from runner.browser import driver
from runner.episode.agent_thread import Heartbeat
from runner.execution import disk_space
from runner.execution.desk import Desk
from runner.execution.worker import Visit, Worker
from runner.execution.worker_config import WorkerConfig
from runner.external.gate import Gate
from stressweb.log.recording import Cell, EpisodeRecord


class Stage:
    """Plays cells; use as an asynchronous context manager."""

    def __init__(self, config: WorkerConfig, playwright: Playwright, desk: Desk, gate: Gate) -> None:
        """Take what a worker has. Nothing starts before the context."""
        self._config, self._playwright, self._desk, self._gate = config, playwright, desk, gate
        self._renewing = asyncio.Lock()
        self._flying = 0
        self._worn = False
        """Whether an episode has ended in an error since the browser started."""

    async def __aenter__(self) -> Self:
        """Start browser and world."""
        self._browser = await driver.launch(self._playwright, self._config.browser)
        self._worker = Worker(self._config, self._browser, self._desk, self._gate)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End them."""
        await self._worker.close()
        if self._browser.is_connected():
            await self._browser.close()

    async def play(self, cell: Cell, visit: Visit) -> EpisodeRecord:
        """Play, grade and store a cell.

        Raises DiskFullError if there is no space for that, and InfrastructureError for an episode that was not stored.
        """
        disk_space.check(self._config.database.parent)
        async with self._renewing:
            await self._renew()
            self._flying += 1
        try:
            record = await self._worker.serve(cell, Heartbeat(), visit)
        finally:
            self._flying -= 1
        self._worn |= record.status == "error"
        return record

    async def _renew(self) -> None:
        """Start the browser anew if it has gone, or if it may be at fault and nobody has it now."""
        # It reads evidence alone: an agent has a browser of its own for each episode.
        if self._browser.is_connected() and not (self._worn and not self._flying):
            return
        gone, self._browser = self._browser, await driver.launch(self._playwright, self._config.browser)
        await self._worker.renew(self._browser)
        self._worn = False
        if gone.is_connected():
            await gone.close()
