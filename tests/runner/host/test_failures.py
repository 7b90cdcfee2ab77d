"""Failures around an episode are not the agent's, and the server continues."""

import os
import signal
from pathlib import Path

import pytest

from stressweb.core.process_tree import descendants_of
from tests.support.episode_server import Server, Start

pytestmark = pytest.mark.sample(1, "file")


def browsers(server: Server, *, own: bool) -> list[int]:
    """Return the browser processes of a server: those of the episodes, or the one that reads evidence."""
    parents: dict[int, int] = {}
    for member in descendants_of(server.process.pid):
        process = Path(f"/proc/{member.pid}")
        words = (process / "cmdline").read_text("utf-8", "replace")
        if "--remote-debugging-pipe" in words and "--type=" not in words and ("stressweb-browser-" in words) is own:
            parents[member.pid] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
    # The installed program may be a script that starts the browser.
    return [pid for pid in parents if pid not in parents.values()]


def test_a_browser_that_is_killed_is_an_error_and_its_episode_can_be_opened_again(start: Start) -> None:
    server = start()
    episode, second_episode = server.open(), server.open(condition="remap@3")
    before = set(browsers(server, own=True))
    assert len(before) == 2
    again = server.open(condition="sham")
    (pid,) = set(browsers(server, own=True)) - before
    os.kill(pid, signal.SIGKILL)
    state = server.ended(again)
    assert (state["state"], state["status"], state["grade"]) == ("error", "error", None)
    assert state["message"] == "the episode's browser has ended"
    late_answer = server.ask(f"/episodes/{again['id']}/finish", {"claim": "done"})
    assert (late_answer.status, late_answer.line) == (
        409,
        f"episode {again['id']} is over: error, the episode's browser has ended",
    )
    # The others do not notice.
    assert server.finish(episode)["status"] == server.finish(second_episode)["status"] == "done"
    repeated = server.open(condition="sham")
    assert repeated["id"] == again["id"]
    assert server.finish(repeated)["status"] == "done"


def test_the_browser_that_reads_evidence_is_replaced_after_a_crash(start: Start) -> None:
    server = start()
    episode = server.open()
    (pid,) = browsers(server, own=False)
    os.kill(pid, signal.SIGKILL)
    state = server.finish(episode)
    assert (state["state"], state["grade"]) == ("error", None)
    repeated = server.open()
    assert repeated["id"] == episode["id"]
    assert server.finish(repeated)["status"] == "done"
    assert browsers(server, own=False) != [pid]


def state_of(pid: int) -> str:
    """Return the state of a process; a killed one stays in the list until its parent waits for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


def test_nothing_is_left_of_a_server_that_ends(start: Start) -> None:
    server = start()
    server.open()
    members = descendants_of(server.process.pid)
    assert len(members) > 3
    server.end()
    assert server.process.returncode == 143
    assert [state for member in members if (state := state_of(member.pid)) not in ("", "Z")] == []
    assert sorted(path.name for path in server.folder.iterdir()) == ["run.db"]


def test_no_secret_of_a_server_is_in_its_log(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    # No server listens there.
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    server = start("--idle", "4")
    opened = [server.open(), server.open(own_browser=True)]
    secrets = [server.token, *(episode["token"] for episode in opened)]
    secrets += [episode["proxy"].split(":")[2].partition("@")[0] for episode in opened]
    server.ask(f"/episodes/{opened[0]['id']}/finish", {"claim": " ".join(secrets)})
    server.ask(f"/{opened[0]['token']}/openai/v1/chat/completions", {"model": secrets[0]})
    assert server.ask("/episodes", {"task": secrets[0]}).status == 422
    assert [server.ended(episode)["status"] for episode in opened] == ["error", "crashed"]
    texts = [server.end().encode(), *(path.read_bytes() for path in server.folder.rglob("*") if path.is_file())]
    assert [secret for secret in secrets for text in texts if secret.encode() in text] == []
