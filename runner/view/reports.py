"""Reports of runs, made when they are asked for, and kept outside of the runs' folders until the server ends."""

import hashlib
import shutil
import tempfile
import threading
from collections import defaultdict
from pathlib import Path

from runner.experiment.reporting import write
from runner.view.runs import signature

REPORT = "report.html"


class Reports:
    """The reports of the runs that somebody has opened."""

    def __init__(self) -> None:
        """Begin with none, in a folder of its own for its owner alone."""
        self._folder = Path(tempfile.mkdtemp(prefix="stressweb-view-"))
        self._locks: dict[Path, threading.Lock] = defaultdict(threading.Lock)
        self._made: dict[Path, Path] = {}

    def of(self, run: Path) -> Path:
        """Return the folder with the report of a run as it is now, made if need be; raises UserError as `write` does.

        An older report of the run is removed.
        """
        name = hashlib.sha256(f"{run.resolve()} {signature(run)}".encode()).hexdigest()[:24]
        folder = self._folder / name
        # Two tabs that ask at once wait for one report: both would write, and remove, the same folder.
        with self._locks[run]:
            if self._made.get(run) != folder:
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                write(run, folder / REPORT)
                old, self._made[run] = self._made.get(run), folder
                if old:
                    shutil.rmtree(old, ignore_errors=True)
        return folder

    def made(self, run: Path) -> Path | None:
        """Return the folder of the report of a run that was made last; None if none was."""
        return self._made.get(run)

    def close(self) -> None:
        """Remove all of them."""
        shutil.rmtree(self._folder, ignore_errors=True)
