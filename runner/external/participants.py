"""External participants of an episode: a program that is started for it, or any client that connects."""

import asyncio
import contextlib
import shlex
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stressweb.runner.episode.agent_thread import AgentError
from stressweb.runner.external.command import Command, ending
from stressweb.runner.external.offer import Claim, Offer

if TYPE_CHECKING:
    # Imports FastAPI, which takes half a second.
    from stressweb.runner.external.gate import Guest

type Participant = Callable[[Offer, Guest], Awaitable[Claim | None]]
"""Takes part in an episode until it finishes, runs out of steps, or its browser ends. Returns its claim, if any.
Raises AgentError if the agent fails."""

_LAST_LINE = 500
"""Characters of a program's last output line that are quoted in the episode's message."""
_AFTERWARDS_S = 2.0
"""Seconds that a program may take to exit after it has finished its episode."""


def program(command: str) -> Participant:
    """Return a participant that runs a command for the length of an episode."""

    async def take_part(offer: Offer, guest: "Guest") -> Claim | None:
        with tempfile.TemporaryDirectory(prefix="stressweb-episode-") as folder:
            variables = offer.environment(Path(folder) / "episode.json")
            try:
                process = await Command.start(command, variables, offer.secrets)
            except OSError as error:
                raise AgentError(f"{shlex.split(command)[0]}: {error.strerror}") from None
            try:
                return await _wait_until_finished(process, offer, guest)
            finally:
                await process.close(patience=_AFTERWARDS_S if guest.claim.done() else 0)

    return take_part


def visitor(idle_s: float, announce: "Callable[[Offer, Guest], object]") -> Participant:
    """Return a participant that waits for clients; `announce` passes the episode's addresses on to them.

    The episode expires after `idle_s` seconds without activity of a client.
    """

    async def take_part(offer: Offer, guest: "Guest") -> Claim | None:
        begun = time.monotonic()
        announce(offer, guest)
        while (remaining_s := begun + offer.seconds - time.monotonic()) > 0:
            silence = time.monotonic() - guest.last_active_s
            if silence >= idle_s:
                came = f"its client was silent for {silence:.0f} s" if guest.visited else "no client came"
                raise AgentError(f"expired after {time.monotonic() - begun:.0f} s: {came}")
            if await _wait_for_end(guest, min(remaining_s, idle_s - silence), []):
                return _end_with_claim(guest)
        raise AgentError(f"not finished after {time.monotonic() - begun:.0f} s")

    return take_part


async def _wait_until_finished(process: Command, offer: Offer, guest: "Guest") -> Claim | None:
    """Wait until a program has finished its episode; return its claim."""
    begun = time.monotonic()
    ended: asyncio.Task[int] = asyncio.create_task(process.wait())
    try:
        if not await _wait_for_end(guest, offer.seconds, [ended]):
            raise _failure(f"not finished after {time.monotonic() - begun:.0f} s", process)
        if guest.claim.done() or guest.over.is_set() or not ended.done():
            return _end_with_claim(guest)
        # Some of its output may not have been read yet.
        await process.close(patience=0)
        if status := ended.result():
            raise _failure(f"the process ended with {ending(status)}", process)
        # Exit status 0 without a claim counts as "done".
        return Claim(claim="done")
    finally:
        ended.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ended


async def _wait_for_end(guest: "Guest", seconds: float, tasks: list[asyncio.Task[Any]]) -> bool:
    """Wait until the episode ends or one of the tasks is done; return False after a timeout of `seconds`."""
    over, gone = asyncio.create_task(guest.over.wait()), asyncio.create_task(guest.gone())
    try:
        ends: set[asyncio.Future[Any]] = {guest.claim, over, gone, *tasks}
        done, _ = await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return bool(done)
    finally:
        over.cancel()
        gone.cancel()


def _end_with_claim(guest: "Guest") -> Claim | None:
    """End the episode and return the claim, if any; later actions do not count."""
    guest.over.set()
    return guest.claim.result() if guest.claim.done() else None


def _failure(reason: str, process: Command) -> AgentError:
    lines = process.output.splitlines()
    last = f": {lines[-1][:_LAST_LINE]}" if lines else ""
    return AgentError(f"{reason}{last}", process.output)
