"""The messages between a worker process and its parent: JSON Lines, each about one cell or the whole process."""

import asyncio
import functools
import json
import os
import threading
from collections.abc import Callable
from typing import Any, TextIO

from stressweb.log.recording import Cell
from stressweb.runner.episode.agent_thread import Heartbeat


class Inbox:
    """The parent's messages. When the pipe closes, the parent has died, and this process exits at once."""

    def __init__(self, source: TextIO) -> None:
        """Start a thread that reads messages and passes them to the running event loop."""
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
            # After the last message the pipe may close, and the worker still has to close its browser.
            if line.strip() == '{"end": true}':
                return
        # Exiting closes the pipes of Playwright's driver and browser, which end them.
        os._exit(1)


class HeartbeatSender(Heartbeat):
    """Sends heartbeats to the parent, so that it knows whether the agent or the worker causes a silence."""

    def __init__(self, tell: Callable[..., None], cell: Cell) -> None:
        """Take the function that sends a message, and the cell of the episode."""
        self._tell = functools.partial(tell, about=cell.key)

    def working(self) -> None:
        """Report that this process and its browser are alive."""
        self._tell(working=True)

    def deciding(self, seconds: float) -> None:
        """Report that the agent starts a decision, which may take at most this many seconds."""
        self._tell(deciding=seconds)

    def decided(self) -> None:
        """Report that the agent has decided."""
        self._tell(decided=True)


def teller(say: TextIO) -> Callable[..., None]:
    """Return a function that sends a message to the parent."""

    def tell(**message: object) -> None:
        say.write(json.dumps(message) + "\n")
        say.flush()

    return tell
