"""Episode servers, each in a process as a user starts it, and agents that play there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.episode_server import Scripted, Server, Start


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the tests of a file share."""
    started = Server("--out", str(tmp_path_factory.mktemp("host") / "run"))
    yield started
    started.end()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server for one test: `start("--idle", "2")`. A second one gets the same folder."""
    servers: list[Server] = []

    def started(*options: str) -> Server:
        servers.append(Server("--out", str(tmp_path / "run"), *options))
        return servers[-1]

    yield started
    for server in servers:
        if server.process.poll() is None:
            server.end()


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    """Player of scripted agents: `scripted.play("naive", episode, server)`."""
    return Scripted(tmp_path)
