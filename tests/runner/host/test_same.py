"""Scripted agents that drive the episode's browser from outside get the same grades as inside."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stressweb.log.recording import EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.perturbations import MODES
from tests.support.episode_server import ROOT, Scripted, Server

TASKS = ("shop/first-hit", "notes/settings", "calendar/week-view")
AT_A_TIME = 2
"""Number of parallel agents; more would slow them down, because each has a browser and a driver."""
TRIES, BUSY = 2, "the browser did not answer in time"
"""On a busy machine an agent inside is repeated as an error, but an agent outside ends with this traceback."""


def record_in_process(tasks: tuple[str, ...], folder: Path) -> list[EpisodeRecord]:
    """Run both agents inside, and return the records."""
    words = ["run", "--agent", "naive,resilient", "--task", ",".join(tasks), "--mode", "all", "--runs-dir", str(folder)]
    command = [sys.executable, "-P", "-m", "stressweb", *words, "--run", "inside", "--no-screenshots"]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    with Store.read(folder / "inside" / FILE) as store:
        return [store.load(cell) for cell in store.finished()]


@pytest.mark.audit
def test_grades_are_those_of_the_same_agents_inside(server: Server, scripted: Scripted, tmp_path: Path) -> None:
    recorded = record_in_process(TASKS, tmp_path)
    assert len(recorded) == 2 * len(TASKS) * (len(MODES) + 1)

    def play(record: EpisodeRecord) -> dict[str, Any]:
        cell = record.cell
        for _ in range(TRIES):
            episode = server.open(cell.task, cell.condition, agent=cell.agent)
            process = scripted.start(cell.agent, episode, server)
            _, err = process.communicate()
            if process.returncode == 0:
                return server.ended(episode)
            server.finish(episode, "failed")
            if BUSY not in err:
                break
        return {"status": "", "message": err.strip()[-300:], "grade": None}

    with ThreadPoolExecutor(AT_A_TIME) as threads:
        played = list(threads.map(play, recorded))
    differing = {
        record.cell.key: (state["status"], state["message"], state["grade"])
        for record, state in zip(recorded, played, strict=True)
        if record.grade is None
        or state["grade"] is None
        or state["status"] != record.status
        or state["grade"]["checkpoints"] != record.grade.passed
        or state["grade"]["success"] != record.grade.success
    }
    assert not differing, differing
