"""`stressweb report`: writes the report of a run as HTML."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stressweb.analysis.table import rows
from stressweb.log.recording import Cell
from stressweb.report.source import cell_of
from stressweb.runner.api.read import LocatedRun, locate_run
from stressweb.runner.api.report import Written, write
from stressweb.runner.commands.opening import open_page
from stressweb.runner.commands.output import say
from stressweb.runner.commands.show import say_unfinished


def write_report(
    name: str, runs_dir: Path, output: Path | None, *, single_file: bool, every: bool, open_it: bool, as_json: bool
) -> int:
    """Write the report of a run, print its path and open it if `open_it`; return 0.

    `output` is by default `report.html` in the run's folder, or next to its bundle. Raises UserError as `write` does,
    or for an unknown run.
    """
    with locate_run(name, runs_dir) as run:
        path = output or run.beside("report.html")
        written = write(run.folder, path, name=run.name, single_file=single_file, every=every)
    url = path.resolve().as_uri()
    done = {cell_of(episode) for episode in written.source.graded}
    missing = [cell for cell in written.source.planned if cell not in done]
    if as_json:
        say(json.dumps(_in_json(run, path, written, missing), indent=2))
    else:
        _say(run, path, written, missing)
    if open_it:
        open_page(url)
    elif not as_json:
        # On standard error, since scripts read the path on standard output.
        say(f"open it in your browser: {url} (--open does this for you)", err=True)
    return 0


def _in_json(run: LocatedRun, path: Path, written: Written, missing: Sequence[Cell]) -> dict[str, Any]:
    graded = written.source.graded
    return {
        "run": str(run.display_path),
        "report": str(path),
        "replaced": written.replaced,
        "bytes": path.stat().st_size,
        "folder": None if written.folder is None else str(written.folder),
        "folder_bytes": written.side_bytes,
        "episodes": len(graded),
        "detailed": written.detailed,
        "missing": len(missing),
        "errors": sum(episode.status == "error" for episode in graded),
        "rows": rows(graded),
    }


def _say(run: LocatedRun, path: Path, written: Written, missing: Sequence[Cell]) -> None:
    """Print notes about the report on standard error, and its path on standard output."""
    say_unfinished(run, len(written.source.planned), missing)
    if written.replaced:
        say("replaced the earlier report", err=True)
    if written.detailed < len(written.source.graded):
        detailed = f"the details of {written.detailed} of {len(written.source.graded)} episodes"
        cure = "use --all to write all of them, or stressweb view to browse them"
        say(f"the run is large: the report has {detailed}; {cure}", err=True)
    if written.folder:
        say(f"the details of the episodes are in {written.folder}; keep it next to the report", err=True)
    say(path)
