"""An agent's own process: it is started with the addresses of its episode, and ended with all of its children."""

import asyncio
import contextlib
import os
import shlex
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Self

from runner.external.offer import VARIABLE
from stressweb.core.process_tree import bearing, end
from stressweb.core.tracebacks import HIDDEN, concealed

_KEPT = 20_000
"""Characters of what a process prints that are kept: the last ones."""
_CHUNK = 1 << 16
_PATIENCE_S = 2.0
"""Seconds that a process has to end by itself after its episode."""


class Command:
    """A running process; made by `Command.start`."""

    def __init__(self, process: asyncio.subprocess.Process, secrets: Sequence[str]) -> None:
        """Take a process that was started; the first of the secrets stands in its environment and in no other."""
        self._process, self._secrets = process, secrets
        self._printed: deque[bytes] = deque()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: str, variables: Mapping[str, str], secrets: Sequence[str]) -> Self:
        """Start a command; OSError if that is not possible.

        It has the environment of this process, without our variables but for those that are given. The `secrets`
        in them are not kept of what it prints; the first is this process's alone.
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
        """Return the exit status, when it ends; that of a process that a signal ended is negative."""
        return await self._process.wait()

    async def close(self, *, patience: float = _PATIENCE_S) -> None:
        """End the process and all of its children; it may end by itself for `patience` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        # A child may have made a session of its own, and its parent may have gone: the environment stays.
        end(await asyncio.to_thread(bearing, self._secrets[0]))
        await self._process.wait()
        with contextlib.suppress(TimeoutError):
            # A child that got away may hold the pipe for ever.
            async with asyncio.timeout(_PATIENCE_S):
                await asyncio.shield(self._reading)
        self._reading.cancel()

    @property
    def output(self) -> str:
        """What it printed last, without keys."""
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
    """Say how a process ended: `exit status 1`, `SIGKILL`."""
    if status >= 0:
        return f"exit status {status}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-status).name
    return f"signal {-status}"
