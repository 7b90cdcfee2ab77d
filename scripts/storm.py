"""A kill storm: runs whose processes are killed, stopped and interrupted at random, resumed until they are complete.

`python -P -m scripts.storm [KILLS [SEED]]` prints what came of it. Every run must end with the episodes of a run that
nobody disturbed, and nothing that was finished may ever be gone.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from stressweb.core import draws
from stressweb.core.process_tree import Member, end, family
from stressweb.log.store import FILE, Store

KILLS = 200
PATIENCE = 300.0
"""Seconds within which something must happen: a stopped process is noticed after one minute."""
_RUN = ("--agent", "naive", "--mode", "remap", "--limit", "6", "--workers", "2")
_SIGNS = {
    "worker": "stressweb.runner.execution.worker",
    "browser": "--remote-debugging-pipe",
    "renderer": "--type=renderer",
    "zygote": "--type=zygote",
    "driver": "run-driver",
}
"""What the command line of each kind of process holds."""
type Deed = Callable[["Run", str], None]


@dataclass
class Tally:
    """What came of a storm."""

    deeds: Counter[str] = field(default_factory=Counter)
    """How often each deed was done."""
    missed: Counter[str] = field(default_factory=Counter)
    """How often there was no such process at the moment."""
    runs: int = 0
    resumed: int = 0
    errors: int = 0
    """Episodes that ended as errors, all of which ran again."""
    lost: int = 0
    """Finished episodes that were gone, or other ones, at a later look."""
    different: int = 0
    """Episodes that differ, at the end, from those of the undisturbed run."""
    left: int = 0
    """Processes that outlived their run."""
    refused: list[str] = field(default_factory=list)
    """What a command said that would not go on."""

    @property
    def harm(self) -> bool:
        """Whether the storm did any harm that lasts."""
        return bool(self.lost or self.different or self.left or self.refused)


class Run:
    """One run under the storm, resumed whenever it ends too early."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that its database comes into; nothing starts yet."""
        self.folder = folder
        self.family: set[Member] = set()
        self.process: subprocess.Popen[bytes] | None = None
        self._log = folder.parent / f"{folder.name}.log"

    def start(self) -> None:
        """Begin, or go on."""
        there = (self.folder / FILE).exists()
        arguments = ("--resume",) if there else _RUN
        command = [sys.executable, "-P", "-m", "stressweb", "run", *arguments]
        command += ["--runs-dir", str(self.folder.parent), "--run", self.folder.name]
        # The caller's settings must not change what is run.
        environ = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
        if not there and self.folder.exists():
            # Killed before there was anything: a run's name is never used twice.
            self.folder.rmdir()
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environ)

    def look(self) -> None:
        """Remember every process that belongs to the run at the moment."""
        assert self.process is not None
        # Remembered, because the children of a killed parent belong to another process and could no longer be found.
        self.family |= family(self.process.pid)

    def pids(self, sign: str) -> list[int]:
        """Return the processes of the run whose command line holds a sign."""
        return sorted(member.pid for member in self.family if sign in _command(member.pid))

    def finished(self) -> dict[str, Any]:
        """Return what is stored and no error, by key of the cell."""
        return {key: episode for key, episode in self.content().items() if episode["status"] != "error"}

    def content(self) -> dict[str, Any]:
        """Return what is stored."""
        if not (self.folder / FILE).exists():
            return {}
        with Store.read(self.folder / FILE) as store:
            store.check_whole()
            return store.content()

    def last_words(self) -> str:
        """Return the last line that the command wrote."""
        lines = self._log.read_text(errors="replace").strip().splitlines() if self._log.exists() else []
        return lines[-1] if lines else ""


