"""Who takes CPU-seconds: this process, Playwright's driver, or the browser."""

import os
from collections.abc import Callable
from operator import add, sub
from pathlib import Path
from typing import NamedTuple, Self

from stressweb.core.process_tree import family

_DRIVER = "node"


class Shares(NamedTuple):
    """CPU-seconds by who took them."""

    browser: float = 0.0
    worker: float = 0.0
    """This process: proxy and sites, and on the other side the site alone."""
    driver: float = 0.0

    @classmethod
    def so_far(cls) -> Self:
        """Return what this process and those below it have taken until now."""
        below = [_taken(member.pid) for member in family(os.getpid())]
        driver = sum(seconds for name, seconds in below if name.startswith(_DRIVER))
        return cls(sum(seconds for _, seconds in below) - driver, _taken(os.getpid())[1], driver)

    def words(self, count: int) -> str:
        """Return what each of so many episodes took, in milliseconds."""
        return ", ".join(f"{name} {1000 * value / count:.0f}" for name, value in self._asdict().items()) + " ms"


class Counted:
    """Does something, and counts what it takes."""

    def __init__(self, way: Callable[[], object]) -> None:
        """Take what is to be done."""
        self._way = way
        self.shares = Shares()

    def __call__(self) -> None:
        """Do it once more."""
        begun = Shares.so_far()
        self._way()
        self.shares = plus(self.shares, Shares(*map(sub, Shares.so_far(), begun)))


def plus(shares: Shares, further: Shares) -> Shares:
    """Return the sum of two counts."""
    return Shares(*map(add, shares, further))


def cpu_seconds(pid: int) -> float:
    """Return the CPU-seconds of a process and of all below it, also of those that have ended."""
    return sum(_taken(number)[1] for number in (pid, *(member.pid for member in family(pid))))


def _taken(pid: int) -> tuple[str, float]:
    """Return the name of a process, and the CPU-seconds of it and of its children that have ended."""
    try:
        head, _, rest = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace").rpartition(")")
    except (FileNotFoundError, ProcessLookupError):
        return "", 0.0
    return head.partition("(")[2], sum(map(int, rest.split()[11:15])) / os.sysconf("SC_CLK_TCK")
