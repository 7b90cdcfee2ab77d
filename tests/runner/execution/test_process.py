"""The parent of a worker process: time limits, and the party to blame for silence."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.core.process_tree import descendants_of, end
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.runner.execution.backend import AgentHung, Finished, WorkerDied, WorkerNotStarted
from stressweb.runner.execution.conversation import Patience
from stressweb.runner.execution.private_log import private_log
from stressweb.runner.execution.process import WorkerProcess
from stressweb.runner.execution.worker_config import WorkerConfig

pytestmark = pytest.mark.sample(6, "file")

CELL = Cell(agent="model(model=small)", task="shop/x", condition="clean", world=0, stress=0)
SPEAK = """
import sys, time
sys.stdin.readline()
print('{"began": "x"}', flush=True)
for _ in range(%d):
    print('{"decided": true}', flush=True)
time.sleep(%d)
print('{"finished": "x", "status": "done", "message": ""}', flush=True)
"""


TURN = """
import faulthandler, os, sys, time
faulthandler.enable()
sys.stdin.readline()
print('{"began": "x"}', flush=True)
print('{"deciding": %s}', flush=True)
%s
"""


type ProcessThat = Callable[[str], WorkerProcess]


@pytest.fixture
def process_that(tmp_path: Path) -> Iterator[ProcessThat]:
    """Start a worker process that runs a script instead of a worker, once it has read its configuration."""
    started: list[WorkerProcess] = []
    config = WorkerConfig(
        database=tmp_path / "run.db", browser=tmp_path, plan=Plan(agents=(), tasks=(), conditions=()), parent=1
    )

    def start(script: str) -> WorkerProcess:
        # The command of the worker becomes the arguments of the script, which ignores them.
        prefix = [sys.executable, "-c", f"import sys\nsys.stdin.readline()\n{script}"]
        patience = Patience(silence_s=1.5, grace_s=0.5)
        started.append(WorkerProcess(config, tmp_path / "worker-0.log", prefix, patience=patience))
        return started[-1]

    yield start
    for process in started:
        process.kill()


def test_each_message_of_a_worker_restarts_the_time_limit(process_that: ProcessThat) -> None:
    script = """
import json, sys, time
sys.stdin.readline()
for word in ("began", "decided", "working", "working", "decided"):
    print(json.dumps({word: True}), flush=True)
    time.sleep(0.4)
print('{"finished": "x", "status": "done", "message": ""}', flush=True)
"""
    assert process_that(script).run(CELL) == Finished(CELL, "done")


def test_a_worker_that_says_nothing_is_ended(process_that: ProcessThat) -> None:
    process = process_that(SPEAK % (1, 60))
    with pytest.raises(
        WorkerDied, match=r"the worker process sent no heartbeat for 1\.5 s: it, its browser or its driver hangs"
    ):
        process.run(CELL)


def test_each_cell_gets_its_messages_and_all_get_the_end(process_that: ProcessThat) -> None:
    """Three cells at a time: at the end of the process one is finished, one in its agent's turn and one in ours."""
    script = """
import json, sys
keys = [json.loads(sys.stdin.readline())["cell"]["task"] for _ in range(3)]
def say(task, **what):
    print(json.dumps({"about": task + "|a|clean|0|-|0", **what}), flush=True)
for key in keys:
    say(key, began=True)
for key in sorted(keys, reverse=True):
    say(key, deciding=30)
say("shop/0", decided=True)
say("shop/1", decided=True)
say("shop/0", status="done", message="first")
sys.stdin.readline()
sys.exit(5)
"""
    process = process_that(script)
    cells = [Cell(agent="a", task=f"shop/{n}", condition="clean", world=0) for n in range(3)]
    with ThreadPoolExecutor(3) as pool:
        flying = [pool.submit(process.run, cell) for cell in cells]
        assert flying[0].result(10) == Finished(cells[0], "done", "first")
        assert not flying[1].done()
        with pytest.raises(WorkerNotStarted):
            process.run(CELL)
        ours, agents = flying[1].exception(10), flying[2].exception(10)
    assert type(ours) is WorkerDied
    assert isinstance(agents, AgentHung), "the pool must find out which of the two ended it"


