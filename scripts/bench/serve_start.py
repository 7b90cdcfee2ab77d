"""The time from the command `stressweb serve` to the first response."""

import http.client
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from urllib.parse import urlsplit

from scripts.bench.figure import Figure
from stressweb.core.errors import InfrastructureError

_MOST_S = 3.0
_COMMAND = ("-P", "-m", "stressweb", "serve", "shop", "--mode", "failure@3", "--overlay", "--port", "0", "--json")


def measure_serve(rounds: int, command: Sequence[str] = _COMMAND) -> Figure:
    """Measure the start of `serve` with its overlay, each time in a new process."""
    # Skip the first start, which may compile Python files.
    _start(command)
    seconds = statistics.median(_start(command) for _ in range(rounds))
    return Figure("start of serve, to a page that answers", seconds, "s", _MOST_S, f"median of {rounds}")


def _start(command: Sequence[str]) -> float:
    """Return the seconds until overlay and site respond; raises InfrastructureError if one does not."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise InfrastructureError("serve ended before it printed its address")
        url = urlsplit(json.loads(line)["url"])
        for path in (url.path, "/"):
            _answered(url.netloc, url.port or 0, path)
        return time.perf_counter() - start
    finally:
        process.terminate()
        process.communicate()


def _answered(host: str, port: int, path: str) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path, headers={"Host": host, "Sec-Fetch-Dest": "document"})
        response = connection.getresponse()
        if response.status != http.HTTPStatus.OK or not response.read():
            raise InfrastructureError(f"serve answers {path} with status {response.status}")
