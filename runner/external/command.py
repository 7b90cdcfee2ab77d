"""Starts an agent's process with the addresses of its episode, and ends it together with all its children."""

import asyncio
import contextlib
import os
import shlex
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Self

from stressweb.core.process_tree import bearing, end
from stressweb.core.tracebacks import HIDDEN, concealed
from stressweb.runner.external.offer import VARIABLE

_KEPT = 20_000
"""Characters of a process's output that are kept; the oldest are dropped first."""
_CHUNK = 1 << 16
_PATIENCE_S = 2.0
"""Seconds that a process may take to exit by itself after its episode."""


class Command:
    """A running process, created by `Command.start`."""

    def __init__(self, process: asyncio.subprocess.Process, secrets: Sequence[str]) -> None:
        """Take a process that has started; no other process has the first of the secrets in its environment."""
        self._process, self._secrets = process, secrets
        self._printed: deque[bytes] = deque()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: str, variables: Mapping[str, str], secrets: Sequence[str]) -> Self:
        """Start a command; raise OSError if it cannot be started.

        The command inherits the environment of this process, except that `variables` replace all variables that
        begin with `STRESSWEB_`. The `secrets` are removed from its output; the first must be unique to the process.
        """
        environ = {name: value for name, value in os.environ.items() if not name.startswith(VARIABLE)}
        process = await asyncio.create_subprocess_exec(
            *shlex.split(command),
            env={**environ, **variables},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        return cls(process, secrets)

    async def wait(self) -> int:
        """Wait for the process to end and return its exit status; negative if a signal ended it."""
        return await self._process.wait()

    async def close(self, *, patience: float = _PATIENCE_S) -> None:
        """Wait up to `patience` seconds for the process to exit, then kill it and all its children."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        # A child may have started its own session and lost its parent, but it still has the environment.
        end(await asyncio.to_thread(bearing, self._secrets[0]))
        await self._process.wait()
        with contextlib.suppress(TimeoutError):
            # A child that was not found may keep the pipe open forever.
            async with asyncio.timeout(_PATIENCE_S):
                await asyncio.shield(self._reading)
        self._reading.cancel()

    @property
    def output(self) -> str:
        """The last part of the process's output, with keys and secrets removed."""
        text = concealed(b"".join(self._printed).decode(errors="replace"))
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text[-_KEPT:].strip()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        size = 0
        while chunk := await self._process.stdout.read(_CHUNK):
            self._printed.append(chunk)
            size += len(chunk)
            while size - len(self._printed[0]) >= _KEPT:
                size -= len(self._printed.popleft())


def ending(status: int) -> str:
    """Describe how a process ended: `exit status 1`, `SIGKILL`."""
    if status >= 0:
        return f"exit status {status}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-status).name
    return f"signal {-status}"
