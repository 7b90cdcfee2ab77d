"""The commands that publish a run: `export` writes tables, `bundle` an archive that others can regrade."""

from pathlib import Path

import click

from stressweb.runner.commands.options import option, run_options


@click.command("export")
@click.argument("run")
@option("--to", default="csv", help="Format: csv, jsonl, parquet, inspect or junit.")
@option(
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder to write (default: export-FORMAT in the run's folder).",
)
@run_options
def export_command(run: str, to: str, output: Path | None, runs_dir: Path, as_json: bool) -> int:
    """Export results, episodes, steps and ledger of a run as tables."""
    from stressweb.runner.commands.export import write_export  # noqa: PLC0415 - keeps help fast

    return write_export(run, runs_dir, to, output, as_json=as_json)


@click.command("bundle")
@click.argument("run")
@option(
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="File to write (default: NAME.zip in the run's folder).",
)
@option("--without-pictures", is_flag=True, help="Leave out the screenshots.")
@run_options
def bundle_command(run: str, output: Path | None, without_pictures: bool, runs_dir: Path, as_json: bool) -> int:
    """Write an archive of a run that others can check and regrade."""
    from stressweb.runner.commands.bundle import write_bundle  # noqa: PLC0415 - keeps help fast

    return write_bundle(run, runs_dir, output, pictures=not without_pictures, as_json=as_json)


COMMANDS = (export_command, bundle_command)
