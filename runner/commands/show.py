"""What a run came to: its table, its path, and the next command."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from runner.api.read import graded
from runner.commands.debugging import debug
from runner.commands.output import printable, say
from stressweb.analysis.table import rows, summary
from stressweb.analysis.unfinished import unfinished
from stressweb.log.run_folder import resuming
from stressweb.log.store import FILE, Store
from stressweb.report.source import cell_of

if TYPE_CHECKING:
    from runner.api.read import LocatedRun
    from stressweb.analysis.graded import Graded
    from stressweb.log.recording import Cell


def show(
    folder: Path,
    runs_dir: Path,
    errors: int,
    *,
    as_json: bool,
    explain: bool = False,
    again: Mapping[str, Any] | None = None,
    shown: Path | None = None,
    episodes: "Sequence[Graded] | None" = None,
) -> int:
    """Print the table of a run, its path and the next command; return 1 if there are errors, else 0.

    `again` is what grading again found, for programs. `shown` is what the run is called where that is not its folder:
    the bundle that it is in. `episodes` are those to show if they have been read already; by default all of the run.
    """
    with Store.read(folder / FILE, known=episodes is not None) as store:
        if episodes is None:
            episodes = graded(store)
        missing, planned = store.missing(), len(store.cells())
        failed = [store.episode(cell_of(one)) for one in episodes if one.status in ("error", "crashed")]
    if as_json:
        said = {
            "run": str(shown or folder),
            "planned": planned,
            "missing": len(missing),
            "errors": errors,
            "rows": rows(episodes),
        }
        say(json.dumps({**said, **(again or {})}, indent=2))
    else:
        console = Console()
        # A bundle stays as it is, and cannot be continued.
        resume = "" if shown and shown != folder else resuming(folder)
        line = unfinished(str(shown or folder), planned, missing, resume=resume)
        console.print(summary(episodes, explain=explain, unfinished=line))
        console.print(
            f"\n {printable(closing(shown or folder, runs_dir, console.width))}", highlight=False, soft_wrap=True
        )
    # Below the table, on standard error: what is piped on stays a table or JSON.
    for one in failed:
        say(f"{one.status}: {one.cell.key}: {one.message}", err=True)
        if debug() and one.traceback:
            say(one.traceback, err=True)
    return 1 if errors else 0


def closing(folder: Path, runs_dir: Path, width: int) -> str:
    """Return where a run is and the command that shows more of it, which is always the end of the last line."""
    # A folder elsewhere is given by its path: the report would look for its name among the default runs.
    name = folder.name if runs_dir == Path("runs") and folder.parent == runs_dir else str(folder)
    command = f"next: stressweb report {shlex.quote(name)}"
    between = "   " if len(str(folder)) + len(command) + 4 <= width else "\n "
    return f"{folder}{between}{command}"


def say_unfinished(run: "LocatedRun", planned: int, missing: "Sequence[Cell]") -> None:
    """Say on standard error what of a run is missing, if anything is."""
    resume = resuming(run.folder) if run.bundle is None else ""
    if line := unfinished(str(run.display_path), planned, missing, resume=resume):
        say(line, err=True)
