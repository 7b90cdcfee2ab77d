"""How long `stressweb host` takes to open an episode, its browser included."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from scripts.bench.figure import Figure
from stressweb.core.errors import InfrastructureError

_MOST_S = 1.5
_COMMAND = ("-P", "-m", "runner", "host", "--port", "0", "--json")
_TASKS = ("shop/first-hit", "shop/profile", "shop/two-of-a-named-product")


def measure_host(rounds: int) -> Figure:
    """Measure from the request that opens an episode to the answer with its addresses: the median and the first."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, *_COMMAND, "--out", str(Path(folder) / "run")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise InfrastructureError("host ended before it printed its address")
            server = json.loads(line)
            # The first episode of a server draws the site and loads what all of them share.
            first = _opened(server, _TASKS[0])
            seconds = [_opened(server, task) for _ in range(rounds) for task in _TASKS]
        finally:
            process.terminate()
            process.communicate()
    detail = f"median of {len(seconds)}, the first {first:.2f} s"
    return Figure("opening an episode of host, its browser included", statistics.median(seconds), "s", _MOST_S, detail)


def _opened(server: dict[str, Any], task: str) -> float:
    """Return the seconds until an episode is open; it is finished afterwards."""
    begun = time.perf_counter()
    episode = _asked(server, "/episodes", {"task": task, "condition": "remap@3"})
    seconds = time.perf_counter() - begun
    ended = _asked(server, f"/episodes/{episode['id']}/finish", {"claim": "failed"})
    if ended["status"] != "gave_up":
        raise InfrastructureError(f"an episode of host ended as {ended['status']}: {ended['message']}")
    return seconds


def _asked(server: dict[str, Any], path: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {server['token']}", "Content-Type": "application/json"}
    request = urllib.request.Request(server["url"] + path, json.dumps(body).encode(), headers)  # noqa: S310 - loopback
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - likewise
        answer: dict[str, Any] = json.load(response)
        return answer
