"""The adapter for Inspect, in an environment of its own, with a scripted model and a real browser."""

import json
import subprocess
from pathlib import Path

import pytest

from runner.registry import Library
from tests.beside import python_with
from tests.runner.host.conftest import ROOT, Server

FIRST_HIT = "shop/first-hit"


@pytest.mark.audit
def test_a_sample_is_scored_by_the_grade_of_its_episode(tmp_path: Path) -> None:
    python = python_with(str(ROOT / "integrations" / "inspect"), "stressweb_inspect", tmp_path)
    enter, _, buy = Library().goal(FIRST_HIT, 0).ways[0]
    words = {"field": enter.target, "query": enter.value, "product": buy.on, "button": buy.target}
    server = Server("--out", str(tmp_path / "run"))
    try:
        command = [python, "-P", Path(__file__).with_name("inspect_eval.py"), server.folder / "host.json", tmp_path]
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
            ended = server.state(score["ended"])
            assert ended == score["ended"]
            assert ended["agent"] == "inspect=client"
            assert ended["message"].endswith("done")
    finally:
        server.end()
