"""Reports of runs, made when they are asked for, and kept outside of the runs' folders until the server ends."""

import hashlib
import re
import shutil
import tempfile
import threading
from collections import defaultdict
from pathlib import Path

from runner.outcome.reporting import details, write
from runner.view.runs import Signature, signature
from stressweb.analysis.graded import Graded
from stressweb.report.page import in_order

REPORT = "report.html"
ASKED = re.compile(r"e([1-9][0-9]{0,6})\.js")
"""What the side file of an episode is called that is made when somebody asks for it."""


def asked(number: int) -> str:
    """Return the name of the side file of an episode that is made when somebody asks for it."""
    return f"e{number}.js"


class Reports:
    """The reports of the runs that somebody has opened."""

    def __init__(self) -> None:
        """Begin with none, in a folder of its own for its owner alone."""
        self._folder = Path(tempfile.mkdtemp(prefix="stressweb-view-"))
        self._guard = threading.Lock()
        self._locks: dict[Path, threading.Lock] = defaultdict(threading.Lock)
        self._made: dict[Path, Path] = {}
        self._numbered: dict[Path, dict[int, Graded]] = {}
        """The episodes of each report by their numbers in it."""
        self._checked: dict[Path, Signature] = {}
        """How the database of each run was when it was last checked as a whole."""

    def of(self, run: Path) -> Path:
        """Return the folder with the report of a run as it is now, made if need be; raises UserError as `write` does.

        An older report of the run is removed.
        """
        # Two threads that ask for the lock of a run for the first time must not get one each.
        with self._guard:
            lock = self._locks[run]
        # Two tabs that ask at once wait for one report: both would write, and remove, the same folder.
        with lock:
            # Only now: while it waited, another may have made a newer one, which an older name would remove.
            now = signature(run)
            name = hashlib.sha256(f"{run.resolve()} {now}".encode()).hexdigest()[:24]
            folder = self._folder / name
            if self._made.get(run) != folder:
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                written = write(run, folder / REPORT, asks=asked)
                self._numbered[run], self._checked[run] = dict(in_order(written.source.graded)), now
                old, self._made[run] = self._made.get(run), folder
                if old:
                    shutil.rmtree(old, ignore_errors=True)
        return folder

    def made(self, run: Path) -> Path | None:
        """Return the folder of the report of a run that was made last; None if none was."""
        return self._made.get(run)

    def details(self, run: Path, file: str) -> str | None:
        """Return the text of the side file of an episode that is asked for by name; None if the report has no such one.

        Raises UserError if the run cannot be read any more.
        """
        found = ASKED.fullmatch(file)
        number = int(found[1]) if found else 0
        graded = self._numbered.get(run, {}).get(number)
        if graded is None:
            return None
        now = signature(run)
        # Walking through a large file takes seconds, and a reader opens one episode after the other.
        text = details(run, number, graded, known=self._checked.get(run) == now)
        self._checked[run] = now
        return text

    def close(self) -> None:
        """Remove all of them."""
        shutil.rmtree(self._folder, ignore_errors=True)
