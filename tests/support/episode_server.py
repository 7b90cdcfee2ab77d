"""Episode servers, each in a process as a user starts it, and agents that play there."""

import json
import os
import pickle
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stressweb.plugins.agent import Brief
from stressweb.runner.registry import Library
from tests.support.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[2]


FIRST_HIT = "shop/first-hit"


SCRIPTED = Path(__file__).with_name("scripted.py")


class Answer(NamedTuple):
    status: int
    body: Any

    @property
    def line(self) -> str:
        """The error message."""
        return str(self.body["detail"])


def first_hit_words() -> dict[str, str | None]:
    """Return the names of the fields and buttons that `shop/first-hit` needs."""
    enter, _, buy = Library().goal(FIRST_HIT, 0).ways[0]
    return {"field": enter.target, "query": enter.value, "product": buy.on, "button": buy.target}


class Server:
    """A running `stressweb host`."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-P", "-m", "stressweb", "host", "--port", "0", "--json", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            pytest.fail(f"the server did not start: {self.process.communicate()[1]}")
        self.startup: dict[str, Any] = json.loads(line)
        self.url, self.token, self.folder = self.startup["url"], self.startup["token"], Path(self.startup["folder"])

    def ask(self, path: str, body: Any = None, token: str | None = None) -> Answer:
        """Return the server's answer to GET, or to POST if there is a body."""
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
        """Finish an episode with its own token, and return its final state."""
        answer = self.ask(f"/episodes/{episode['id']}/finish", {"claim": claim, **more}, episode["token"])
        assert answer.status == 200, answer
        return dict(answer.body)

    def ended(self, episode: dict[str, Any]) -> dict[str, Any]:
        """Wait until an episode has ended by itself, and return its final state."""

        def final_state() -> dict[str, Any] | None:
            state = self.state(episode)
            return None if state["state"] in ("opening", "open", "grading") else state

        return until(final_state)

    def end(self, number: int = signal.SIGTERM) -> str:
        """End the server and return its error output."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=PATIENCE_S)[1]


type Start = Callable[..., Server]


class Scripted:
    """Scripted agents in separate processes, which drive the episode's browser with plain Playwright."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._library = folder, Library()

    def start(self, agent: str, episode: dict[str, Any], server: Server) -> "subprocess.Popen[str]":
        """Start an agent on an episode."""
        goal = self._library.goal(episode["task"], episode["seeds"]["world"])
        brief = Brief(goal=goal.text, start_url=episode["start_url"], steps=goal.ways[0])
        briefs = self._folder / episode["id"]
        briefs.write_bytes(pickle.dumps({goal.text: brief}))
        variables = {
            "STRESSWEB_GOAL": episode["goal"],
            "STRESSWEB_START_URL": episode["start_url"],
            "STRESSWEB_CDP_URL": episode["cdp_url"],
            # Without a header: the token is in the address.
            "STRESSWEB_FINISH_URL": f"{server.url}/{episode['token']}/finish",
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-P", str(SCRIPTED), agent, str(briefs)]
        return subprocess.Popen(command, env={**os.environ, **variables}, stderr=subprocess.PIPE, text=True)

    def play(self, agent: str, episode: dict[str, Any], server: Server) -> dict[str, Any]:
        """Let an agent play an episode to its end, and return the final state."""
        process = self.start(agent, episode, server)
        assert process.wait(PATIENCE_S) == 0, process.communicate()[1]
        return server.ended(episode)
