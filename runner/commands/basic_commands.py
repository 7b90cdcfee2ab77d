"""The basic commands: `run`, `list`, `serve`, `host`, `grade`, `report`, `view`, `docs`, `doctor`.

The implementation of a command is imported when it is called, so that help is fast.
"""

from pathlib import Path
from typing import Any

import click

from stressweb.runner.commands.options import (
    as_json,
    debugging,
    exchange_options,
    experiment_options,
    explain,
    explicit_names,
    in_environment,
    in_flight,
    loading,
    max_steps,
    opening,
    option,
    placement_options,
    resume,
    run_options,
    runs_dir,
    verbose,
    workers,
)
from stressweb.runner.commands.output import say
from stressweb.runner.commands.positive import Positive
from stressweb.runner.commands.seed import Seed

DONE = 0


@click.command("run")
@experiment_options
@workers.decorator
@in_flight.decorator
@placement_options
@option("--run", "name", default=None, help="Name of the run (default: date and mode).")
@resume
@exchange_options
@option("--headed", is_flag=True, help="Show the browser window.")
@option(
    "--dry-run",
    is_flag=True,
    help="Print the plan's size, time and cost, and the smallest loss it can detect, without running it.",
)
@verbose
@explain
@run_options
@click.pass_context
def run_command(context: click.Context, /, **options: Any) -> int:
    """Run agents on tasks, clean and under stress; print a table."""
    from stressweb.runner.commands.run import run_with  # noqa: PLC0415 - keeps help fast

    return run_with(options, explicit_names(context))


@click.command("list")
@click.argument("what", type=click.Choice(["sites", "tasks", "chains", "cases", "modes", "agents", "observations"]))
@option("--site", default=None, help="With tasks, chains and cases: only those of this site; cases one by one.")
@option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="With cases: write them to this file (.csv or .yaml), which --load can read.",
)
@option("--seed", type=Seed(), default=0, help="With --output: world seed that determines the cases' wording.")
@option("--pinata", is_flag=True, help="With --output: write a .csv in PinATA's blocks instead of a plain table.")
@as_json
@loading
@debugging
@click.pass_context
def list_command(
    context: click.Context, /, what: str, site: str | None, output: Path | None, seed: int, pinata: bool, as_json: bool
) -> int:
    """List the available sites, tasks, chains, test cases, modes, agents or observation sources."""
    from stressweb.runner.commands.list import OF_A_SITE, show  # noqa: PLC0415 - keeps help fast

    # An environment variable applies to many commands, so ignore it where it has no meaning.
    if what not in OF_A_SITE and in_environment(context, "site"):
        site = None
    if what != "cases" and in_environment(context, "output"):
        output = None
    show(what, site, output, seed, pinata=pinata, as_json=as_json)
    return DONE


@click.command("serve")
@click.argument("site", default=None, required=False)
@option("--mode", default="clean", help="One condition, such as remap@3 or failure+noise.")
@option(
    "--task", default=None, help="Disturb the same elements as a run of this task (default: the site's first task)."
)
@option("--seed", type=Seed(), default=0, help="World seed.")
@option("--stress-seed", type=Seed(), default=0, help="Stress seed.")
@option("--port", type=click.IntRange(0, 65535), default=8080, help="Port on 127.0.0.1; 0 means any free port.")
@option("--overlay", is_flag=True, help="Show below the page what happens to each click and entry.")
@opening
@as_json
@loading
@debugging
def serve_command(
    site: str | None,
    mode: str,
    task: str | None,
    seed: int,
    stress_seed: int,
    port: int,
    overlay: bool,
    open_it: bool,
    as_json: bool,
) -> int:
    """Serve a site under a condition for your own browser."""
    from stressweb.runner.commands.serve import serve  # noqa: PLC0415 - keeps help fast

    return serve(site, mode, task, seed, stress_seed, port, overlay=overlay, open_it=open_it, as_json=as_json)


@click.command("grade")
@click.argument("run")
@option(
    "--changed",
    is_flag=True,
    help="Keep the grades that the same checks have made, and grade only the other episodes.",
)
@option(
    "--missing-verdict-fails",
    is_flag=True,
    help="Count a test case without a verdict as a fail verdict where it ended, as the paper does.",
)
@explain
@run_options
def grade_command(
    run: str, changed: bool, missing_verdict_fails: bool, explain: bool, runs_dir: Path, as_json: bool
) -> int:
    """Grade a recorded run again, offline, and print its table."""
    from stressweb.runner.commands.grade import grade_again  # noqa: PLC0415 - keeps help fast

    return grade_again(
        run,
        runs_dir,
        as_json=as_json,
        explain=explain,
        changed_alone=changed,
        missing_verdict_fails=missing_verdict_fails,
    )


