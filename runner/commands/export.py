"""`stressweb export`: writes a run in a format of other programs."""

import json
from pathlib import Path

from stressweb.core.words import counted
from stressweb.log.store import FILE, Store
from stressweb.runner.api.read import locate_run
from stressweb.runner.api.share import check_format, export
from stressweb.runner.commands.output import say
from stressweb.runner.commands.show import say_unfinished


def write_export(name: str, runs_dir: Path, to: str, output: Path | None, *, as_json: bool) -> int:
    """Export a run and print the folder; return 0. Raises UserError as `export` does."""
    # Before a bundle is checked and unpacked, which may take long.
    check_format(to)
    with locate_run(name, runs_dir) as run:
        folder = output or run.beside(f"export-{to}")
        replaced, counts = export(run.folder, to, folder, name=run.name)
        with Store.read(run.folder / FILE, known=True) as store:
            planned, missing = len(store.cells()), store.missing()
    if as_json:
        say(
            json.dumps(
                {
                    "run": str(run.display_path),
                    "export": str(folder),
                    "to": to,
                    "replaced": replaced,
                    "missing": len(missing),
                    "rows": counts,
                },
                indent=2,
            )
        )
        return 0
    say_unfinished(run, planned, missing)
    if replaced:
        say("replaced the earlier export", err=True)
    parts = (f"{counted(count, 'row')} of {table}" for table, count in counts.items())
    units = {"logs": "log", "tests": "test"}
    single = next((counted(counts[name], unit) for name, unit in units.items() if name in counts), "")
    say(single or ", ".join(parts), err=True)
    say(folder)
    return 0
