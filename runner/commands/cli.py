"""The command line: `stressweb run`, `list`, `serve`, `grade`, `report`, `curves`, `view`, `doctor`.

Exit statuses: 0 done, 1 completed with problems, 2 invalid input, 3 internal error, 130 interrupted, 143 terminated.
Nothing heavy is imported before a command needs it, so that help and lists answer at once.
"""

import functools
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import click

from runner.commands.debugging import DEBUG, debug
from runner.commands.output import say
from runner.commands.seed import Seed
from stressweb.core.errors import DiskFullError, InfrastructureError, UserError
from stressweb.core.suite import SUITE
from stressweb.core.tracebacks import trace_of

DONE, FINDING, MISTAKE, FAILURE, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143

type Command = Callable[..., Any]


def option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """Return a click option that `STRESSWEB_<NAME>` sets too; the flag overrides it, an empty variable counts as unset.

    An option of several names has a variable for each.
    """
    long = [name for name in names if name.startswith("--")]
    variables = tuple(f"STRESSWEB_{name.strip('-').replace('-', '_').upper()}" for name in long)
    # Every switch is off by default, and the help text of an option without a default explains what happens then.
    default = settings.get("default") is not None and not settings.get("is_flag")
    return click.option(
        *names, envvar=variables if len(long) > 1 else variables[0], show_envvar=True, show_default=default, **settings
    )


