"""The folder of the nights: a line for each, the pinned baseline, and the runs. A kill at any time leaves it whole.

`history.jsonl` is only ever added to, one line in one write; a line that was cut off by a kill is not read, and removed
by the next night. `baseline.json` is replaced as a whole.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from stressweb.analysis.nights import UNCOUNTED, Night, Record
from stressweb.analysis.regressions import Standing
from stressweb.core.errors import UserError
from stressweb.core.validation import first
from stressweb.core.whole_file import write_atomically
from stressweb.log.run_file import PRIVATE_FILE, PRIVATE_FOLDER

LINES, PINNED, RUNS, LOCK = "history.jsonl", "baseline.json", "runs", ".lock"


class Baseline(Record):
    """The run that every night is compared with, until another one is pinned."""

    run: str
    """Its name in the folder of runs."""
    pinned: str
    """Date."""
    identities: dict[str, str]
    """Identity of each of its cells, by key; a run with other identities is rejected."""


class History:
    """The folder of the nights."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is made when the first night begins."""
        self.folder = folder
        self.runs = folder / RUNS

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder and keep other nights out of it; raises UserError if one is running there."""
        try:
            self.runs.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            # The file is never removed: a night that has it open and one that makes it anew could both hold a lock.
            handle = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
        except OSError as error:
            raise UserError(f"history {self.folder} cannot be written: {error.strerror or error}") from None
        try:
            self._lock(handle)
            yield
        finally:
            os.close(handle)

    def _lock(self, handle: int) -> None:
        try:
            # The system takes the lock away when the process ends, however it ends.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            said = f"another night is running in {self.folder}; wait for it, or use another --history"
            raise UserError(said) from None

    def nights(self) -> list[Night]:
        """Return every night, in order; raises UserError for a line that is none."""
        try:
            text = (self.folder / LINES).read_bytes()
        except FileNotFoundError:
            return []
        # What follows the last line feed was being written when its process was killed.
        return [self._night(number, line) for number, line in enumerate(text.split(b"\n")[:-1], start=1)]

    def _night(self, number: int, line: bytes) -> Night:
        try:
            return Night.model_validate_json(line)
        except ValidationError as error:
            where = f"{self.folder / LINES}:{number}"
            raise UserError(f"{where}: not a night: {first(error)}; mend the line, or use another --history") from None

    def append(self, night: Night) -> None:
        """Write a night down: afterwards it is on the disk, or not there at all."""
        path = self.folder / LINES
        data = night.model_dump_json().encode() + b"\n"
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
            try:
                whole = os.read(handle, os.fstat(handle).st_size).rfind(b"\n") + 1
                os.ftruncate(handle, whole)
                os.lseek(handle, whole, os.SEEK_SET)
                # A write may take a part only, as on a disk that is nearly full.
                while data:
                    data = data[os.write(handle, data) :]
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}; run the night again") from None

    def baseline(self) -> Baseline | None:
        """Return the pinned baseline, None if there is none; raises UserError for a file that is none."""
        path = self.folder / PINNED
        try:
            return Baseline.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise UserError(f"{path}: not a baseline: {first(error)}; pin one with --baseline RUN") from None

    def pin(self, baseline: Baseline) -> None:
        """Make a run the baseline of all nights to come."""
        # Put in place as a whole: a kill in between leaves the baseline that was there.
        write_atomically(self.folder / PINNED, baseline.model_dump_json(indent=1) + "\n", private=True)

    def turn(self, baseline: Baseline) -> int:
        """Return how many nights were compared with a baseline: whose turn it is among the tasks follows from it."""
        # The night that recorded the baseline is its own baseline and does not count.
        return sum(night.baseline == baseline.run != night.run for night in self.nights())

    def standing(self, baseline: Baseline, agent: str) -> Standing:
        """Return where an agent, named as in the baseline, stands: totals of its charts, and open regressions."""
        # A night that could not be compared has added nothing, and the one before it still counts.
        for night in reversed(self.nights()):
            for one in night.agents:
                if night.baseline == baseline.run and one.baseline == agent and one.outcome not in UNCOUNTED:
                    return Standing((one.robustness_sum, one.clean_sum), one.open)
        return Standing()
