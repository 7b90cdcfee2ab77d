"""Starts a worker by forking this process, so that the worker inherits the modules and worlds that it has loaded."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import wait
from typing import BinaryIO

from stressweb.runner import registry


def can_fork() -> bool:
    """Return whether this process can fork safely.

    With other threads, a lock could stay locked in the fork. A plug-in could have open connections or a GPU.
    """
    return sys.platform == "linux" and threading.active_count() == 1 and registry.only_shipped()


class ForkedProcess:
    """A fork of this process, with those methods of `subprocess.Popen` that its parent needs."""

    def __init__(self, work: Callable[[], int], log: BinaryIO, environment: Mapping[str, str]) -> None:
        """Call `work` in a fork of this process and exit with the status that it returns.

        Standard input and output of the fork are pipes to this process; its standard error is `log`.
        """
        child_input, our_output = os.pipe()
        our_input, child_output = os.pipe()
        files = child_input, child_output, log.fileno()
        arguments = work, files, environment
        # A daemon, because this process would otherwise wait for its forks when it exits.
        self._child = multiprocessing.get_context("fork").Process(target=_work, args=arguments, daemon=True)
        # Without this, the fork's garbage collector would write to, and so copy, all memory that it shares with us.
        gc.freeze()
        self._child.start()
        gc.unfreeze()
        os.close(child_input)
        os.close(child_output)
        self.stdin = os.fdopen(our_output, "w", encoding="utf-8")
        self.stdout = os.fdopen(our_input, encoding="utf-8")
        self._joining = threading.Lock()

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._child.pid is not None
        return self._child.pid

    @property
    def returncode(self) -> int | None:
        """Exit status, negative for a signal; None while the process runs or before `wait`."""
        return self._child.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit status; raise TimeoutExpired after `timeout` seconds."""
        if not wait([self._child.sentinel], timeout):
            raise subprocess.TimeoutExpired("worker", timeout or 0.0)
        # The system reports the exit status once, to one thread.
        with self._joining:
            self._child.join()
        assert self._child.exitcode is not None
        return self._child.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        with self._joining:
            if self._child.exitcode is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process."""
        self.send_signal(signal.SIGKILL)


def _work(work: Callable[[], int], files: tuple[int, int, int], environment: Mapping[str, str]) -> None:
    # Only the parent must get Ctrl-C; it then ends its workers.
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    for target, source in enumerate(files):
        os.dup2(source, target)
        os.close(source)
    os.environ.clear()
    os.environ.update(environment)
    sys.exit(work())
