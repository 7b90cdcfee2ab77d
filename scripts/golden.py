"""Make the golden run anew: a small stored run that the tests grade again, and the figures that must come out.

`python -P -m scripts.golden` does it. Do it when pages, checkpoints or the recording changed on purpose, and read the
difference of figures.json before you commit it.

`python -P -m scripts.golden kept` makes the run that is kept of this revision of the engine, once, and never anew:
recordings of every engine must be graded as they were, as long as their sites are as they were.
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
MARKED = "engine-1"
"""The engine that wrote a class token on every element; a grader that reads no tokens takes its nodes for the site's.
Only its pages are read: the people and the days of its sites were others, so its goals cannot be drawn any more."""
_TASKS = ("--task", "shop/first-hit,calendar/day-view", "--agent", "naive,resilient")
_ASKED = (*_TASKS, "--mode", "remap")
# Both sites, and every kind of node that an engine puts into a page. No pictures, which would be half of what is kept.
_KEPT = (*_TASKS, "--mode", "remap@3+popup@2,noise@3+failure@3", "--no-screenshots")


def kept(revision: int) -> Path:
    """Return the folder of the run that is kept of a revision of the engine."""
    return FOLDER / f"engine-{revision}"


def figures(path: Path) -> dict[str, dict[str, Any]]:
    """Return what a run came to, by key of the cell, as its database has it."""
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
    # Earlier versions did not write these down, and a grade without them says the same as theirs.
    for name in ("contradictions", "unobserved"):
        if not plain[name]:
            del plain[name]
    return plain


def make(folder: Path, arguments: Sequence[str]) -> int:
    """Run cells and put the run and its figures into a folder of the tests; return the exit status of the run."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-P", "-m", "stressweb", "run", *arguments, "--runs-dir", scratch, "--run", "golden"]
        # The caller's settings must not get into a run that the tests compare with.
        environ = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
        done = subprocess.run(command, env=environ, check=False)
        # The old run stays: half a golden run would fail every test that reads it.
        if done.returncode:
            return done.returncode
        database = Path(scratch) / "golden" / FILE
        connection = sqlite3.connect(database, isolation_level=None)
        # Small pages waste less; a log has to go before their size can change.
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
    """Make the golden run anew, or the one that is kept of this engine."""
    if not arguments:
        return make(FOLDER, _ASKED)
    if [*arguments] != ["kept"]:
        print("python -P -m scripts.golden [kept]", file=sys.stderr)
        return 2
    folder = kept(REVISIONS["engine"])
    if folder.exists():
        print(f"{folder} is kept as it was recorded; raise the engine's revision first", file=sys.stderr)
        return 2
    return make(folder, _KEPT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
