"""Renews the golden run: a small stored run that the tests grade again, and the expected figures.

Run `python -P -m scripts.golden` after intended changes of pages, checkpoints or the recording, and read the diff of
figures.json before you commit it.

`python -P -m scripts.golden kept` makes the permanent run of this revision of the engine, which is never renewed after
the first release: recordings of all engines must keep their grades as long as their sites do not change.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stressweb.core.suite import REVISIONS
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "golden"
FIGURES = "figures.json"
_TASKS = ("--task", "shop/first-hit,calendar/day-view", "--agent", "naive,resilient")
_GOLDEN = (*_TASKS, "--mode", "remap")
# Both sites, and every kind of node that an engine adds. No screenshots, which would be half of the size.
_KEPT = (*_TASKS, "--mode", "remap@3+popup@2,noise@3+failure@3", "--no-screenshots")


def kept(revision: int) -> Path:
    """Return the folder of the permanent run of a revision of the engine."""
    return FOLDER / f"engine-{revision}"


def figures(path: Path) -> dict[str, dict[str, Any]]:
    """Return the outcome of each episode in a run's database, by key of the cell."""
    with Store.read(path) as store:
        return {
            episode.cell.key: {
                "status": episode.status,
                "claim": episode.claim,
                "steps": episode.steps,
                "success": episode.grade is not None and episode.grade.success,
                "grade": None if episode.grade is None else _plain(episode.grade),
            }
            for episode in store.episodes()
        }


def _plain(grade: Grade) -> dict[str, Any]:
    plain = grade.record()
    # Most grades have none of these.
    for name in ("contradictions", "unobserved"):
        if not plain[name]:
            del plain[name]
    return plain


def make(folder: Path, arguments: Sequence[str]) -> int:
    """Run cells and store the run and its figures in a folder of the tests; return the exit status of the run."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-P", "-m", "stressweb", "run", *arguments, "--runs-dir", scratch, "--run", "golden"]
        # The caller's settings must not affect the run.
        environ = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
        done = subprocess.run(command, env=environ, check=False)
        # Keep the old run: an incomplete one would fail every test that reads it.
        if done.returncode:
            return done.returncode
        database = Path(scratch) / "golden" / FILE
        connection = sqlite3.connect(database, isolation_level=None)
        # Small database pages waste less space; their size can change only without a write-ahead log.
        for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM"):
            connection.execute(statement)
        connection.close()
        folder.mkdir(exist_ok=True)
        (folder / FILE).write_bytes(database.read_bytes())
        text = json.dumps(figures(database), indent=2, ensure_ascii=False)
    (folder / FIGURES).write_text(f"{text}\n", "utf-8")
    print(f"{folder / FILE}: {(folder / FILE).stat().st_size / 1000:.0f} kB")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Renew the golden run, or make the permanent run of this engine."""
    if not arguments:
        return make(FOLDER, _GOLDEN)
    if [*arguments] != ["kept"]:
        print("python -P -m scripts.golden [kept]", file=sys.stderr)
        return 2
    folder = kept(REVISIONS["engine"])
    if folder.exists():
        print(f"{folder} already exists and is never renewed; raise the engine's revision first", file=sys.stderr)
        return 2
    return make(folder, _KEPT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
