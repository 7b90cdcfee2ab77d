"""The adapter for BrowserGym, in an environment of its own, with the released BrowserGym and a real browser."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from runner.registry import task_ids
from stressweb.core.browser_program import find_browser
from tests.beside import python_with
from tests.runner.host.conftest import ROOT, Server


@pytest.mark.audit
def test_the_reward_of_an_environment_is_the_grade_of_its_episode(
    tmp_path: Path, host: Server, words: dict[str, str | None]
) -> None:
    python = python_with(str(ROOT / "integrations" / "browsergym"), "stressweb_browsergym", tmp_path)
    program = Path(__file__).with_name("gym_episodes.py")
    command = [python, "-P", program, host.folder / "host.json", find_browser().path]
    environ = {**os.environ, "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "browsers")}
    done = subprocess.run(command, input=json.dumps(words), capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["core"] == []
    assert told["names"] == [f"browsergym/stressweb.{task.replace('/', '.')}" for task in task_ids()]
    rewards = {condition: played["reward"] for condition, played in told["played"].items()}
    assert rewards == {"clean": 1.0, "sham": 1.0, "failure@5": 0.0}
    for played in told["played"].values():
        assert played["terminated"]
        assert host.state(played["ended"]) == played["ended"]
        assert played["ended"]["agent"] == "browsergym=client(own_browser)"
        assert played["ended"]["grade"]["unobserved"] == []
