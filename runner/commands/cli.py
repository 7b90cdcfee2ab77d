"""The command line: the group of all commands, and the reporting of errors.

Exit statuses: 0 done, 1 completed with problems, 2 invalid input, 3 internal error or runs not comparable,
4 no verdict: the runs are too small to decide, 130 interrupted, 143 terminated.
Slow modules are imported only by the commands that need them, so that help and lists are fast.
"""

import functools
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import click

from stressweb.core.collector import collect_rarely
from stressweb.core.errors import DiskFullError, InfrastructureError, UserError
from stressweb.core.standard_input import empty_standard_input
from stressweb.core.suite import SUITE
from stressweb.core.tracebacks import trace_of
from stressweb.runner.commands import (
    basic_commands,
    cause_commands,
    experiment_commands,
    nightly_commands,
    sharing_commands,
    site_commands,
)
from stressweb.runner.commands.debugging import DEBUG, debug
from stressweb.runner.commands.groups import CommandGroups
from stressweb.runner.commands.options import debugging
from stressweb.runner.commands.output import ignore_closed_readers, say

DONE, FINDING, MISTAKE, FAILURE, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143


@click.group(cls=CommandGroups, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="stressweb", message=f"%(prog)s, version %(version)s, {SUITE}")
@debugging
def cli() -> None:
    """Measure how much of a web agent's success rate survives when the page changes unexpectedly."""


cli.add({
    "At your desk": basic_commands.COMMANDS,
    "As an experiment": experiment_commands.COMMANDS,
    "Sites and proofs": site_commands.COMMANDS,
    "Publish results": sharing_commands.COMMANDS,
    "Every night": nightly_commands.COMMANDS,
    "Causes of failures": cause_commands.COMMANDS,
})  # fmt: skip


def guarded(command: Callable[[], Any]) -> int:
    """Run a command and return the exit status; print an error as one line.

    With --debug, print the traceback of an internal error before that line.
    """
    DEBUG.set(False)
    try:
        status = command()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.exceptions.NoArgsIsHelpError as help_text:
        # The message is the whole help, so print it as it is. The status is click's.
        say(help_text.format_message(), err=True)
        return MISTAKE
    except click.ClickException as error:
        return _complain(error.format_message(), MISTAKE)
    except (UserError, DiskFullError) as error:
        return _complain(str(error), MISTAKE if isinstance(error, UserError) else FAILURE)
    except InfrastructureError as error:
        return _fail(error, str(error))
    except (Terminated, KeyboardInterrupt, click.Abort) as error:
        how, exit_status = ("terminated", TERMINATED) if isinstance(error, Terminated) else ("interrupted", INTERRUPTED)
        return _complain(f"{how}; finished episodes are kept", exit_status)
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
    """Raised by SIGTERM."""


def _terminate(number: int, frame: FrameType | None) -> None:
    # A second SIGTERM must not interrupt the cleanup.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def main() -> None:
    """Run the command line and exit with its status."""
    signal.signal(signal.SIGTERM, _terminate)
    collect_rarely()
    ignore_closed_readers()
    # Only `mcp` reads standard input. Agents in this process must not.
    if next((word for word in sys.argv[1:] if not word.startswith("-")), "") != "mcp":
        empty_standard_input()
    sys.exit(guarded(functools.partial(cli.main, standalone_mode=False, prog_name="stressweb")))


if __name__ == "__main__":
    main()
