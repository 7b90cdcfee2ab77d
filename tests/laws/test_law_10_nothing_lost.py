"""Law 10: nothing lost. Finished episodes survive any kill, and a resumed run equals an uninterrupted one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from scripts.storm import command_of
from stressweb.core.errors import UserError
from stressweb.log.run_folder import claimed
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.worker import NAME
from tests.support.playing import without_progress
from tests.support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.long

RUN = [
    sys.executable,
    "-m",
    "stressweb",
    "run",
    "--agent",
    "naive",
    "--mode",
    "remap",
    "--task",
    "shop/first-hit,shop/profile",
]
CELLS = 4
CASES_RUN = [
    *RUN[:4],
    "--agent",
    "literal",
    "--mode",
    "failure",
    "--task",
    "cases/food/new-address,cases/food/new-address#F1",
]
"""The same with test cases; a passing case and a failing one, clean and under stress."""
SIGNS = {
    "worker": NAME,
    "browser": "--remote-debugging-pipe",
    "renderer": "--type=renderer",
    "driver": "run-driver",
}
"""A part of the command line, or of the name, of each kind of process."""


def started(runs: Path, name: str, *options: str, command: Sequence[str] = RUN) -> subprocess.Popen[str]:
    command = [*command, "--runs-dir", str(runs), "--run", name, *options]
    # Tests that run in the background may ignore Ctrl-C, which a child process would inherit.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, errors = process.communicate(timeout=PATIENCE_S)
    return process.returncode, without_progress(errors)


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def descendants(pid: int) -> dict[int, str]:
    """Return all descendants of a process with their command lines."""
    parents = {int(path.name): parent_of(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit()}
    processes: dict[int, str] = {}
    level = {pid}
    while level := {child for child, parent in parents.items() if parent in level and child not in processes}:
        processes.update((child, command_of(child)) for child in level)
    return processes


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def content(runs: Path, name: str) -> dict[str, dict[str, Any]]:
    with Store.open(runs / name / FILE) as store:
        # After any kill the register counts the stored episodes.
        store.check_whole()
        return store.content()


def episodes(runs: Path, name: str) -> int:
    if not (runs / name / FILE).exists():
        return 0
    try:
        with Store.open(runs / name / FILE) as store:
            store.check_whole()
            return len(store.episodes())
    except UserError:
        return 0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def whole(runs: Path) -> dict[str, dict[str, Any]]:
    status, errors = finished(started(runs, "whole", "--workers", "1"))
    assert (status, errors) == (0, "")
    return content(runs, "whole")


@pytest.mark.sample(1, "ended")
def test_two_workers_record_what_one_records(runs: Path, whole: dict[str, Any]) -> None:
    assert finished(started(runs, "two", "--workers", "2")) == (0, "")
    assert len(whole) == CELLS
    assert content(runs, "two") == whole


@pytest.mark.sample(1, "ended")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize("victim", ["worker", "browser", "driver", "parent"])
def test_kill_and_resume(runs: Path, whole: dict[str, Any], victim: str) -> None:
    run = started(runs, victim, "--workers", "2")
    until(lambda: episodes(runs, victim) >= 1)
    children = descendants(run.pid)
    target_pid = run.pid if victim == "parent" else next(pid for pid, line in children.items() if SIGNS[victim] in line)
    os.kill(target_pid, signal.SIGKILL)
    status, _ = finished(run)
    assert status in ((-signal.SIGKILL,) if victim == "parent" else (0, 1))
    until(lambda: not any(alive(pid) for pid in children))
    before = {key: episode for key, episode in content(runs, victim).items() if episode["status"] != "error"}
    assert before == {key: whole[key] for key in before}
    assert before, "what was finished before is kept"
    if victim != "parent":
        assert len(before) >= CELLS - 1, "only the cell under way is lost"
    assert finished(started(runs, victim, "--resume")) == (0, "")
    assert content(runs, victim) == whole


@pytest.mark.audit
def test_a_killed_run_of_test_cases_resumes(runs: Path) -> None:
    assert finished(started(runs, "cases", "--workers", "1", command=CASES_RUN)) == (0, "")
    expected = content(runs, "cases")
    assert len(expected) == CELLS
    run = started(runs, "cases-killed", "--workers", "1", command=CASES_RUN)
    until(lambda: episodes(runs, "cases-killed") >= 1)
    run.kill()
    assert finished(run)[0] == -signal.SIGKILL
    assert 0 < len(content(runs, "cases-killed")) < CELLS
    assert finished(started(runs, "cases-killed", "--resume", command=CASES_RUN)) == (0, "")
    assert content(runs, "cases-killed") == expected


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.audit
@pytest.mark.parametrize("victim", ["worker", "browser", "renderer", "driver"])
def test_a_stopped_process_is_noticed_within_a_minute(runs: Path, whole: dict[str, Any], victim: str) -> None:
    """At most one cell is lost, the others go on, and the stopped process does not outlive the run."""
    name = f"stopped-{victim}"
    run = started(runs, name, "--workers", "1")
    until(lambda: episodes(runs, name) >= 1)
    children = descendants(run.pid)
    os.kill(next(pid for pid, line in children.items() if SIGNS[victim] in line), signal.SIGSTOP)
    stopped_at = time.monotonic()
    _, errors = run.communicate(timeout=3 * PATIENCE_S)
    assert time.monotonic() - stopped_at < 75 + 10 * CELLS
    assert run.returncode in (0, 1), errors
    until(lambda: not any(alive(pid) for pid in children))
    stored = content(runs, name)
    assert len(stored) == CELLS
    right = {key: episode for key, episode in stored.items() if episode["status"] != "error"}
    assert right == {key: whole[key] for key in right}
    assert len(right) >= CELLS - 1, "only the cell under way is lost"


@pytest.mark.sample(1, "ended")
@pytest.mark.parametrize(
    ("sent", "ended", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_an_interrupted_run_keeps_what_is_finished(
    runs: Path, whole: dict[str, Any], sent: signal.Signals, ended: int, word: str
) -> None:
    run = started(runs, word, "--workers", "1")
    until(lambda: episodes(runs, word) >= 1)
    children = descendants(run.pid)
    run.send_signal(sent)
    status, errors = finished(run)
    assert (status, errors.strip()) == (ended, f"stressweb: {word}; finished episodes are kept")
    until(lambda: not any(alive(pid) for pid in children))
    finished_episodes = content(runs, word)
    assert 1 <= len(finished_episodes) < CELLS
    assert finished_episodes == {key: whole[key] for key in finished_episodes}


def test_a_run_belongs_to_one_process(tmp_path: Path) -> None:
    with claimed(tmp_path), pytest.raises(UserError, match="another process is executing the run"), claimed(tmp_path):
        pytest.fail("both claimed it")
    with claimed(tmp_path):
        pass
