"""The folder of the nights: a line for each night, the pinned baseline, and the runs. It is safe against kills.

`history.jsonl` is append-only, one line per write; a line truncated by a kill is ignored, and removed by the next one.
`baseline.json` is replaced atomically.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from stressweb.analysis.nights import UNCOUNTED, Night, Record
from stressweb.analysis.regressions import RegressionState
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
    """Date on which it was pinned."""
    identities: dict[str, str]
    """Identity of each of its cells, by key, to detect that the run was replaced."""


class History:
    """The folder of the nights."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which the first night creates."""
        self.folder = folder
        self.runs = folder / RUNS

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Create and lock the folder; raises UserError if another night is running there."""
        try:
            self.runs.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            # The lock file is never removed, or two nights could lock different files of this name.
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
            # The system releases the lock when the process ends.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"another night is running in {self.folder}; wait for it, or use another --history"
            raise UserError(message) from None

    def nights(self) -> list[Night]:
        """Return every night, in order; raises UserError for an invalid line."""
        try:
            text = (self.folder / LINES).read_bytes()
        except FileNotFoundError:
            return []
        # Without the last line, which has no line feed if its process was killed.
        return [self._night(number, line) for number, line in enumerate(text.split(b"\n")[:-1], start=1)]

    def _night(self, number: int, line: bytes) -> Night:
        try:
            return Night.model_validate_json(line)
        except ValidationError as error:
            where = f"{self.folder / LINES}:{number}"
            raise UserError(f"{where}: not a night: {first(error)}; fix the line, or use another --history") from None

    def append(self, night: Night) -> None:
        """Append a night atomically, and flush it to disk; raises UserError if that fails."""
        path = self.folder / LINES
        unwritten = night.model_dump_json().encode() + b"\n"
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
            try:
                whole = os.read(handle, os.fstat(handle).st_size).rfind(b"\n") + 1
                os.ftruncate(handle, whole)
                os.lseek(handle, whole, os.SEEK_SET)
                # A write may be partial, for example on a nearly full disk.
                while unwritten:
                    unwritten = unwritten[os.write(handle, unwritten) :]
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}; run the night again") from None

    def baseline(self) -> Baseline | None:
        """Return the pinned baseline, None if there is none; raises UserError for a malformed file."""
        path = self.folder / PINNED
        try:
            return Baseline.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise UserError(f"{path}: not a baseline: {first(error)}; pin one with --baseline RUN") from None

    def pin(self, baseline: Baseline) -> None:
        """Make a run the baseline of all following nights."""
        write_atomically(self.folder / PINNED, baseline.model_dump_json(indent=1) + "\n", private=True)

    def turn(self, baseline: Baseline) -> int:
        """Return the number of nights compared with a baseline, on which the rotation of tasks depends."""
        # Without the night that recorded the baseline.
        return sum(night.baseline == baseline.run != night.run for night in self.nights())

    def regression_state(self, baseline: Baseline, agent: str) -> RegressionState:
        """Return the totals of an agent's charts, and its open regressions; `agent` is its name in the baseline."""
        # The last comparable night counts.
        for night in reversed(self.nights()):
            for agent_night in night.agents:
                if (
                    night.baseline == baseline.run
                    and agent_night.baseline == agent
                    and agent_night.outcome not in UNCOUNTED
                ):
                    return RegressionState((agent_night.robustness_sum, agent_night.clean_sum), agent_night.open)
        return RegressionState()
