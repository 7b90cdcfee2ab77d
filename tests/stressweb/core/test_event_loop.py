"""A coroutine that a signal ends cleans up before the handler of the process acts.

In processes of their own: a test that uses Playwright's synchronous API leaves a running event loop in this one.
"""

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, os, signal
from stressweb.core.event_loop import run

class Terminated(BaseException):
    pass

def terminate(number, frame):
    raise Terminated

signal.signal(signal.SIGTERM, terminate)
"""
INTERRUPTED = """
async def worked():
    # The signal comes while other tasks run, in which the handler's exception would be lost.
    asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGTERM)
    try:
        await asyncio.gather(asyncio.sleep(20), asyncio.sleep(20))
    finally:
        await asyncio.sleep(0.01)
        print("cleaned up")

try:
    run(worked())
except Terminated:
    print("terminated", signal.getsignal(signal.SIGTERM) is terminate)
"""
UNDISTURBED = """
async def answered():
    return 42

async def cancelled():
    raise asyncio.CancelledError

print(run(answered()))
try:
    run(cancelled())
except asyncio.CancelledError:
    print("cancelled", signal.getsignal(signal.SIGTERM) is terminate)
"""


def output(program: str) -> list[str]:
    """Run a program and return the lines that it prints."""
    command = [sys.executable, "-P", "-c", PROGRAM + program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.starts
def test_what_a_coroutine_started_ends_before_the_handler_acts() -> None:
    assert output(INTERRUPTED) == ["cleaned up", "terminated True"]


@pytest.mark.starts
def test_without_a_signal_the_result_is_returned_and_errors_pass() -> None:
    assert output(UNDISTURBED) == ["42", "cancelled True"]
