"""How a worker process speaks with its parent: JSON Lines, each about one cell or about the whole process."""

import asyncio
import functools
import json
import os
import threading
from collections.abc import Callable
from typing import Any, TextIO

from runner.episode.agent_thread import Heartbeat
from stressweb.log.recording import Cell


class Inbox:
    """The parent's messages; when they end, the parent is gone and so is this process, whatever it is doing."""

    def __init__(self, source: TextIO) -> None:
        """Read in a thread; the loop that runs now hears of each message."""
        self._messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._source = source
        threading.Thread(target=self._listen, daemon=True).start()

    async def next(self) -> dict[str, Any]:
        """Return the next message."""
        return await self._messages.get()

    def _listen(self) -> None:
        for line in self._source:
            self._loop.call_soon_threadsafe(self._messages.put_nowait, json.loads(line))
            # After the last message the pipe is meant to end, and the worker still has its browser to close.
            if line.strip() == '{"end": true}':
                return
        # Playwright's driver and its browser end when their pipes close, which this does.
        os._exit(1)


class HeartbeatSender(Heartbeat):
    """Sends heartbeats to the parent, which so knows whether the agent or the worker is responsible for a silence."""

    def __init__(self, tell: Callable[..., None], cell: Cell) -> None:
        """Take what sends a message, and the cell whose episode it is about."""
        self._tell = functools.partial(tell, about=cell.key)

    def working(self) -> None:
        """Send that this process and its browser are alive."""
        self._tell(working=True)

    def deciding(self, seconds: float) -> None:
        """Send that the agent begins to decide, for at most so many seconds."""
        self._tell(deciding=seconds)

    def decided(self) -> None:
        """Send that the agent has decided."""
        self._tell(decided=True)


def teller(say: TextIO) -> Callable[..., None]:
    """Return what sends a message to the parent."""

    def tell(**message: object) -> None:
        say.write(json.dumps(message) + "\n")
        say.flush()

    return tell
