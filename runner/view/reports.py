"""Reports of runs, written on request to a temporary folder that is removed when the server ends."""

import hashlib
import re
import shutil
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from stressweb.analysis.graded import Graded
from stressweb.report.page import in_order
from stressweb.runner.outcome.reporting import Written, details, write
from stressweb.runner.view.runs import Signature, signature

REPORT = "report.html"
ON_REQUEST = re.compile(r"e([1-9][0-9]{0,6})\.js")
"""Name of an episode's side file that is rendered on request."""


def name_on_request(number: int) -> str:
    """Return the name of the side file, rendered on request, of an episode."""
    return f"e{number}.js"


class Reports:
    """The reports of the runs that the user has opened."""

    def __init__(
        self,
        write: Callable[..., Written] = write,
        signature: Callable[[Path], Signature] = signature,
        details: Callable[..., str] = details,
    ) -> None:
        """Start empty, with a private temporary folder; take what writes a report, and its parts.

        `signature` returns what changes whenever a run does.
        """
        self._write, self._signature, self._details = write, signature, details
        self._folder = Path(tempfile.mkdtemp(prefix="stressweb-view-"))
        self._guard = threading.Lock()
        self._locks: dict[Path, threading.Lock] = defaultdict(threading.Lock)
        self._folders: dict[Path, Path] = {}
        self._numbered: dict[Path, dict[int, Graded]] = {}
        """The episodes of each report, by their numbers in it."""
        self._checked: dict[Path, Signature] = {}
        """Signature of each run's database when it was last checked."""

    def of(self, run: Path) -> Path:
        """Return the folder with the current report of a run, writing it if needed; raises UserError as `write` does.

        An older report of the run is removed.
        """
        # Guarded, so that two threads get the same lock.
        with self._guard:
            lock = self._locks[run]
        # Otherwise two simultaneous requests would both write, and remove, the folder.
        with lock:
            # Inside the lock, so that an outdated report never replaces a newer one.
            now = self._signature(run)
            name = hashlib.sha256(f"{run.resolve()} {now}".encode()).hexdigest()[:24]
            folder = self._folder / name
            if self._folders.get(run) != folder:
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                written = self._write(run, folder / REPORT, asks=name_on_request)
                self._numbered[run], self._checked[run] = dict(in_order(written.source.graded)), now
                old, self._folders[run] = self._folders.get(run), folder
                if old:
                    shutil.rmtree(old, ignore_errors=True)
        return folder

    def last(self, run: Path) -> Path | None:
        """Return the folder of the last report of a run; None if there is none."""
        return self._folders.get(run)

    def details(self, run: Path, file: str) -> str | None:
        """Return the text of an episode's side file by its name; None if the report has no such file.

        Raises UserError if the run can no longer be read.
        """
        match = ON_REQUEST.fullmatch(file)
        number = int(match[1]) if match else 0
        graded = self._numbered.get(run, {}).get(number)
        if graded is None:
            return None
        now = self._signature(run)
        # Skip the check of an unchanged file, which takes seconds if it is large.
        text = self._details(run, number, graded, known=self._checked.get(run) == now)
        self._checked[run] = now
        return text

    def close(self) -> None:
        """Remove all reports."""
        shutil.rmtree(self._folder, ignore_errors=True)
