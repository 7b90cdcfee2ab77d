"""The commands for sites of your own: `verify`."""

from pathlib import Path

import click

from runner.commands.options import on_runs, option


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


COMMANDS = (verify_command,)
