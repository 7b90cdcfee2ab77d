"""Measured parts of the documents: the table at the end of a run, and the figures of every mode."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.docs.markdown import table
from stressweb.analysis.wording import percent
from stressweb.core.cores import cores
from stressweb.log.store import FILE, Store
from stressweb.perturbations import MODES

WIDTH = 80
"""Width of the terminal in columns."""
FIRST = "remap"
"""The mode of the run in the README."""
TASKS = 30
"""Number of tasks, taken from each site in turn, as in the README's first command."""
LIMIT = ("--limit", str(TASKS))


def runs() -> dict[str, str]:
    """Run every mode and return the parts about it: one run as in the README, and one for the other modes.

    If the two runs do not agree, SystemExit names their folder, which is kept.
    """
    folder = tempfile.mkdtemp(prefix="stressweb-docs-")
    start = time.monotonic()
    output = stressweb(folder, "run", "--mode", FIRST, *LIMIT)
    seconds = time.monotonic() - start
    name = output.split()[-1]
    facts = _facts(Path(folder) / "runs" / name / FILE, seconds)
    first = json.loads(stressweb(folder, "grade", name, "--json"))["rows"]
    others = ",".join(mode for mode in MODES if mode != FIRST)
    rest = json.loads(stressweb(folder, "run", "--mode", others, *LIMIT, "--json"))["rows"]
    try:
        figures = _figures([*first, *rest])
    except ValueError as error:
        raise SystemExit(f"docs: {error}; see {folder}") from None
    shutil.rmtree(folder)
    # `make` calls the program by its path.
    shown = _trimmed(output).replace("next: stressweb ", "next: .venv/bin/stressweb ")
    return {"run": f"```\n{shown}\n```", "run-facts": facts, "figures": figures}


def _facts(database: Path, seconds: float) -> str:
    """Return the number of episodes, the time and the versions of a run as text."""
    with Store.read(database) as store:
        meta, episodes = store.meta(), len(store.episodes())
    software = f"stressweb {meta['version']}, {meta['browser']}"
    return f"{episodes} episodes in {seconds:.0f} seconds with {cores()} workers ({software})."


def _figures(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a row for each agent and condition; raises ValueError if the clean rows of both runs differ."""
    cells: dict[tuple[str, str], Sequence[str]] = {}
    for row in rows:
        cell = [
            f"{row['successes']} of {row['episodes']}",
            percent(row["checkpoints"]),
            f"{row['steps']:.1f}",
            "" if row["extra_steps"] is None else f"{row['extra_steps']:+.1f}".replace("-", "−"),
            f"{row['false_claims']}/{row['claimed']}",
        ]
        key = (row["agent"], row["condition"])
        # Both runs have clean episodes of the same cells. If they differ, something is not reproducible, and the
        # figures would be wrong.
        if cells.setdefault(key, cell) != cell:
            raise ValueError(f"two runs of {' '.join(key)} differ: {cells[key]} and {cell}")
    head = ("agent", "condition", "success", "checkpoints", "mean steps", "more than clean", "false claims")
    return table(head, ((*key, *cells[key]) for key in sorted(cells, key=lambda key: (key[0], _place(key[1])))))


def _place(condition: str) -> int:
    return next((index for index, name in enumerate(MODES) if condition.partition("@")[0] == name), -1)


def stressweb(folder: str, *arguments: str) -> str:
    """Run a command of stressweb in a folder without the caller's settings; return its output."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
    # Keep only this setting, which is needed if no browser is in a known place.
    browser = {name: os.environ[name] for name in ("STRESSWEB_BROWSER",) if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "stressweb.runner.commands.cli", *arguments],
        cwd=folder,
        env={**inherited, **browser, "COLUMNS": str(WIDTH), "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"docs: stressweb {' '.join(arguments)} ended with status {done.returncode}")
    return done.stdout


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
