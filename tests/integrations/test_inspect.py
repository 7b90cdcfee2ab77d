"""The adapter for Inspect, in an environment of its own, with a scripted model and a real browser."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.beside import python_with
from tests.runner.host.conftest import FIRST_HIT, ROOT, Server


@pytest.mark.audit
def test_a_sample_is_scored_by_the_grade_of_its_episode(
    tmp_path: Path, host: Server, words: dict[str, str | None]
) -> None:
    python = python_with(str(ROOT / "integrations" / "inspect"), "stressweb_inspect", tmp_path)
    command = [python, "-P", Path(__file__).with_name("inspect_eval.py"), host.folder / "host.json", tmp_path]
    done = subprocess.run(command, input=json.dumps(words), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["core"] == []
    scores = said["scores"]
    assert {name: score["value"] for name, score in scores.items()} == {
        f"{FIRST_HIT}|clean|0": True, f"{FIRST_HIT}|sham|0": True, f"{FIRST_HIT}|failure@5|0": False,
    }  # fmt: skip
    assert scores[f"{FIRST_HIT}|clean|0"]["why"] == "every checkpoint passed"
    for score in scores.values():
        ended = host.state(score["ended"])
        assert ended == score["ended"]
        assert ended["agent"] == "inspect=client"
        assert ended["message"].endswith("done")
