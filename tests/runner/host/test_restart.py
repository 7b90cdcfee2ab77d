"""The run behind the server outlives it, and is a run like any other."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store
from tests.support.episode_server import FIRST_HIT, ROOT, Scripted, Server, Start

pytestmark = pytest.mark.audit


def stressweb(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-P", "-m", "stressweb", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_a_killed_server_keeps_finished_episodes_and_reports_lost_ones(start: Start, scripted: Scripted) -> None:
    first = start()
    finished, lost = first.open(condition="remap@3"), first.open()
    graded = scripted.play("naive", finished, first)
    first.process.kill()
    first.process.wait()
    second = start()
    assert second.startup["finished"] == 1
    assert second.startup["lost"] == [f"{FIRST_HIT}|client|clean|0|-|0"]
    assert second.state(finished) == graded
    assert second.ask(f"/episodes/{finished['id']}/steps").body[0]["action"] is None
    assert second.state(lost)["state"] == "lost"
    # Its token belonged to the first server.
    refused = second.ask(f"/episodes/{lost['id']}/finish", {"claim": "done"}, lost["token"])
    assert refused.status == 401
    late = second.ask(f"/episodes/{lost['id']}/finish", {"claim": "done"})
    assert late.line == f"episode {lost['id']} is over: it was lost when the server stopped"
    again = second.open()
    assert (again["id"], again["epoch"]) == (lost["id"], 0)
    assert second.finish(again)["status"] == "done"
    # A finished episode is never repeated; the next one is its next epoch.
    assert second.open(condition="remap@3")["epoch"] == 1
    assert "1 open episode lost" in second.end()


def test_the_run_is_one_like_any_other(start: Start, scripted: Scripted) -> None:
    server = start("--agent-version", "0.7 3f2a91c")
    for condition in ("clean", "failure@5"):
        for agent in ("first", "second"):
            episode = server.open(condition=condition, agent=agent)
            scripted.play("naive", episode, server)
    second = stressweb("host", "--port", "0", "--out", str(server.folder))
    assert (second.returncode, second.stderr.splitlines()[-1]) == (
        2, f"stressweb: another process is executing the run in {server.folder}",
    )  # fmt: skip
    assert server.end(signal.SIGINT) == ""
    assert server.process.returncode == 0
    for command in ("grade", "report"):
        done = stressweb(command, str(server.folder))
        assert done.returncode == 0, done.stderr
    table = stressweb("grade", str(server.folder)).stdout
    assert {line.split()[0] for line in table.splitlines() if "/1 " in line} == {"clean", "failure@5"}
    assert [line.split()[0] for line in table.splitlines() if "success" in line] == ["first", "second"]
    resumed = stressweb("run", "--resume", "--run", server.folder.name, "--runs-dir", str(server.folder.parent))
    assert (resumed.returncode, resumed.stderr) == (
        2, "stressweb: a run cannot start the agent client: it opens episodes through `stressweb host --out FOLDER`\n",
    )  # fmt: skip
    with Store.read(server.folder / FILE) as store:
        assert len(store.cells()) == 4
        assert {cell.agent for cell in store.cells()} == {
            "first=client(version=0.7 3f2a91c)", "second=client(version=0.7 3f2a91c)",
        }  # fmt: skip
        assert store.misfit() == ""
        assert all(store.identities().values())


def test_the_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    refused = stressweb("host", "--port", "0", "--out", str(tmp_path / "run"))
    assert refused.returncode == 2
    assert refused.stderr.endswith("exists and is not a run of `stressweb host`; choose a new folder\n")


def test_other_limits_than_those_of_the_run_are_refused(start: Start) -> None:
    server = start()
    server.end()
    refused = stressweb("host", "--port", "0", "--out", str(server.folder), "--max-steps", "7")
    assert refused.returncode == 2
    assert "max-steps differs from what run" in refused.stderr


def test_a_cell_that_was_added_by_hand_is_found(start: Start) -> None:
    server = start()
    server.finish(server.open())
    server.end()
    with Store.open(server.folder / FILE) as store:
        (cell,) = store.cells()
        store.add(cell.model_copy(update={"epoch": 5}), "", {})
    with pytest.raises(UserError, match="does not hold exactly the episodes of its plan"):
        raise UserError(stressweb("host", "--port", "0", "--out", str(server.folder)).stderr)


def test_a_port_in_use_is_one_line(start: Start) -> None:
    server: Server = start()
    port = server.url.rpartition(":")[2]
    refused = stressweb("host", "--port", port)
    assert refused.returncode == 2
    assert refused.stderr == f"stressweb: port {port} cannot be opened; choose another, or 0 for a free one\n"