@click.command("report")
@click.argument("run")
@option(
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="File to write (default: report.html in the run's folder).",
)
@option("--single-file", is_flag=True, help="Write a single file, without the pages and pictures that do not fit.")
@option("--all", "every", is_flag=True, help="Write the details of all episodes, also of a large run.")
@opening
@run_options
def report_command(
    run: str, output: Path | None, single_file: bool, every: bool, open_it: bool, runs_dir: Path, as_json: bool
) -> int:
    """Write a report of a run as HTML: one self-contained file, unless the run is large."""
    from stressweb.runner.commands.report import write_report  # noqa: PLC0415 - keeps help fast

    return write_report(run, runs_dir, output, single_file=single_file, every=every, open_it=open_it, as_json=as_json)


@click.command("view")
@click.argument("folder", type=click.Path(path_type=Path), default=None, required=False)
@option("--port", type=click.IntRange(0, 65535), default=8090, help="Port on 127.0.0.1; 0 means any free port.")
@opening
@run_options
def view_command(folder: Path | None, port: int, open_it: bool, runs_dir: Path, as_json: bool) -> int:
    """List, compare and watch the runs of a folder in your browser."""
    from stressweb.runner.commands.view import view  # noqa: PLC0415 - keeps help fast

    return view(folder or runs_dir, port, open_it=open_it, as_json=as_json)


@click.command("docs")
@option("--port", type=click.IntRange(0, 65535), default=8100, help="Port on 127.0.0.1; 0 means any free port.")
@opening
@as_json
@debugging
def docs_command(port: int, open_it: bool, as_json: bool) -> int:
    """Open the documentation in your browser."""
    from stressweb.runner.commands.docs import docs  # noqa: PLC0415 - keeps help fast

    return docs(port, open_it=open_it, as_json=as_json)


@click.command("doctor")
@as_json
@loading
@debugging
def doctor_command(as_json: bool) -> int:
    """Check whether this machine meets stressweb's requirements."""
    from stressweb.runner.commands.doctor import report  # noqa: PLC0415 - keeps help fast

    return report(as_json=as_json, say=say)


@click.command("host")
@option("--port", type=click.IntRange(0, 65535), default=8700, help="Port; 0 means any free port.")
@option(
    "--listen",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="IPv4 address of this machine to listen on, such as that of a container's bridge.",
)
@option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder of the server's run; an existing run is continued (default: a new one in --runs-dir).",
)
@option(
    "--idle",
    type=Positive(),
    default=300,
    help="Seconds without a request of its client after which an episode expires.",
)
@option(
    "--in-flight",
    type=click.IntRange(min=1),
    default=None,
    help="Maximum number of open episodes (default: what the memory allows, at most 32).",
)
@max_steps.decorator
@option("--agent-seconds", type=Positive(), default=None, help="Time limit per episode, in seconds (default: 600).")
@option("--agent-version", default="", help="Version of the agent, such as a harness and its commit.")
@run_options
@click.pass_context
def host_command(context: click.Context, /, **options: Any) -> int:
    """Serve episodes over HTTP to any agent, and grade them."""
    from stressweb.runner.commands.host import host  # noqa: PLC0415 - keeps help fast

    return host(options, explicit_names(context))


@click.command("mcp")
@click.argument("folder", type=click.Path(path_type=Path), default=None, required=False)
@runs_dir
@debugging
def mcp_command(folder: Path | None, runs_dir: Path) -> int:
    """Offer the episodes of `stressweb host` to an MCP client, over standard input and output.

    FOLDER is the folder of the server's run (default: the server that was started last).
    """
    from stressweb.runner.commands.mcp import mcp  # noqa: PLC0415 - keeps help fast

    return mcp(folder, runs_dir)


COMMANDS = (
    run_command,
    list_command,
    serve_command,
    host_command,
    mcp_command,
    grade_command,
    report_command,
    view_command,
    docs_command,
    doctor_command,
)
