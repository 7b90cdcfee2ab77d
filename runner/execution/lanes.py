"""How many episodes run at a time: worker processes, and concurrent episodes in each process."""

from pathlib import Path
from typing import NamedTuple

from stressweb.core.errors import UserError
from stressweb.core.words import counted

SCRIPTED_PER_CORE = 1.5
"""Concurrent episodes per core if agents decide at once, as measured by `make bench`; more would only wait."""
CORES_PER_WORKER = 4
"""Cores that one worker process keeps busy; three quarters of an episode's work is done by the browser."""
MODELS = 32
"""Concurrent episodes if agents wait for a model."""
EPISODE_BYTES = 150_000_000
"""Estimated memory of a running episode, most of it for the browser's pages."""
BROWSER_BYTES = 150_000_000
"""Estimated additional memory of an episode that has its own browser process."""
WORKER_BYTES = 500_000_000
"""Estimated memory of a worker process with its browser and proxy."""


class Lanes(NamedTuple):
    """How many episodes run at a time."""

    workers: int
    """Number of processes, each with its own browser and proxy."""
    in_flight: int = 1
    """Concurrent episodes in each process."""

    def __str__(self) -> str:
        """Return a short description."""
        each = "" if self.in_flight == 1 else f", {self.in_flight} episodes each"
        return f"{counted(self.workers, 'worker')}{each}"


def chosen(
    workers: int | None,
    in_flight: int | None,
    *,
    waits: bool,
    cores: int,
    memory: int | None,
    own_browsers: bool = False,
) -> Lanes:
    """Return how many episodes to run at a time on a machine with `cores` and bytes of free `memory`.

    `workers` and `in_flight` are the user's choices; None lets this function choose. `waits`: agents wait for a model.
    `own_browsers`: some agents need a browser process for each episode. Raises UserError for more than the memory
    allows; if `memory` is None, it is not checked.
    """
    processes = workers or -(-cores // CORES_PER_WORKER)
    bound = None if memory is None else most(processes, memory, own_browsers=own_browsers)
    if in_flight is None:
        total = MODELS if waits else round(SCRIPTED_PER_CORE * cores)
        wanted = max(1, round(total / processes))
        return Lanes(processes, wanted if bound is None else min(wanted, bound))
    if memory is not None and bound is not None and in_flight > bound:
        free, need = memory / 1e9, processes * (WORKER_BYTES + in_flight * _episode_bytes(own_browsers)) / 1e9
        request = f"{counted(processes, 'worker')} with {in_flight} episodes in flight each"
        raise UserError(
            f"--in-flight {in_flight}: {request} need about {need:.1f} GB of memory, and {free:.1f} GB are free; "
            f"give at most {bound}"
        )
    return Lanes(processes, in_flight)


def most(workers: int, memory: int, *, own_browsers: bool = False) -> int:
    """Return how many concurrent episodes each worker can run in `memory` bytes; at least one."""
    return max(1, (memory // workers - WORKER_BYTES) // _episode_bytes(own_browsers))


def _episode_bytes(own_browser: bool) -> int:
    return EPISODE_BYTES + (BROWSER_BYTES if own_browser else 0)


def free_memory() -> int | None:
    """Return the bytes of free memory of this machine; None if the system does not report it."""
    try:
        text = Path("/proc/meminfo").read_text("ascii")
    except OSError:
        return None
    kilobytes = [line.split()[1] for line in text.splitlines() if line.startswith("MemAvailable:")]
    return int(kilobytes[0]) * 1024 if kilobytes else None
