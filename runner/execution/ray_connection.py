"""Connects this process to a running Ray cluster; the first module that imports Ray."""

import contextlib
import importlib.util
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

from stressweb.core.errors import UserError, first_line

ANSWER_S = 5.0
"""Seconds to wait for an answer at the cluster's address."""
JOIN_S = 60.0
"""Seconds that Ray may take to join the cluster; it gives up after about twenty if no cluster answers."""
# Run this in a separate process: Ray prints many lines if no cluster answers, and may end the whole process if
# something else answers.
_JOIN = "import sys, ray; ray.init(address=sys.argv[1], log_to_driver=False, configure_logging=False)"
_IMPATIENT = {"RAY_NUM_REDIS_GET_RETRIES": "1", "RAY_py_gcs_connect_timeout_s": "10"}
_ADDRESS = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>[0-9]{1,5})")
_CURE = "start one with `ray start --head`, and give the HOST:PORT that it prints"


def host_and_port(address: str) -> tuple[str, int]:
    """Split HOST:PORT; raise UserError if it is malformed."""
    match = _ADDRESS.fullmatch(address)
    if not match or not 0 < int(match["port"]) < 65536:
        problem = "is not HOST:PORT, such as 10.0.0.5:6379, which `ray start --head` prints"
        if address.startswith("ray://"):
            problem = "is for Ray clients; run stressweb on a machine of the cluster, and give HOST:PORT without ray://"
        raise UserError(f"address {address[:80]!r} {problem}")
    return match["host"].strip("[]"), int(match["port"])


def installed() -> bool:
    """Return whether Ray is installed, without importing it, which takes seconds."""
    return importlib.util.find_spec("ray") is not None


@contextlib.contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect this process to the cluster at HOST:PORT while the context is open.

    Raises UserError if Ray is not installed, if nothing answers within `ANSWER_S`, or if this process cannot join a
    cluster within `JOIN_S`.
    """
    endpoint = host_and_port(address)
    if not installed():
        raise UserError("backend ray needs Ray; install it with: pip install 'stressweb[ray]'")
    try:
        # Check this first, because Ray itself tries for minutes and prints many lines.
        socket.create_connection(endpoint, ANSWER_S).close()
    except OSError as error:
        why = "no answer" if isinstance(error, TimeoutError) else error.strerror or error
        raise UserError(f"no Ray cluster answers at {address} ({why}); {_CURE}") from None
    # Ray reads these when it is imported. The first turns off usage reports. The second prevents a call after the end
    # of the connection from starting a local cluster.
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_AUTO_CONNECT": "0"}
    _try_to_join(address)
    import ray  # noqa: PLC0415 - an extra, and slow

    if ray.is_initialized():
        raise UserError("this process is connected to a Ray cluster already; call ray.shutdown() before the run")
    with _own_signals():
        try:
            ray.init(address=address, log_to_driver=False, configure_logging=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise UserError(f"the Ray cluster at {address} cannot be joined: {first_line(error)}") from None
    # Ray prints on standard output when a node goes down, which would corrupt a table or JSON there. Ray has no public
    # option against that. If a later version drops this switch, the audit's test fails.
    logs_enabled, ray._private.worker._worker_logs_enabled = ray._private.worker._worker_logs_enabled, False
    try:
        yield
    finally:
        ray.shutdown()
        ray._private.worker._worker_logs_enabled = logs_enabled


def _try_to_join(address: str) -> None:
    """Raise UserError if a test process on this machine cannot join a cluster at the address."""
    command = [sys.executable, "-P", "-c", _JOIN, address]
    why = f"it takes longer than {JOIN_S:g} seconds"
    with contextlib.suppress(subprocess.TimeoutExpired):
        attempt = subprocess.run(
            command, env=os.environ | _IMPATIENT, capture_output=True, text=True, timeout=JOIN_S, check=False
        )
        if attempt.returncode == 0:
            return
        # The last line of a traceback has the reason.
        why = (attempt.stderr.strip().splitlines() or [f"exit status {attempt.returncode}"])[-1]
    raise UserError(f"what answers at {address} is no Ray cluster that this machine can join ({why}); {_CURE}")


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Restore this process's SIGTERM handler, which Ray replaces with one that exits without cleaning up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
