"""Ends processes together with their parent, because browsers do not end by themselves."""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple

_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15


class Member(NamedTuple):
    """A process. The start time distinguishes it from a later process with the same pid."""

    pid: int
    began: int


def die_with_parent(parent: int) -> None:
    """Make the kernel (Linux) kill this process when its parent dies; exit at once if the parent has already died."""
    if sys.platform == "linux":
        # So workers and browsers end even if the parent is killed.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # If the parent died before the call above, no signal comes.
    if os.getppid() != parent:
        os._exit(1)


def name_process(name: str) -> None:
    """Set the name of this process as `ps` and `top` show it (Linux); at most 15 characters."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode())


def descendants_of(pid: int) -> set[Member]:
    """Return the descendants of a process; none without /proc."""
    if not sys.platform.startswith("linux"):
        return set()
    children: dict[int, list[Member]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and (stat := _stat(int(path.name))):
            parent, started = stat
            children.setdefault(parent, []).append(Member(int(path.name), started))
    descendants: set[Member] = set()
    waiting = [pid]
    while waiting:
        new = [member for member in children.get(waiting.pop(), []) if member not in descendants]
        descendants.update(new)
        waiting += [member.pid for member in new]
    return descendants


def bearing(mark: str) -> set[Member]:
    """Return the processes whose initial environment contains a text; none without /proc."""
    if not sys.platform.startswith("linux"):
        return set()
    members = set()
    for path in Path("/proc").iterdir():
        # A process may end meanwhile, and those of other users cannot be read.
        with contextlib.suppress(OSError):
            if path.name.isdigit() and mark.encode() in (path / "environ").read_bytes():
                stat = _stat(int(path.name))
                members |= {Member(int(path.name), stat[1])} if stat else set()
    return members


def end(members: set[Member]) -> None:
    """Kill those of the processes that are still running."""
    for member in members:
        stat = _stat(member.pid)
        # Pids are reused: a process with another start time is another one.
        if stat and stat[1] == member.began:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(member.pid, signal.SIGKILL)


def _stat(pid: int) -> tuple[int, int] | None:
    """Return a process's parent and start time, in clock ticks since the machine started."""
    try:
        # The program's name is in parentheses, and may contain blanks and parentheses.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    # The process may have ended meanwhile.
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(fields[1]), int(fields[19])
