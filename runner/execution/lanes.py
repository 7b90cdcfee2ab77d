"""How many episodes run at a time: worker processes, and episodes in flight in each of them."""

from pathlib import Path
from typing import NamedTuple

from stressweb.core.errors import UserError
from stressweb.core.words import counted

SCRIPTED_PER_CORE = 1.5
"""Episodes in flight for each core whose agents decide at once: measured by `make bench`; more only wait."""
CORES_PER_WORKER = 4
"""Cores that one worker process keeps busy: three quarters of an episode's work is the browser's."""
MODELS = 32
"""Episodes in flight whose agents wait for a model."""
EPISODE_BYTES = 150_000_000
"""Memory that is reckoned for an episode in flight, most of it for the browser's pages."""
BROWSER_BYTES = 150_000_000
"""Memory that is reckoned besides for the browser process of an episode whose agent drives it by itself."""
WORKER_BYTES = 500_000_000
"""Memory that is reckoned for a worker process with its browser and proxy."""


class Lanes(NamedTuple):
    """How many episodes run at a time."""

    workers: int
    """Processes, each with a browser and a proxy of its own."""
    in_flight: int = 1
    """Episodes of each process."""

    def __str__(self) -> str:
        """Say it in a few words."""
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
    """Return how many episodes run at a time on this machine, with so many `cores` and bytes of free `memory`.

    `workers` and `in_flight` are what the user asks for; the rest is chosen. `waits` says whether agents wait for a
    model, `own_browsers` whether some have a browser process for each episode. Raises UserError for more than the
    memory allows. Without a known `memory` nothing is bounded by it.
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
    """Return how many episodes each of so many workers can have in flight in so much memory: at least one."""
    return max(1, (memory // workers - WORKER_BYTES) // _episode_bytes(own_browsers))


def _episode_bytes(own_browser: bool) -> int:
    return EPISODE_BYTES + (BROWSER_BYTES if own_browser else 0)


def free_memory() -> int | None:
    """Return how many bytes of memory are free on this machine; None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text("ascii")
    except OSError:
        return None
    kilobytes = [line.split()[1] for line in text.splitlines() if line.startswith("MemAvailable:")]
    return int(kilobytes[0]) * 1024 if kilobytes else None
