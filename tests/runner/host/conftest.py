"""Servers of episodes, each a process as a person starts it, and what plays there."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from runner.registry import Library
from stressweb.plugins.agent import Brief

ROOT = Path(__file__).parents[3]
FIRST_HIT = "shop/first-hit"
PATIENCE_S = 50.0
SCRIPTED = ROOT / "tests" / "runner" / "external" / "scripted.py"


class Answer(NamedTuple):
    status: int
    body: Any

    @property
    def line(self) -> str:
        """What was wrong."""
        return str(self.body["detail"])


def first_hit_words() -> dict[str, str | None]:
    """Return the names of the fields and buttons that `shop/first-hit` needs."""
    enter, _, buy = Library().goal(FIRST_HIT, 0).ways[0]
    return {"field": enter.target, "query": enter.value, "product": buy.on, "button": buy.target}


class Server:
    """One `stressweb host`."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-P", "-m", "runner", "host", "--port", "0", "--json", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            pytest.fail(f"the server did not start: {self.process.communicate()[1]}")
        self.told: dict[str, Any] = json.loads(line)
        self.url, self.token, self.folder = self.told["url"], self.told["token"], Path(self.told["folder"])

    def ask(self, path: str, body: Any = None, token: str | None = None) -> Answer:
        """Return what the server answers to GET, or to POST with a body."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {**headers, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
                return Answer(response.status, json.load(response))
        except urllib.error.HTTPError as error:
            return Answer(error.code, json.load(error))

    def open(self, task: str = FIRST_HIT, condition: str = "clean", **more: Any) -> dict[str, Any]:
        """Open an episode."""
        answer = self.ask("/episodes", {"task": task, "condition": condition, **more})
        assert answer.status == 201, answer
        return dict(answer.body)

    def state(self, episode: dict[str, Any]) -> dict[str, Any]:
        return dict(self.ask(f"/episodes/{episode['id']}").body)

    def finish(self, episode: dict[str, Any], claim: str = "done", **more: Any) -> dict[str, Any]:
        """Finish an episode with its own token, and return how it ended."""
        answer = self.ask(f"/episodes/{episode['id']}/finish", {"claim": claim, **more}, episode["token"])
        assert answer.status == 200, answer
        return dict(answer.body)

    def ended(self, episode: dict[str, Any]) -> dict[str, Any]:
        """Wait until an episode has ended by itself, and return how."""
        deadline = time.monotonic() + PATIENCE_S
        while (state := self.state(episode))["state"] in ("opening", "open", "grading"):
            assert time.monotonic() < deadline, state
            time.sleep(0.05)
        return state

    def end(self, number: int = signal.SIGTERM) -> str:
        """End the server and return what it said."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=PATIENCE_S)[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the tests of a file share."""
    started = Server("--out", str(tmp_path_factory.mktemp("host") / "run"))
    yield started
    started.end()


type Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server of the test's own: `start("--idle", "2")`. Two of them have the same folder."""
    servers: list[Server] = []

    def started(*options: str) -> Server:
        servers.append(Server("--out", str(tmp_path / "run"), *options))
        return servers[-1]

    yield started
    for one in servers:
        if one.process.poll() is None:
            one.end()


class Scripted:
    """Scripted agents as processes of their own, which drive the episode's browser with plain Playwright."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._library = folder, Library()

    def start(self, agent: str, episode: dict[str, Any], server: Server) -> "subprocess.Popen[str]":
        """Have an agent play an episode."""
        goal = self._library.goal(episode["task"], episode["seeds"]["world"])
        brief = Brief(goal=goal.text, start_url=episode["start_url"], steps=goal.ways[0])
        briefs = self._folder / episode["id"]
        briefs.write_bytes(pickle.dumps({goal.text: brief}))
        variables = {
            "STRESSWEB_GOAL": episode["goal"],
            "STRESSWEB_START_URL": episode["start_url"],
            "STRESSWEB_CDP_URL": episode["cdp_url"],
            # Without a header: the token stands in the address.
            "STRESSWEB_FINISH_URL": f"{server.url}/{episode['token']}/finish",
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-P", str(SCRIPTED), agent, str(briefs)]
        return subprocess.Popen(command, env={**os.environ, **variables}, stderr=subprocess.PIPE, text=True)

    def play(self, agent: str, episode: dict[str, Any], server: Server) -> dict[str, Any]:
        """Have an agent play an episode to its end, and return how that was."""
        process = self.start(agent, episode, server)
        assert process.wait(PATIENCE_S) == 0, process.communicate()[1]
        return server.ended(episode)


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    """`scripted.play("naive", episode, server)`."""
    return Scripted(tmp_path)