def _kill(run: Run, victim: str, number: signal.Signals = signal.SIGKILL) -> bool:
    pids = run.pids(_SIGNS[victim])
    # One at a time: a real fault takes one process, and the rest of the run has to cope with it.
    for pid in pids[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return bool(pids)


def _pause(run: Run, victim: str) -> bool:
    pids = run.pids(_SIGNS[victim])[:1]
    for number, seconds in ((signal.SIGSTOP, 3.0), (signal.SIGCONT, 0.0)):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(seconds)
    return bool(pids)


def _tell(run: Run, number: signal.Signals) -> bool:
    assert run.process is not None
    run.process.send_signal(number)
    return True


DEEDS: Mapping[str, Callable[[Run], bool]] = {
    **{f"kill the {victim}": partial(_kill, victim=victim) for victim in _SIGNS},
    **{f"stop the {victim} for 3 s": partial(_pause, victim=victim) for victim in ("worker", "browser", "renderer")},
    "kill the parent": lambda run: _tell(run, signal.SIGKILL),
    "SIGTERM to the parent": lambda run: _tell(run, signal.SIGTERM),
    "Ctrl-C": lambda run: _tell(run, signal.SIGINT),
}


def storm(kills: int = KILLS, seed: int = 0) -> Tally:
    """Disturb runs until so many deeds are done; return what came of it."""
    tally = Tally()
    # A shell starts background jobs with SIGINT ignored, and children inherit that. They do not inherit a handler, so
    # with one here Ctrl-C reaches them.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            whole = _whole(Run(Path(scratch) / "whole"))
            while sum(tally.deeds.values()) < kills:
                tally.runs += 1
                _disturbed(Run(Path(scratch) / f"run-{tally.runs}"), whole, kills, seed, tally)
    finally:
        signal.signal(signal.SIGINT, before)
    return tally


def _whole(run: Run) -> dict[str, Any]:
    run.start()
    assert run.process is not None
    if run.process.wait(PATIENCE):
        raise SystemExit(f"storm: the undisturbed run failed: {run.last_words()}")
    return run.content()


def _disturbed(run: Run, whole: Mapping[str, Any], kills: int, seed: int, tally: Tally) -> None:
    known: dict[str, Any] = {}
    for _ in _ends(run, kills, seed, tally):
        stored = run.content()
        tally.errors += sum(episode["status"] == "error" for episode in stored.values())
        finished = {key: episode for key, episode in stored.items() if episode["status"] != "error"}
        # Compared with what was finished at the last look, so an episode that is gone or was run again shows at once.
        tally.lost += sum(finished.get(key) != episode for key, episode in known.items())
        known = finished
    stored = run.content()
    tally.different += sum(stored.get(key) != episode for key, episode in whole.items())
    # What was told to end needs a moment for it.
    time.sleep(1.0)
    tally.left += sum(_alive(member) for member in run.family)
    end(run.family)


def _ends(run: Run, kills: int, seed: int, tally: Tally) -> Iterator[None]:
    """Run until every cell is done, disturbed as long as deeds are left; yield whenever the run has ended."""
    run.start()
    assert run.process is not None
    last, until = "nothing", time.monotonic() + PATIENCE
    while True:
        done = sum(tally.deeds.values())
        wait = 0.5 + 3 * draws.unit("storm", "when", seed, done)
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = run.process.wait(wait if done < kills else 1.0)
            yield
            if status == 0:
                return
            # Status 2 says that the command would not go on: a run that was killed must always be resumable.
            if status == 2:
                tally.refused.append(run.last_words())
                return
            tally.resumed += 1
            until = time.monotonic() + PATIENCE
            run.start()
            continue
        if time.monotonic() > until:
            tally.refused.append(f"nothing happened for {PATIENCE:g} s after: {last}")
            run.process.kill()
            return
        run.look()
        if done < kills:
            # Misses are counted in the key, or a deed without a victim would be drawn for ever.
            last = draws.pick(sorted(DEEDS), "storm", "what", seed, done + sum(tally.missed.values()))
            hit = DEEDS[last](run)
            (tally.deeds if hit else tally.missed)[last] += 1
            until = time.monotonic() + PATIENCE


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _alive(member: Member) -> bool:
    try:
        # The name of the program stands in parentheses and may hold some itself, so the fields are counted from the
        # last one.
        fields = Path(f"/proc/{member.pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    # A zombie has ended and only waits to be read. The start time tells a process from a later one of the same number.
    return fields[0] != "Z" and int(fields[19]) == member.began


def main() -> int:
    """Print what came of a storm; return 1 if anything was lost."""
    arguments = [int(argument) for argument in sys.argv[1:]]
    tally = storm(*arguments)
    print(tally)
    return 1 if tally.harm else 0


if __name__ == "__main__":
    sys.exit(main())
