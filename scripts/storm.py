"""A kill storm: processes of runs are killed, stopped and interrupted at random; runs are resumed until complete.

`python -P -m scripts.storm [KILLS [SEED]]` prints the outcome. Every run must end with the same episodes as an
undisturbed run, and finished episodes must never be lost.
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
from stressweb.core.process_tree import Member, descendants_of, end
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.worker import NAME

KILLS = 200
PATIENCE = 300.0
"""Maximum seconds without progress: the runner notices a stopped process after a minute."""
_RUN = ("--agent", "naive", "--mode", "remap", "--limit", "6", "--workers", "2")
_SIGNS = {
    "worker": NAME,
    "browser": "--remote-debugging-pipe",
    "renderer": "--type=renderer",
    "zygote": "--type=zygote",
    "driver": "run-driver",
}
"""A part of the command line, or of the name, of each kind of process."""


@dataclass
class Tally:
    """The outcome of a storm."""

    disturbances: Counter[str] = field(default_factory=Counter)
    """Number of times that each disturbance was carried out."""
    missed: Counter[str] = field(default_factory=Counter)
    """Number of times that there was no such process."""
    runs: int = 0
    resumed: int = 0
    errors: int = 0
    """Number of episodes that ended as errors, all of which ran again."""
    lost: int = 0
    """Number of finished episodes that later were missing or different."""
    different: int = 0
    """Number of episodes that differ from those of the undisturbed run at the end."""
    left_behind: int = 0
    """Number of processes that outlived their run."""
    refused: list[str] = field(default_factory=list)
    """Messages of commands that refused to continue a run."""

    @property
    def harm(self) -> bool:
        """Whether the storm caused lasting harm."""
        return bool(self.lost or self.different or self.left_behind or self.refused)


class Run:
    """One run under the storm, resumed whenever it ends too early."""

    def __init__(self, folder: Path) -> None:
        """Take the folder for its database; nothing starts yet."""
        self.folder = folder
        self.descendants: set[Member] = set()
        self.process: subprocess.Popen[bytes] | None = None
        self._log = folder.parent / f"{folder.name}.log"

    def start(self) -> None:
        """Start the run, or resume it."""
        has_database = (self.folder / FILE).exists()
        arguments = ("--resume",) if has_database else _RUN
        command = [sys.executable, "-P", "-m", "stressweb", "run", *arguments]
        command += ["--runs-dir", str(self.folder.parent), "--run", self.folder.name]
        # The caller's settings must not affect the run.
        environ = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
        if not has_database and self.folder.exists():
            # The run was killed before its database existed. Remove the folder, because stressweb never reuses a run's
            # name.
            self.folder.rmdir()
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environ)

    def look(self) -> None:
        """Add the run's current processes to `descendants`."""
        assert self.process is not None
        # Children of a killed parent get another parent, and could not be found later.
        self.descendants |= descendants_of(self.process.pid)

    def pids(self, sign: str) -> list[int]:
        """Return the ids of the run's processes whose command line contains a text."""
        return sorted(member.pid for member in self.descendants if sign in command_of(member.pid))

    def finished(self) -> dict[str, Any]:
        """Return the stored episodes other than errors, by key of the cell."""
        return {key: episode for key, episode in self.content().items() if episode["status"] != "error"}

    def content(self) -> dict[str, Any]:
        """Return the stored episodes, by key of the cell."""
        if not (self.folder / FILE).exists():
            return {}
        with Store.read(self.folder / FILE) as store:
            store.check_whole()
            return store.content()

    def last_line(self) -> str:
        """Return the last line that the command wrote."""
        lines = self._log.read_text(errors="replace").strip().splitlines() if self._log.exists() else []
        return lines[-1] if lines else ""


def _kill(run: Run, victim: str, number: signal.Signals = signal.SIGKILL) -> bool:
    pids = run.pids(_SIGNS[victim])
    # Only one, as in a real fault: the rest of the run has to handle it.
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


def _signal(run: Run, number: signal.Signals) -> bool:
    assert run.process is not None
    run.process.send_signal(number)
    return True