def _remember(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        DEBUG.set(True)


debugging = option(
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember,
    help="Print the traceback of every error and crash.",
)


def _load(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> None:
    if value:
        from runner.registry import load  # noqa: PLC0415 - agents and modes bring their own imports

        load(value)


loading = option(
    "--load",
    multiple=True,
    expose_value=False,
    callback=_load,
    help="Add agents, modes or a site of yours: a Python file, the folder of a site, or module:Class. Repeatable.",
)
as_json = option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
runs_dir = option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), help="Folder of the runs.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="stressweb", message=f"%(prog)s, version %(version)s, {SUITE}")
@debugging
def cli() -> None:
    """Measure how much of a web agent's success rate survives when the page changes unexpectedly."""


@cli.command("run")
@option("--mode", default="remap", help="Conditions, separated by commas: remap, failure@4, failure+noise, all, all@5.")
@option("--task", default=None, help="Tasks or patterns, separated by commas: shop/* (default: all).")
@option("--exclude", default=None, help="Tasks or patterns to leave out, separated by commas: calendar/*.")
@option(
    "--agent",
    default="naive,resilient",
    help="Agents, separated by commas, each with options in parentheses: resilient(-gesture), or module:Class.",
)
@option("--model", default=None, help="Language model that the agent `model` uses.")
@option(
    "--base-url",
    default=None,
    help="URL of the model's endpoint, instead of OPENAI_BASE_URL; the key is read from OPENAI_API_KEY.",
)
@option("--seed", type=Seed(), default=0, help="World seed: determines the site's data, wording and look.")
@option(
    "--stress-seeds",
    "--stress-seed",
    default="0",
    help="Stress seeds, which determine what is disturbed: 3, a list 0,1,2 or a range 0..4.",
)
@option(
    "--epochs",
    type=click.IntRange(min=1),
    default=1,
    help="Repetitions of each episode: the same disturbances, another sampling seed for the agent.",
)
@option("--workers", type=click.IntRange(min=1), default=None, help="Worker processes (default: one per core).")
@option(
    "--limit",
    type=click.IntRange(min=1),
    default=None,
    help="Run only N tasks, taken from each site in turn, with all agents and conditions.",
)
@option("--max-steps", type=click.IntRange(min=1), default=100, help="Maximum number of actions per episode.")
@option(
    "--agent-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    help="Time limit per episode, in seconds (default: none; each decision has 600, or what its agent sets).",
)
@option("--run", "name", default=None, help="Name of the run (default: date and mode).")
@option("--resume", is_flag=True, help="Resume the run given by --run: execute only the missing or failed episodes.")
@option("--screenshots", is_flag=True, help="Record a screenshot of every step.")
@option("--headed", is_flag=True, help="Show the browser window.")
@option("--dry-run", is_flag=True, help="Print the plan, and the smallest loss it can detect, without running it.")
@option("--explain", is_flag=True, help="Explain the table's columns below it.")
@runs_dir
@as_json
@loading
@debugging
@click.pass_context
def run_command(context: click.Context, /, **options: Any) -> int:
    """Run agents on tasks, clean and under stress; print a table."""
    from runner.commands.run import run_with  # noqa: PLC0415

    given = {name for name in options if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT}
    return run_with(options, given)


@cli.command("list")
@click.argument("what", type=click.Choice(["sites", "tasks", "modes", "agents"]))
@as_json
@loading
@debugging
def list_command(what: str, as_json: bool) -> int:
    """List the available sites, tasks, modes or agents."""
    from runner.commands.list import show  # noqa: PLC0415

    show(what, as_json=as_json)
    return DONE


@cli.command("serve")
@click.argument("site", default=None, required=False)
@option("--mode", default="clean", help="One condition, such as remap@3 or failure+noise.")
@option(
    "--task", default=None, help="Disturb the same elements as in a run of this task (default: the site's first task)."
)
@option("--seed", type=Seed(), default=0, help="World seed.")
@option("--stress-seed", type=Seed(), default=0, help="Stress seed.")
@option("--port", type=click.IntRange(0, 65535), default=8080, help="Port on 127.0.0.1; 0 chooses a free one.")
@as_json
@loading
@debugging
def serve_command(
    site: str | None, mode: str, task: str | None, seed: int, stress_seed: int, port: int, as_json: bool
) -> int:
    """Serve a site under a condition for your own browser."""
    from runner.commands.serve import serve  # noqa: PLC0415

    return serve(site, mode, task, seed, stress_seed, port, as_json=as_json)


@cli.command("grade")
@click.argument("run")
@option("--explain", is_flag=True, help="Explain the table's columns below it.")
@runs_dir
@as_json
@loading
@debugging
def grade_command(run: str, explain: bool, runs_dir: Path, as_json: bool) -> int:
    """Grade a recorded run again, offline, and print its table."""
    from runner.commands.grade import grade_again  # noqa: PLC0415

    return grade_again(run, runs_dir, as_json=as_json, explain=explain)


@cli.command("report")
@click.argument("run")
@option(
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="File to write (default: report.html in the run's folder).",
)
@option("--single-file", is_flag=True, help="Write one file, however large the run: what finds no room is left out.")
@runs_dir
@as_json
@loading
@debugging
def report_command(run: str, output: Path | None, single_file: bool, runs_dir: Path, as_json: bool) -> int:
    """Write a report of a run as HTML: one self-contained file, unless the run is large."""
    from runner.commands.report import write_report  # noqa: PLC0415

    return write_report(run, runs_dir, output, single_file=single_file, as_json=as_json)


@cli.command("view")
@click.argument("folder", type=click.Path(path_type=Path), default=None, required=False)
@option("--port", type=click.IntRange(0, 65535), default=8090, help="Port on 127.0.0.1; 0 chooses a free one.")
@runs_dir
@as_json
@loading
@debugging
def view_command(folder: Path | None, port: int, runs_dir: Path, as_json: bool) -> int:
    """Show all runs of a folder in your browser: list, compare, watch."""
    from runner.commands.view import view  # noqa: PLC0415

    return view(folder or runs_dir, port, as_json=as_json)


@cli.command("curves")
@click.argument("run")
@option(
    "--price",
    multiple=True,
    help="US dollars per million tokens read and written: 2.5,10, or AGENT=2.5,10 for one agent. Repeatable.",
)
@option("--explain", is_flag=True, help="Explain the columns below each table.")
@runs_dir
@as_json
@loading
@debugging
def curves_command(run: str, price: tuple[str, ...], explain: bool, runs_dir: Path, as_json: bool) -> int:
    """Print curves of a run: success against severity and steps, pairs of modes, costs, tasks, repeats."""
    from runner.commands.curves import show_curves  # noqa: PLC0415

    return show_curves(run, runs_dir, price, as_json=as_json, explain=explain)


@cli.command("doctor")
@as_json
@loading
@debugging
def doctor_command(as_json: bool) -> int:
    """Check whether this machine has what stressweb needs."""
    from runner.commands.doctor import report  # noqa: PLC0415

    return report(as_json=as_json, say=say)


def guarded(command: Callable[[], Any]) -> int:
    """Run a command; print one line for what went wrong and return its exit status.

    With --debug the traceback of an internal error stands before that line.
    """
    DEBUG.set(False)
    try:
        status = command()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        return _complain(error.format_message(), MISTAKE)
    except (UserError, DiskFullError) as error:
        return _complain(str(error), MISTAKE if isinstance(error, UserError) else FAILURE)
    except InfrastructureError as error:
        return _fail(error, str(error))
    except (Terminated, KeyboardInterrupt, click.Abort) as error:
        how, exit_status = ("terminated", TERMINATED) if isinstance(error, Terminated) else ("interrupted", INTERRUPTED)
        return _complain(f"{how}; finished episodes are kept", exit_status)
    except BrokenPipeError:
        # Otherwise the interpreter flushes the closed pipe at exit and prints a second error.
        sys.stdout = None
        return DONE
    except Exception as error:
        return _fail(error, f"internal error: {type(error).__name__}: {error}")
    return status if isinstance(status, int) else DONE


def _complain(message: str, status: int) -> int:
    say(f"stressweb: {' '.join(message.split())}", err=True)
    return status


def _fail(error: Exception, message: str) -> int:
    if not debug():
        return _complain(f"{message} (--debug shows the traceback)", FAILURE)
    say(trace_of(error), err=True)
    return _complain(message, FAILURE)


class Terminated(BaseException):
    """Raised in this process by SIGTERM."""


def _terminate(number: int, frame: FrameType | None) -> None:
    # A second SIGTERM must not interrupt the cleanup that the first one started.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def main() -> None:
    """Run the command line and exit with its status."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(guarded(functools.partial(cli.main, standalone_mode=False, prog_name="stressweb")))


if __name__ == "__main__":
    main()
