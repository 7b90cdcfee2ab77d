"""A BrowserGym task that is an episode of a stressweb host: its reward is the host's grade."""

import json
from pathlib import Path
from typing import Any

import httpx
from browsergym.core.registration import register_task
from browsergym.core.task import AbstractBrowserTask
from playwright.sync_api import Page

_PATIENCE_S = 120.0
_CLAIMS = {"assistant": "done", "infeasible": "failed"}
"""Claim of an agent, by the role of its last message."""


class Host:
    """Client of an episode server, whose file has its address and its token."""

    def __init__(self, path: str) -> None:
        """Take the path of `host.json`, in the folder that `stressweb host` printed."""
        address = json.loads(Path(path).read_text("utf-8"))
        headers = {"Authorization": f"Bearer {address['token']}"}
        self._client = httpx.Client(base_url=address["url"], headers=headers, timeout=_PATIENCE_S)

    def tasks(self) -> list[str]:
        """Return the ids of all tasks."""
        return [line["task"] for line in _checked(self._client.get("/tasks"))]

    def open(self, request: dict[str, Any]) -> dict[str, Any]:
        """Open an episode; raises RuntimeError with the reason if the host refuses it."""
        return dict(_checked(self._client.post("/episodes", json=request)))

    def finish(self, name: str, claim: dict[str, Any]) -> dict[str, Any]:
        """Finish an episode and return its outcome; an episode that has already ended is returned unchanged."""
        answer = self._client.post(f"/episodes/{name}/finish", json=claim)
        if answer.status_code == httpx.codes.CONFLICT:
            answer = self._client.get(f"/episodes/{name}")
        return dict(_checked(answer))


def _checked(answer: httpx.Response) -> Any:
    body = answer.json()
    if answer.is_error:
        raise RuntimeError(f"stressweb: {body['detail']}")
    return body


class HostTask(AbstractBrowserTask):
    """One episode, in the browser that BrowserGym starts."""

    def __init__(
        self,
        seed: int,
        host: str,
        task: str,
        condition: str = "clean",
        world_seed: int = 0,
        agent: str = "browsergym",
    ) -> None:
        """Take the stress seed, the path of the host's file, and the episode to open there."""
        super().__init__(seed)
        # BrowserGym waits so long before each action by default.
        self.slow_mo = 0
        self._host = Host(host)
        seeds = {"world": world_seed, "stress": seed}
        self._request = {"task": task, "condition": condition, "seeds": seeds, "agent": agent, "own_browser": True}
        self._open = ""
        """The id of the episode, while it is open."""

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Open the episode, and its first page."""
        episode = self._host.open(self._request)
        self._open = episode["id"]
        if not episode["direct_url"]:
            self.teardown()
            raise RuntimeError("stressweb: a chain of tasks needs the proxy, which BrowserGym's browser does not use")
        page.goto(episode["direct_url"])
        return episode["goal"], {"episode": episode["id"]}

    def validate(self, page: Page, chat_messages: list[Any]) -> tuple[float, bool, str, dict[str, Any]]:
        """Finish the episode if the agent has claimed an end; the reward is 1 for a success."""
        last = chat_messages[-1] if chat_messages else {}
        claim = _CLAIMS.get(last.get("role", ""))
        if claim is None or not self._open:
            return 0.0, False, "", {}
        ended = self._finish(claim, str(last.get("message", "")))
        grade = ended["grade"]
        if grade is None:
            raise RuntimeError(f"stressweb: {ended['status']}: {ended['message']}")
        return float(bool(grade["success"])), True, "", ended

    def teardown(self) -> None:
        """Give up an episode that is still open."""
        if self._open:
            self._finish("failed", "the environment was closed")

    def _finish(self, claim: str, message: str) -> dict[str, Any]:
        name, self._open = self._open, ""
        return self._host.finish(name, {"claim": claim, "message": message[:20_000]})


def register(host: str) -> list[str]:
    """Register each task of a host as `browsergym/stressweb.SITE.NAME`, and return these names.

    `host` is the path of the file `host.json` in the folder of the host.
    """
    names = []
    for task in Host(host).tasks():
        name = f"stressweb.{task.replace('/', '.')}"
        register_task(
            name, HostTask, task_kwargs={"host": str(Path(host).resolve()), "task": task}, nondeterministic=False
        )
        names.append(f"browsergym/{name}")
    return names
