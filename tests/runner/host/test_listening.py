"""The server listens at an address of choice, so agents in containers reach it; a network namespace stands for one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.episode_server import ROOT, Server, Start
from tests.support.programs import HEAD

HERE, THERE = "10.213.77.1", "10.213.77.2"
PLAY = 'page.get_by_role("main").get_by_role("link").first.click()\nfinish()\n'


@pytest.mark.sample(1)
@pytest.mark.parametrize("address", ["0.0.0.0", "192.0.2.1", "localhost", "::1"])
def test_an_address_of_another_machine_is_one_line(address: str) -> None:
    command = [sys.executable, "-P", "-m", "stressweb", "host", "--listen", address]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    line = f"stressweb: --listen {address!r} is not an IPv4 address of this machine, such as 127.0.0.1\n"
    assert (done.returncode, done.stderr) == (2, line)


@pytest.fixture
def namespace() -> Iterator[str]:
    """A network namespace whose only connection is a virtual cable to this machine."""
    name = f"sw{os.getpid()}"
    if shutil.which("ip") is None or subprocess.run(["ip", "netns", "add", name], check=False).returncode:
        pytest.skip("this machine allows no network namespace")
    try:
        inside = ["ip", "-n", name]
        for command in (
            ["ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name],
            ["ip", "addr", "add", f"{HERE}/30", "dev", name],
            ["ip", "link", "set", name, "up"],
            [*inside, "addr", "add", f"{THERE}/30", "dev", "eth0"],
            [*inside, "link", "set", "eth0", "up"],
        ):
            subprocess.run(command, check=True)
        yield name
    finally:
        # This also deletes the cable.
        subprocess.run(["ip", "netns", "delete", name], check=False)


@pytest.mark.audit
def test_an_agent_in_a_network_of_its_own_plays(namespace: str, start: Start) -> None:
    def play(server: Server) -> tuple[dict[str, object], subprocess.CompletedProcess[str]]:
        episode = server.open()
        variables = {
            "STRESSWEB_CDP_URL": episode["cdp_url"],
            "STRESSWEB_START_URL": episode["start_url"],
            "STRESSWEB_FINISH_URL": f"{server.url}/{episode['token']}/finish",
        }
        command = ["ip", "netns", "exec", namespace, sys.executable, "-P", "-c", HEAD + PLAY]
        done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
        return episode, done

    server = start("--listen", HERE)
    assert server.url.startswith(f"http://{HERE}:")
    episode, done = play(server)
    assert done.returncode == 0, done.stderr
    ended = server.ended(episode)
    assert (ended["status"], ended["claim"]) == ("done", "done")
    steps = server.ask(f"/episodes/{episode['id']}/steps").body
    assert [step["action"]["kind"] for step in steps if step["action"]] == ["CLICK", "DONE"]
    server.end()
    # The namespace cannot reach the loopback of this machine.
    server = start("--listen", "127.0.0.1")
    assert play(server)[1].returncode != 0
