"""Runs on a Ray cluster: errors without one, and a real one of three nodes, one of which is killed."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store
from stressweb.runner.execution import ray_connection
from stressweb.runner.execution.ray_connection import connected
from tests.support.extra_packages import python_with

ROOT = Path(__file__).parents[3]
AGENTS = ("naive", "resilient")
TASKS = ("shop/checkout", "shop/profile", "calendar/week-view", "calendar/add-an-event")
CONDITIONS = ("remap", "failure")


@pytest.fixture
def port() -> int:
    """Return a port of this machine at which no server listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        number: int = taken.getsockname()[1]
        return number


def test_without_ray_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"install it with: pip install 'stressweb\[ray\]'"), connected("10.0.0.5:6379"):
        pass


@pytest.fixture
def ray_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Install a package in place of Ray, which is not imported before a server answers."""
    packages = tmp_path_factory.mktemp("packages")
    (packages / "ray.py").write_text("raise AssertionError('Ray is imported')")
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.syspath_prepend(str(packages))


@pytest.mark.usefixtures("ray_is_there")
def test_an_address_without_a_server_is_one_line_and_leaves_nothing(port: int, tmp_path: Path) -> None:
    message = (
        rf"^no Ray cluster answers at 127.0.0.1:{port} \(Connection refused\); start one with `ray start --head`.*$"
    )
    with pytest.raises(UserError, match=message):
        sw.run(sw.Experiment(limit=1), backend="ray", address=f"127.0.0.1:{port}", runs_dir=tmp_path / "runs")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("ray_is_there")
def test_the_wait_for_an_answer_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = list[float]()

    def never(place: tuple[str, int], patience: float) -> socket.socket:
        waited.append(patience)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", never)
    with pytest.raises(UserError, match=r"answers at 10.0.0.5:6379 \(no answer\)"), connected("10.0.0.5:6379"):
        pass
    assert waited == [ray_connection.ANSWER_S]


def test_the_command_line_prints_the_error_with_status_2(tmp_path: Path) -> None:
    command: list[str | Path] = [
        sys.executable,
        "-P",
        "-m",
        "stressweb",
        "sweep",
        ROOT / "experiments" / "smoke.yaml",
        "--backend",
        "rai",
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "stressweb: unknown backend 'rai'; did you mean ray? There are local, ray\n"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return python_with("ray>=2.49,<3", "ray", tmp_path_factory.mktemp("environment"))


def rows(run: sw.Run) -> Counter[str]:
    """Return the entries of a run's ledger as texts, with their counts."""
    return Counter(json.dumps(line, sort_keys=True, default=str) for line in run.ledger())


@pytest.mark.audit
@pytest.mark.timeout(1800)
def test_a_run_on_three_nodes_of_which_one_is_killed_is_the_run_of_one_machine(python: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [
        python,
        "-P",
        Path(__file__).with_name("on_ray.py"),
        tmp_path,
        *map(" ".join, (AGENTS, TASKS, CONDITIONS)),
    ]
    # A short path, because a socket's path has at most 107 characters; a killed node cannot clean up.
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as scratch:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": scratch, "RAY_TMPDIR": scratch}
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False)
    assert done.returncode == 0, done.stderr
    # Standard output has only the JSON: Ray's messages about the lost node go elsewhere.
    seen = json.loads(done.stdout)

    # The killed node was running an episode, which had to start again elsewhere.
    assert any("stressweb.runner.execution.worker" in line for line in seen["had"]), seen["had"]
    assert any("--type=renderer" in line for line in seen["had"])
    assert "ray::NodeWorker.run" in seen["had"]
    assert [times for times in seen["began"].values() if times > 1] == [2]
    assert seen["left"] == [], "no process of a killed node outlives it"

    experiment = sw.Experiment(agents=AGENTS, tasks=TASKS, conditions=CONDITIONS, screenshots=False)
    local = sw.run(experiment, name="local", runs_dir=tmp_path)
    remote = sw.open_run(tmp_path / "ray")
    with Store.read(local.path / FILE) as local_store, Store.read(remote.path / FILE) as ray_store:
        assert len(local_store.cells()) == len(AGENTS) * len(TASKS) * (1 + len(CONDITIONS))
        assert ray_store.cells() == local_store.cells()
        assert ray_store.identities() == local_store.identities()
        assert ray_store.pending() == []
        assert seen["completed"] == {cell.key: 1 for cell in local_store.cells()}
        assert ray_store.altered(contents=True) == {}
        assert ray_store.content() == local_store.content()
        assert [(episode.cell, episode.status, episode.grade) for episode in ray_store.episodes()] == [
            (episode.cell, episode.status, episode.grade) for episode in local_store.episodes()
        ]
    assert rows(remote) == rows(local)
    assert rows(local)
    # Only the time differs.
    assert [row.model_copy(update={"seconds": 0}) for row in remote.results()] == [
        row.model_copy(update={"seconds": 0}) for row in local.results()
    ]


@pytest.mark.audit
@pytest.mark.timeout(600)
def test_another_server_at_the_address_is_reported_in_time(python: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_greet, args=(server,), daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        options = ["--limit", "1", "--runs-dir", "runs", "--backend", "ray", "--address", address]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
        start = time.monotonic()
        command: list[str | Path] = [python, "-P", "-m", "stressweb", "run", *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False)
        took = time.monotonic() - start
        server.shutdown(socket.SHUT_RDWR)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert f"what answers at {address} is no Ray cluster that this machine can join" in line
    assert took < ray_connection.JOIN_S + 60
    assert list(tmp_path.iterdir()) == []


def _greet(server: socket.socket) -> None:
    """Answer every connection as no cluster would."""
    while True:
        try:
            connection, _ = server.accept()
        # The test is over.
        except OSError:
            return
        with connection:
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
