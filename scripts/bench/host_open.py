"""The time in which `stressweb host` opens an episode, including its browser."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.bench.figure import Figure
from stressweb.core.errors import InfrastructureError
from stressweb.runner.host.client import HostClient

_MOST_S = 1.5
_COMMAND = ("-P", "-m", "stressweb", "host", "--port", "0", "--json")
_TASKS = ("shop/first-hit", "shop/profile", "shop/two-of-a-named-product")


def measure_host(rounds: int, command: Sequence[str] = _COMMAND) -> Figure:
    """Measure the time from the request for an episode to the response: the median and the first."""
    with tempfile.TemporaryDirectory() as folder:
        whole = [sys.executable, *command, "--out", str(Path(folder) / "run")]
        process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise InfrastructureError("host ended before it printed its address")
            address = json.loads(line)
            server = HostClient(address["url"], address["token"])
            # The first episode of a server also draws the site and loads shared modules.
            first = _opened(server, _TASKS[0])
            seconds = [_opened(server, task) for _ in range(rounds) for task in _TASKS]
        finally:
            process.terminate()
            process.communicate()
    detail = f"median of {len(seconds)}, the first {first:.2f} s"
    return Figure("opening an episode of host, with its browser", statistics.median(seconds), "s", _MOST_S, detail)


def _opened(server: HostClient, task: str) -> float:
    """Return the seconds until an episode is open, and finish it."""
    start = time.perf_counter()
    episode = server.post("/episodes", {"task": task, "condition": "remap@3"})
    seconds = time.perf_counter() - start
    ended = server.post(f"/episodes/{episode['id']}/finish", {"claim": "failed"})
    if ended["status"] != "gave_up":
        raise InfrastructureError(f"an episode of host ended as {ended['status']}: {ended['message']}")
    return seconds
