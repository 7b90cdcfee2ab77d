"""`stressweb view` as a command: its address, output, errors and end."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runner.commands.command_line import Result
from tests.support.saved_runs import saved


@pytest.fixture
def started(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The command in a separate process, on a free port, for a folder with one run."""
    saved(tmp_path / "runs" / "first")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
    command = [sys.executable, "-P", "-m", "stressweb", "view", str(tmp_path / "runs"), "--port", "0", "--json"]
    # A shell starts background processes with SIGINT ignored, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    yield process
    process.kill()
    process.communicate()


def answer(port: int, host: str, path: str = "/") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Host": host})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def test_it_serves_until_interrupted(started: subprocess.Popen[str], tmp_path: Path) -> None:
    assert started.stdout
    output = json.loads(started.stdout.readline())
    assert output["folder"] == str(tmp_path / "runs")
    port = int(output["url"].rpartition(":")[2].rstrip("/"))
    status, text = answer(port, f"127.0.0.1:{port}")
    assert (status, "first" in text) == (200, True)
    assert answer(port, "evil.test")[0] == 421
    # It does not listen on other addresses of this machine.
    with pytest.raises(OSError, match=r"refused|unreachable|Cannot assign"):
        socket.create_connection(("127.0.0.2", port), timeout=5).close()
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=60)
    assert (started.returncode, "Traceback" in err) == (0, False)


def test_mistakes_get_one_line(call: Callable[..., Result], tmp_path: Path) -> None:
    status, out, err = call("view", "nowhere", "--port", "0")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "nowhere is not a folder; pass the folder of your runs" in err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, out, err = call("view", str(tmp_path), "--port", str(taken.getsockname()[1]))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "choose another, or 0 for a free one" in err
