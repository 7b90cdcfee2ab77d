"""`stressweb bundle`: writes an archive of a run that others can check and regrade."""

import json
from pathlib import Path

from stressweb.core.words import counted
from stressweb.log.run_folder import run_folder
from stressweb.log.store import FILE, Store
from stressweb.runner.api.read import LocatedRun
from stressweb.runner.api.share import bundle
from stressweb.runner.commands.output import say
from stressweb.runner.commands.show import say_unfinished


def write_bundle(name: str, runs_dir: Path, output: Path | None, *, pictures: bool, as_json: bool) -> int:
    """Write the bundle of a run and print its path; return 0. Raises UserError as `bundle` does."""
    run = run_folder(name, runs_dir)
    run_name = run.resolve().name
    path = output or run / f"{run_name}.zip"
    archive = bundle(run, path, name=run_name, pictures=pictures)
    episodes = archive.card["episodes"]
    missing = episodes["planned"] - episodes["finished"]
    if as_json:
        fields = {
            "run": str(run),
            "bundle": str(path),
            "bytes": path.stat().st_size,
            "sha256": archive.sha256,
            "replaced": archive.replaced,
            "missing": missing,
            "card": archive.card,
        }
        say(json.dumps(fields, indent=2))
        return 0
    if missing:
        with Store.read(run / FILE, known=True) as store:
            say_unfinished(LocatedRun(run, run_name), episodes["planned"], store.missing())
    if archive.replaced:
        say("replaced the earlier bundle", err=True)
    size = path.stat().st_size / 1e6
    say(f"{counted(episodes['finished'], 'episode')}, {size:.1f} MB, SHA-256 {archive.sha256}", err=True)
    say(path)
    return 0
