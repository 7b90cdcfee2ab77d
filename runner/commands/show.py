"""Prints the outcome of a run: its table, its path, and the next command."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from stressweb.analysis.table import rows, summary
from stressweb.analysis.unfinished import unfinished
from stressweb.core.program_name import program_name
from stressweb.log.run_folder import resuming
from stressweb.log.store import FILE, Store
from stressweb.report.source import cell_of
from stressweb.runner.api.read import graded
from stressweb.runner.commands.debugging import debug
from stressweb.runner.commands.output import printable, say

if TYPE_CHECKING:
    from stressweb.analysis.graded import Graded
    from stressweb.log.recording import Cell
    from stressweb.runner.api.read import LocatedRun


def show(
    folder: Path,
    runs_dir: Path,
    errors: int,
    *,
    as_json: bool,
    explain: bool = False,
    extra_fields: Mapping[str, Any] | None = None,
    display_path: Path | None = None,
    episodes: "Sequence[Graded] | None" = None,
) -> int:
    """Print the table of a run, its path and the next command; return 1 if there are errors, else 0.

    `extra_fields` are added to the JSON. `display_path` is printed instead of the folder, as for a run in a bundle.
    `episodes` are the episodes in the table (default: all episodes of the run).
    """
    with Store.read(folder / FILE, known=episodes is not None) as store:
        if episodes is None:
            episodes = graded(store)
        missing, planned = store.missing(), len(store.cells())
        failed = [store.episode(cell_of(episode)) for episode in episodes if episode.status in ("error", "crashed")]
    if as_json:
        fields = {
            "run": str(display_path or folder),
            "planned": planned,
            "missing": len(missing),
            "errors": errors,
            "rows": rows(episodes),
        }
        say(json.dumps({**fields, **(extra_fields or {})}, indent=2))
    else:
        console = Console()
        # A bundle is not modified, so it cannot be resumed.
        resume = "" if display_path and display_path != folder else resuming(folder)
        line = unfinished(str(display_path or folder), planned, missing, resume=resume)
        console.print(summary(episodes, explain=explain, unfinished=line))
        console.print(
            f"\n {printable(closing(display_path or folder, runs_dir, console.width))}", highlight=False, soft_wrap=True
        )
    # On standard error, so that piped output stays a table or JSON.
    for row in failed:
        say(f"{row.status}: {row.cell.key}: {row.message}", err=True)
        if debug() and row.traceback:
            say(row.traceback, err=True)
    return 1 if errors else 0


def closing(folder: Path, runs_dir: Path, width: int) -> str:
    """Return a run's path and the command for its report, on one line if they fit."""
    # A folder elsewhere needs its path, since `report` looks for names in the default folder.
    name = folder.name if runs_dir == Path("runs") and folder.parent == runs_dir else str(folder)
    command = f"next: {program_name()} report {shlex.quote(name)}"
    separator = "   " if len(str(folder)) + len(command) + 4 <= width else "\n "
    return f"{folder}{separator}{command}"


def say_unfinished(run: "LocatedRun", planned: int, missing: "Sequence[Cell]") -> None:
    """Print a line about missing episodes on standard error, if there are any."""
    resume = resuming(run.folder) if run.bundle is None else ""
    if line := unfinished(str(run.display_path), planned, missing, resume=resume):
        say(line, err=True)
