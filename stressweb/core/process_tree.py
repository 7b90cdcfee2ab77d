"""Ends processes together with their parent: a stopped browser does not end by itself."""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple

_PR_SET_PDEATHSIG = 1


class Member(NamedTuple):
    """One process; its start time distinguishes it from a later one with the same number."""

    pid: int
    began: int


def die_with_parent(parent: int) -> None:
    """Have the kernel (Linux) kill this process when its parent dies; exit at once if it has died already."""
    if sys.platform == "linux":
        # Even a parent that is killed without warning leaves no worker and browser behind.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the line above, and then no signal comes.
    if os.getppid() != parent:
        os._exit(1)


def family(pid: int) -> set[Member]:
    """Return the descendants of a process; none without /proc."""
    if not sys.platform.startswith("linux"):
        return set()
    children: dict[int, list[Member]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and (stat := _stat(int(path.name))):
            parent, started = stat
            children.setdefault(parent, []).append(Member(int(path.name), started))
    below: set[Member] = set()
    waiting = [pid]
    while waiting:
        new = [member for member in children.get(waiting.pop(), []) if member not in below]
        below.update(new)
        waiting += [member.pid for member in new]
    return below


def bearing(mark: str) -> set[Member]:
    """Return the processes whose initial environment contains a text; none without /proc."""
    if not sys.platform.startswith("linux"):
        return set()
    members = set()
    for path in Path("/proc").iterdir():
        # A process may end between being listed and being read, and those of other users cannot be read.
        with contextlib.suppress(OSError):
            if path.name.isdigit() and mark.encode() in (path / "environ").read_bytes():
                stat = _stat(int(path.name))
                members |= {Member(int(path.name), stat[1])} if stat else set()
    return members


def end(members: set[Member]) -> None:
    """Kill those of some processes that are still running."""
    for member in members:
        stat = _stat(member.pid)
        # Numbers are reused: a process with another start time is somebody else's.
        if stat and stat[1] == member.began:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(member.pid, signal.SIGKILL)


def _stat(pid: int) -> tuple[int, int] | None:
    """Return a process's parent and start time, in clock ticks since the machine started."""
    try:
        # The program's name is in parentheses, and may contain blanks and parentheses.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    # A process may end between being listed and being read.
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(fields[1]), int(fields[19])