DISTURBANCES: Mapping[str, Callable[[Run], bool]] = {
    **{f"kill the {victim}": partial(_kill, victim=victim) for victim in _SIGNS},
    **{f"stop the {victim} for 3 s": partial(_pause, victim=victim) for victim in ("worker", "browser", "renderer")},
    "kill the parent": lambda run: _signal(run, signal.SIGKILL),
    "SIGTERM to the parent": lambda run: _signal(run, signal.SIGTERM),
    "Ctrl-C": lambda run: _signal(run, signal.SIGINT),
}


def storm(kills: int = KILLS, seed: int = 0) -> Tally:
    """Disturb runs until `kills` disturbances were carried out; return the outcome."""
    tally = Tally()
    # A shell starts background jobs with SIGINT ignored, which children inherit. With a handler, children have the
    # default.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            whole = _whole(Run(Path(scratch) / "whole"))
            while sum(tally.disturbances.values()) < kills:
                tally.runs += 1
                _disturbed(Run(Path(scratch) / f"run-{tally.runs}"), whole, kills, seed, tally)
    finally:
        signal.signal(signal.SIGINT, before)
    return tally


def _whole(run: Run) -> dict[str, Any]:
    run.start()
    assert run.process is not None
    if run.process.wait(PATIENCE):
        raise SystemExit(f"storm: the undisturbed run failed: {run.last_line()}")
    return run.content()


def _disturbed(run: Run, whole: Mapping[str, Any], kills: int, seed: int, tally: Tally) -> None:
    known: dict[str, Any] = {}
    for _ in _ends(run, kills, seed, tally):
        stored = run.content()
        tally.errors += sum(episode["status"] == "error" for episode in stored.values())
        finished = {key: episode for key, episode in stored.items() if episode["status"] != "error"}
        # Compare with the previous state, so that an episode that was lost or ran again is noticed at once.
        tally.lost += sum(finished.get(key) != episode for key, episode in known.items())
        known = finished
    stored = run.content()
    tally.different += sum(stored.get(key) != episode for key, episode in whole.items())
    # Give processes a moment to end.
    time.sleep(1.0)
    tally.left_behind += sum(_alive(member) for member in run.descendants)
    end(run.descendants)


def _ends(run: Run, kills: int, seed: int, tally: Tally) -> Iterator[None]:
    """Run until every cell is done, with the remaining disturbances; yield whenever the command has ended."""
    run.start()
    assert run.process is not None
    last, deadline = "nothing", time.monotonic() + PATIENCE
    while True:
        done = sum(tally.disturbances.values())
        wait = 0.5 + 3 * draws.unit("storm", "when", seed, done)
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = run.process.wait(wait if done < kills else 1.0)
            yield
            if status == 0:
                return
            # Status 2 means that the command refused to continue; a killed run must always be resumable.
            if status == 2:
                tally.refused.append(run.last_line())
                return
            tally.resumed += 1
            deadline = time.monotonic() + PATIENCE
            run.start()
            continue
        if time.monotonic() > deadline:
            tally.refused.append(f"nothing happened for {PATIENCE:g} s after: {last}")
            run.process.kill()
            return
        run.look()
        if done < kills:
            # Count misses in the key, or the same disturbance without a process would be drawn forever.
            last = draws.pick(sorted(DISTURBANCES), "storm", "what", seed, done + sum(tally.missed.values()))
            hit = DISTURBANCES[last](run)
            (tally.disturbances if hit else tally.missed)[last] += 1
            deadline = time.monotonic() + PATIENCE


def command_of(pid: int) -> str:
    """Return the command line and the name of a process; an empty string if it has ended."""
    try:
        return b" ".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "comm")).decode(
            errors="replace"
        )
    except OSError:
        return ""


def _alive(member: Member) -> bool:
    try:
        # The program's name is in parentheses and may contain some, so count the fields from the last one.
        fields = Path(f"/proc/{member.pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    # A zombie has ended. The start time distinguishes a process from a later one with the same id.
    return fields[0] != "Z" and int(fields[19]) == member.began


def main() -> int:
    """Print the outcome of a storm; return 1 if it caused lasting harm."""
    arguments = [int(argument) for argument in sys.argv[1:]]
    tally = storm(*arguments)
    print(tally)
    return 1 if tally.harm else 0


if __name__ == "__main__":
    sys.exit(main())
