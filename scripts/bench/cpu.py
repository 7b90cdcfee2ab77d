"""CPU-seconds by process: this process, Playwright's driver, and the browser."""

import os
from collections.abc import Callable
from operator import add, sub
from pathlib import Path
from typing import NamedTuple, Self

from stressweb.core.process_tree import descendants_of

_DRIVER = "node"


class Shares(NamedTuple):
    """CPU-seconds by process."""

    browser: float = 0.0
    worker: float = 0.0
    """This process: proxy and sites for episodes, only the site for bare scripts."""
    driver: float = 0.0

    @classmethod
    def so_far(cls) -> Self:
        """Return the CPU-seconds of this process and its descendants until now."""
        descendant_times = [_taken(member.pid) for member in descendants_of(os.getpid())]
        driver = sum(seconds for name, seconds in descendant_times if name.startswith(_DRIVER))
        return cls(sum(seconds for _, seconds in descendant_times) - driver, _taken(os.getpid())[1], driver)

    def words(self, count: int) -> str:
        """Return the mean CPU time of `count` episodes in milliseconds, as text."""
        return ", ".join(f"{name} {1000 * value / count:.0f}" for name, value in self._asdict().items()) + " ms"


class Counted:
    """Calls a function and adds up its CPU-seconds."""

    def __init__(self, way: Callable[[], object]) -> None:
        """Take the function."""
        self._way = way
        self.shares = Shares()

    def __call__(self) -> None:
        """Call the function once."""
        before = Shares.so_far()
        self._way()
        self.shares = plus(self.shares, Shares(*map(sub, Shares.so_far(), before)))


def plus(shares: Shares, further: Shares) -> Shares:
    """Return the sum of two counts."""
    return Shares(*map(add, shares, further))


def cpu_seconds(pid: int) -> float:
    """Return the CPU-seconds of a process and its descendants, including those that have ended."""
    return sum(_taken(number)[1] for number in (pid, *(member.pid for member in descendants_of(pid))))


def _taken(pid: int) -> tuple[str, float]:
    """Return the name of a process, and the CPU-seconds of it and its ended children."""
    try:
        head, _, rest = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace").rpartition(")")
    except (FileNotFoundError, ProcessLookupError):
        return "", 0.0
    return head.partition("(")[2], sum(map(int, rest.split()[11:15])) / os.sysconf("SC_CLK_TCK")