def test_nothing_outlives_a_worker_that_is_ended(process_that: ProcessThat) -> None:
    """This includes a stopped process in another session, and one whose parent has ended."""
    script = """
import subprocess, sys, time
sys.stdin.readline()
mine = subprocess.Popen(["sh", "-c", "sleep 100 & sleep 100"], start_new_session=True).pid
time.sleep(0.3)
print('{"began": "x"}', flush=True)
time.sleep(0.3)
print('{"finished": "x", "status": "done", "message": "%d"}' % mine, flush=True)
time.sleep(100)
"""
    process = process_that(script)
    shell = int(process.run(CELL).message)
    below = {member.pid for member in descendants_of(shell)}
    assert len(below) == 2
    os.kill(max(below), signal.SIGSTOP)
    os.kill(shell, signal.SIGKILL)
    process.kill()
    assert not any(_alive(pid) for pid in (shell, *below))


def test_a_reused_process_id_is_not_killed() -> None:
    child = subprocess.Popen(["sleep", "100"])
    (member,) = (process for process in descendants_of(os.getpid()) if process.pid == child.pid)
    end({member._replace(began=member.began - 1)})
    assert child.poll() is None
    end({member})
    assert child.wait(5) == -signal.SIGKILL
    end({member})


def _alive(pid: int) -> bool:
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except (FileNotFoundError, ProcessLookupError):
            return False
        time.sleep(0.01)
    return True


def test_an_agent_has_the_time_limit_that_its_worker_sends(process_that: ProcessThat) -> None:
    process = process_that(TURN % (2.5, "time.sleep(1.7)") + SPEAK.partition("flush=True)")[2] % (0, 0))
    assert process.run(CELL) == Finished(CELL, "done")


def test_silence_in_the_agents_turn_is_the_agents(process_that: ProcessThat) -> None:
    process = process_that(TURN % (0.5, "time.sleep(60)"))
    with pytest.raises(AgentHung, match=r"exceeded its 0\.5 seconds and blocked its process"):
        process.run(CELL)


def test_a_process_that_its_agent_ends_is_the_agents_failure(process_that: ProcessThat) -> None:
    process = process_that(TURN % (30, "os._exit(3)"))
    with pytest.raises(AgentHung, match=r"ended its process \(exit status 3\)"):
        process.run(CELL)


def test_a_process_killed_in_the_agents_turn_is_infrastructure(process_that: ProcessThat) -> None:
    process = process_that(TURN % (30, "os.kill(os.getpid(), 9)"))
    with pytest.raises(WorkerDied, match="the worker process died") as caught:
        process.run(CELL)
    assert not isinstance(caught.value, AgentHung)


def link(path: Path, precious: Path) -> None:
    path.symlink_to(precious)


def hard_link(path: Path, precious: Path) -> None:
    path.hardlink_to(precious)


def pipe(path: Path, precious: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("make", [link, hard_link, pipe, lambda path, precious: path.mkdir()])
def test_a_log_is_never_written_through_a_link(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    precious, log = tmp_path / "precious", tmp_path / "worker-0.log"
    precious.write_text("mine")
    make(log, precious)
    plan = Plan(agents=(), tasks=(), conditions=())
    config = WorkerConfig(database=tmp_path, browser=tmp_path, plan=plan, parent=1)
    with pytest.raises(UserError, match=r"worker-0.log is a link or not a regular file; remove it$"):
        WorkerProcess(config, log)
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_a_log_is_appended_to_and_for_its_owner_alone(tmp_path: Path, umask: int) -> None:
    log = tmp_path / "worker-0.log"
    before = os.umask(umask)
    try:
        for word in (b"one ", b"two"):
            with private_log(log) as file:
                file.write(word)
    finally:
        os.umask(before)
    assert (log.read_bytes(), log.stat().st_mode & 0o777) == (b"one two", 0o600)
