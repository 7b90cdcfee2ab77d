"""How a parent waits for its workers, and what environment they get."""

import subprocess
import sys

import pytest

from runner import process as processes
from runner.process import Finished, Gone, Process, environment
from stressweb.recording import Cell

CELL = Cell(agent="model(model=small)", task="shop/x", condition="clean", world=0, stress=0)
SPEAK = """
import sys, time
sys.stdin.readline()
print('{"began": "x"}', flush=True)
for _ in range(%d):
    time.sleep(0.4)
    print('{"decided": true}', flush=True)
time.sleep(%d)
print('{"finished": "x", "status": "done", "message": ""}', flush=True)
"""


def process_that(script: str) -> Process:
    """Return a worker's process as its parent sees it, with a script in the worker's place."""
    process = Process.__new__(Process)
    process._process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return process


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "EPISODE_SECONDS", 1.5)


def test_a_worker_whose_agent_is_slow_may_go_on_as_long_as_it_decides() -> None:
    process = process_that(SPEAK % (6, 0))
    try:
        assert process.run(CELL) == Finished(CELL, "done")
    finally:
        process.kill()


def test_a_worker_that_says_nothing_is_ended() -> None:
    process = process_that(SPEAK % (1, 60))
    try:
        with pytest.raises(Gone, match="the worker died"):
            process.run(CELL)
    finally:
        process.kill()


def test_workers_ask_models_where_the_command_line_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    assert environment()["OPENAI_BASE_URL"] == environment("")["OPENAI_BASE_URL"] == "http://localhost:1/v1"
    assert environment("http://localhost:2/v1")["OPENAI_BASE_URL"] == "http://localhost:2/v1"
    assert environment()["OPENAI_API_KEY"] == "sk-0123456789"
