"""The commands for sites of your own: `new` and `verify`."""

from pathlib import Path

import click

from runner.commands.options import debugging, on_runs, option


@click.command("new")
@click.argument("name")
@option("--folder", type=click.Path(path_type=Path), default=Path(), help="Folder in which the site's folder is made.")
@debugging
def new_command(name: str, folder: Path) -> int:
    """Write a small site of your own that runs and verifies as it stands."""
    from runner.commands.new import new  # noqa: PLC0415 - help answers at once

    return new(name, folder)


@click.command("verify")
@click.argument("site")
@option("--seeds", type=click.IntRange(1, 1000), default=3, help="How many worlds, from world seed 0 on.")
@option("--workers", type=click.IntRange(min=1), default=None, help="Worker processes (default: one per core).")
@on_runs
def verify_command(site: str, seeds: int, workers: int | None, runs_dir: Path, as_json: bool) -> int:
    """Prove that a site is right: its tasks, its checkpoints, its pages.

    SITE is a name that `stressweb list sites` shows, or the folder of a site.
    """
    from runner.commands.verify import verify  # noqa: PLC0415

    return verify(site, seeds, runs_dir, workers, as_json=as_json)


COMMANDS = (new_command, verify_command)
