"""The commands of nightly runs: `compare` compares two runs, `nightly` keeps a history against a pinned baseline."""

from pathlib import Path
from typing import Any

import click

from stressweb.runner.commands.options import (
    explicit_names,
    limit_options_over_file,
    option,
    option_over_file,
    run_options,
)
from stressweb.runner.commands.seed import Seed


@click.command("compare")
@click.argument("runs", nargs=-1)
@option("--baseline", default=None, help="The run to compare with, instead of a first argument.")
@option(
    "--agent",
    "agents",
    multiple=True,
    help="Agent of the baseline and its counterpart in the new run, as OLD=NEW. Repeatable.",
)
@option(
    "--junit", type=click.Path(path_type=Path), default=None, help="Also write the result to this file as JUnit XML."
)
@run_options
def compare_command(
    runs: tuple[str, ...], baseline: str | None, agents: tuple[str, ...], junit: Path | None, runs_dir: Path,
    as_json: bool,
) -> int:  # fmt: skip
    """Compare a run with a baseline: robustness, and success under clean.

    Exit status: 0 no regression, 1 an agent regressed, 3 the runs are not comparable, 4 no verdict: the runs are too
    small to decide.
    """
    from stressweb.runner.commands.compare import compare_runs  # noqa: PLC0415 - needs scipy

    return compare_runs(runs, baseline, agents, runs_dir, junit, as_json=as_json)


@click.command("nightly")
@click.argument("experiment", type=click.Path(path_type=Path), required=False)
@option_over_file(
    "--agent", default=None, help="Agents, separated by commas (default: those of the baseline, initially resilient)."
)
@option_over_file(
    "--mode", default=None, help="Conditions of a new baseline, separated by commas (default: remap,failure)."
)
@option_over_file(
    "--task",
    default=None,
    help="Tasks or patterns, from which each night takes the next ones, separated by commas (default: all).",
)
@option_over_file("--exclude", default=None, help="Tasks or patterns to leave out, separated by commas.")
@option_over_file("--limit", type=click.IntRange(min=1), default=None, help="Number of tasks per night (default: 30).")
@option_over_file("--model", default=None, help="Language model that the agent `model` uses.")
@option_over_file("--base-url", default=None, help="URL of the model's endpoint; the key is read from OPENAI_API_KEY.")
@option_over_file("--seed", type=Seed(), default=0, help="World seed of a new baseline.")
@limit_options_over_file
@option("--history", type=click.Path(path_type=Path), default=Path("nightly"), help="Folder of the nights.")
@option("--baseline", default=None, help="Pin this run, by name or folder, as the baseline.")
@option("--new-baseline", is_flag=True, help="Record and pin a new baseline tonight; accepts open regressions.")
@option_over_file(
    "--workers", type=click.IntRange(min=1), default=None, help="Worker processes (default: one per four cores)."
)
@option(
    "--dry-run", is_flag=True, help="Print tonight's plan, and the smallest loss it can detect, without running it."
)
@run_options
@click.pass_context
def nightly_command(context: click.Context, /, **options: Any) -> int:
    """Run tonight's tasks and compare them with the pinned baseline.

    A regression stays open until later nights show that it is fixed, or until you record a new baseline. Exit status:
    0 no open regression, 1 open regression, 3 tonight is not comparable.
    """
    from stressweb.runner.commands.nightly import run_night  # noqa: PLC0415 - keeps help fast

    return run_night(options, explicit_names(context))


COMMANDS = (compare_command, nightly_command)
