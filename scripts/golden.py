"""Make the golden run anew: a small stored run that the tests grade again, and the figures that must come out.

`python -P -m scripts.golden` does it. Do it when pages, checkpoints or the recording changed on purpose, and read the
difference of figures.json before you commit it.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stressweb.log.store import FILE, Store

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "golden"
FIGURES = "figures.json"
_ASKED = ("--task", "shop/first-hit,calendar/day-view", "--agent", "naive,resilient", "--mode", "remap")


def figures(path: Path) -> dict[str, dict[str, Any]]:
    """Return what a run came to, by key of the cell, as its database has it."""
    with Store.read(path) as store:
        return {
            one.cell.key: {
                "status": one.status,
                "claim": one.claim,
                "steps": one.steps,
                "success": one.grade is not None and one.grade.success,
                "grade": None if one.grade is None else asdict(one.grade),
            }
            for one in store.episodes()
        }


def main() -> int:
    """Run the golden cells and put the run and its figures into the tests."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-P", "-m", "runner", "run", *_ASKED, "--runs-dir", scratch, "--run", "golden"]
        # The caller's settings must not get into a run that the tests compare with.
        environ = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
        done = subprocess.run(command, env=environ, check=False)
        # The old run stays: half a golden run would fail every test that reads it.
        if done.returncode:
            return done.returncode
        made = Path(scratch) / "golden" / FILE
        connection = sqlite3.connect(made, isolation_level=None)
        # Small pages waste less; a log has to go before their size can change.
        for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM"):
            connection.execute(statement)
        connection.close()
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / FILE).write_bytes(made.read_bytes())
        text = json.dumps(figures(made), indent=2, ensure_ascii=False)
    (FOLDER / FIGURES).write_text(f"{text}\n", "utf-8")
    print(f"{FOLDER / FILE}: {(FOLDER / FILE).stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
