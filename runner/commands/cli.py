"""The command line: `stressweb run`, `list`, `serve`, `grade`, `report`, `doctor`.

Exit statuses: 0 done, 1 a finding, 2 the user's mistake, 3 our own failure, 130 interrupted, 143 terminated. Nothing
heavy is imported before a command needs it, so that help and lists answer at once.
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
    """Return a click option that `STRESSWEB_<NAME>` sets too; a flag goes first, an empty variable counts as unset.

    An option of several names has a variable for each.
    """
    long = [name for name in names if name.startswith("--")]
    variables = tuple(f"STRESSWEB_{name.strip('-').replace('-', '_').upper()}" for name in long)
    # A switch says by itself that it is off, and None is told of in the help.
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
runs_dir = option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), help="Where runs are kept.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="stressweb", message=f"%(prog)s, version %(version)s, {SUITE}")
@debugging
def cli() -> None:
    """How much of a web agent's success survives when the page stops being what it expects."""


@cli.command("run")
@option("--mode", default="remap", help="Conditions: remap, failure@4, failure+noise, remap,failure, all, all@5.")
@option("--task", default=None, help="Tasks or patterns, separated by commas: shop/*; all of them if not given.")
@option("--exclude", default=None, help="Tasks or patterns to leave out, separated by commas: calendar/*.")
@option("--agent", default="naive,resilient", help="Agents, separated by commas: resilient(-gesture).")
@option("--model", default=None, help="Name of the language model that the agent model asks.")
@option("--base-url", default=None, help="Where it is asked, instead of OPENAI_BASE_URL; its key is OPENAI_API_KEY.")
@option("--seed", type=Seed(), default=0, help="World seed: data, wording and look of the site.")
@option(
    "--stress-seeds",
    "--stress-seed",
    default="0",
    help="Stress seeds, each another draw of what is disturbed: 3, a list 0,1,2 or a span 0..4.",
)
@option(
    "--epochs",
    type=click.IntRange(min=1),
    default=1,
    help="Repetitions with the same draws and another sampling seed for the agent.",
)
@option("--workers", type=click.IntRange(min=1), default=None, help="Processes; one per core if not given.")
@option(
    "--limit",
    type=click.IntRange(min=1),
    default=None,
    help="Number of tasks, taken from each site in turn; agents and conditions stay.",
)
@option("--max-steps", type=click.IntRange(min=1), default=100, help="Actions that an agent has.")
@option(
    "--agent-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    help="Time limit per episode, in seconds; without one, each decision has 600 seconds, or what its agent sets.",
)
@option("--run", "name", default=None, help="Name of the run; made from date and mode if not given.")
@option("--resume", is_flag=True, help="Run what the run of that name still lacks.")
@option("--screenshots", is_flag=True, help="Record a picture of every step.")
@option("--headed", is_flag=True, help="Show the browser.")
@option("--dry-run", is_flag=True, help="Print the plan, and what it can detect, without running it.")
@option("--explain", is_flag=True, help="Explain the columns below the table.")
@runs_dir
@as_json
@loading
@debugging
@click.pass_context
def run_command(context: click.Context, /, **options: Any) -> int:
    """Run agents on tasks, undisturbed and under stress, and end with a table."""
    from runner.commands.run import run_with  # noqa: PLC0415

    given = {name for name in options if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT}
    return run_with(options, given)


@cli.command("list")
@click.argument("what", type=click.Choice(["sites", "tasks", "modes", "agents"]))
@as_json
@loading
@debugging
def list_command(what: str, as_json: bool) -> int:
    """List what there is: sites, tasks, modes or agents."""
    from runner.commands.list import show  # noqa: PLC0415

    show(what, as_json=as_json)
    return DONE


@cli.command("serve")
@click.argument("site", default=None, required=False)
@option("--mode", default="clean", help="One condition: remap@3, failure+noise.")
@option("--task", default=None, help="Task whose draws are used, as in a run of it; the site's first if not given.")
@option("--seed", type=Seed(), default=0, help="World seed.")
@option("--stress-seed", type=Seed(), default=0, help="Stress seed.")
@option("--port", type=click.IntRange(0, 65535), default=8080, help="Port on 127.0.0.1; 0 for a free one.")
@as_json
@loading
@debugging
def serve_command(
    site: str | None, mode: str, task: str | None, seed: int, stress_seed: int, port: int, as_json: bool
) -> int:
    """Serve a site under a condition, to look at in a browser of one's own."""
    from runner.commands.serve import serve  # noqa: PLC0415

    return serve(site, mode, task, seed, stress_seed, port, as_json=as_json)


@cli.command("grade")
@click.argument("run")
@option("--explain", is_flag=True, help="Explain the columns below the table.")
@runs_dir
@as_json
@loading
@debugging
def grade_command(run: str, explain: bool, runs_dir: Path, as_json: bool) -> int:
    """Grade a recorded run again, offline, and show its table."""
    from runner.commands.grade import grade_again  # noqa: PLC0415

    return grade_again(run, runs_dir, as_json=as_json, explain=explain)


@cli.command("report")
@click.argument("run")
@option(
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="Where to; report.html in the run's folder if not given.",
)
@runs_dir
@as_json
@loading
@debugging
def report_command(run: str, output: Path | None, runs_dir: Path, as_json: bool) -> int:
    """Write what happened in a run into one HTML file that needs nothing else."""
    from runner.commands.report import write_report  # noqa: PLC0415

    return write_report(run, runs_dir, output, as_json=as_json)


@cli.command("doctor")
@as_json
@loading
@debugging
def doctor_command(as_json: bool) -> int:
    """Say what this machine has of what stressweb needs."""
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
        return _complain(f"{how}; what is finished is kept", exit_status)
    except BrokenPipeError:
        # Or the interpreter complains once more when it flushes.
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
    """Somebody asked this process to end, by SIGTERM."""


def _terminate(number: int, frame: FrameType | None) -> None:
    # Once is enough: what is being put away must not be interrupted again.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def main() -> None:
    """Run the command line and exit with its status."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(guarded(functools.partial(cli.main, standalone_mode=False, prog_name="stressweb")))


if __name__ == "__main__":
    main()
