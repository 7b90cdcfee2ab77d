"""The commands of a study: `sweep` runs an experiment file, `merge` merges its shards, `curves` analyses a run."""

from pathlib import Path
from typing import Any

import click

from stressweb.runner.commands.options import (
    as_json,
    debugging,
    exchange_options,
    experiment_options_over_file,
    explain,
    explicit_names,
    in_flight,
    option,
    placement_options,
    resume,
    run_options,
    runs_dir,
    verbose,
    workers,
)

_file = click.Path(path_type=Path, dir_okay=False)


@click.command("sweep")
@click.argument("file", type=_file, envvar="STRESSWEB_FILE")
@option(
    "--set",
    "sets",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change an entry of the file, as in --set epochs=3. Repeatable.",
)
@experiment_options_over_file
@option(
    "--shard", default=None, metavar="I/N", help="Run only the I-th of N parts; merge the runs with `stressweb merge`."
)
@workers.over_file.decorator
@in_flight.over_file.decorator
@placement_options
@option("--run", "name", default=None, help="Name of the run (default: date and name of the file).")
@resume
@exchange_options
@option(
    "--dry-run",
    is_flag=True,
    help="Print the plan's size, time and cost, and the smallest loss it can detect, without running it.",
)
@verbose
@option(
    "--plan",
    "expected",
    default=None,
    metavar="HASH",
    help="Only run the plan for which --dry-run printed this hash.",
)
@explain
@run_options
@click.pass_context
def sweep_command(context: click.Context, /, file: Path, **options: Any) -> int:
    """Run the experiment in a YAML file; print a table and write a report.

    An option such as --agent replaces the file's entry.
    """
    from stressweb.runner.commands.sweep import sweep  # noqa: PLC0415 - keeps help fast

    return sweep(file, options, explicit_names(context))


@click.command("merge")
@click.argument("runs", nargs=-1, required=True)
@option("--run", "name", default=None, help="Name of the new run (default: date and `merged`).")
@explain
@runs_dir
@as_json
@debugging
def merge_command(runs: tuple[str, ...], name: str | None, explain: bool, runs_dir: Path, as_json: bool) -> int:
    """Merge the shards of a plan into one run and print its table."""
    from stressweb.runner.commands.merge import merge_runs  # noqa: PLC0415 - keeps help fast

    return merge_runs(runs, name, runs_dir, as_json=as_json, explain=explain)


@click.command("curves")
@click.argument("run")
@option(
    "--price",
    multiple=True,
    help="US dollars per million input and output tokens: 2.5,10, or AGENT=2.5,10 for one agent. Repeatable.",
)
@option("--explain", is_flag=True, help="Explain the columns below each table.")
@run_options
def curves_command(run: str, price: tuple[str, ...], explain: bool, runs_dir: Path, as_json: bool) -> int:
    """Print curves of a run: success by severity and steps, pairs of modes, costs, tasks, repeats."""
    from stressweb.runner.commands.curves import show_curves  # noqa: PLC0415 - keeps help fast

    return show_curves(run, runs_dir, price, as_json=as_json, explain=explain)


COMMANDS = (sweep_command, merge_command, curves_command)
