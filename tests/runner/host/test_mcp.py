"""A client of the Model Context Protocol opens an episode, plays it with browser tools, and gets its grade."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stressweb.runner.registry import Library
from tests.support.episode_server import FIRST_HIT, ROOT, Server, Start, first_hit_words
from tests.support.extra_packages import python_with

CLIENT = Path(__file__).with_name("mcp_client.py")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the SDK, which is an extra."""
    return python_with("mcp>=1.20,<2", "mcp", tmp_path_factory.mktemp("environment"))


def play_by_mcp(python: Path, way: str, server: Server, words: dict[str, Any], folder: Path) -> dict[str, Any]:
    command: list[str | Path] = [python, "-P", CLIENT, way, server.folder]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        input=json.dumps(words),
        capture_output=True,
        text=True,
        check=False,
        env=environ,
        timeout=90,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.audit
@pytest.mark.parametrize(("way", "condition"), [("one", "clean"), ("one", "sham"), ("two", "clean")])
def test_a_client_solves_a_task_with_the_browsers_tools(
    python: Path, server: Server, tmp_path: Path, way: str, condition: str
) -> None:
    output = play_by_mcp(python, way, server, {**first_hit_words(), "condition": condition}, tmp_path)
    # The tools write no files into the client's folder.
    assert list(tmp_path.iterdir()) == []
    assert {"list_tasks", "list_conditions", "open_episode", "finish_episode", "browser_click"} <= set(output["tools"])
    none, browserless, unknown, second, wrong = output["answers"]
    assert none == browserless == output["after"] == "no episode is open; call open_episode first"
    assert unknown.startswith("unknown task 'shop/first-hot'; did you mean shop/first-hit")
    assert second.endswith("is open; finish it first")
    assert wrong == "claim: is 'won'; it takes 'done' or 'failed'"
    assert output["goal"] == Library().goal(FIRST_HIT, 0).text
    ended = output["ended"]
    assert (ended["status"], ended["message"]) == ("done", "by MCP")
    assert ended["grade"]["success"] is True
    kinds = [step["action"]["kind"] for step in server.ask(f"/episodes/{ended['id']}/steps").body if step["action"]]
    assert kinds[-1] == "DONE"
    assert {"FILL", "CLICK"} <= set(kinds)


@pytest.mark.audit
@pytest.mark.parametrize("offset", [0, 1])
def test_a_client_judges_a_test_case(python: Path, server: Server, tmp_path: Path, offset: int) -> None:
    library, case = Library(), "cases/food/new-address#F1"
    written = library.goal(case, 0).case
    assert written is not None
    assert written.truth.step is not None
    words = {"case": case, "verdict": {"verdict": "fail", "step": written.truth.step + offset}}
    output = play_by_mcp(python, "verdict", server, words, tmp_path)
    assert {line["task"] for line in output["listed"]} == {*library.case_ids()}
    assert output["goal"] == library.goal(case, 0).text
    assert "needs the step that fails" in output["malformed"]
    ended = output["ended"]
    assert (ended["status"], ended["grade"]["success"]) == ("done", offset == 0)


def test_without_a_server_it_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "stressweb", "mcp"]
    for words, place in (
        (["--runs-dir", str(tmp_path)], "; start one: stressweb host"),
        ([str(tmp_path)], f" --out {tmp_path}"),
    ):
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 2
        assert done.stderr.startswith(f"stressweb: no episode server runs in {tmp_path}; start one: stressweb host")
        assert done.stderr.endswith(f"{place}\n")


@pytest.mark.audit
def test_a_server_that_was_killed_is_one_line(start: Start) -> None:
    server = start()
    server.process.kill()
    server.process.wait()
    command = [sys.executable, "-P", "-m", "stressweb", "mcp", str(server.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    # Without the extra, the line reports that it is missing.
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
