"""The ports of an episode: those of agent and evidence always differ, otherwise no page would be disturbed."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection

import pytest

from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.core.errors import InfrastructureError
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support import proxied
from tests.support.toy import PAGE, Toy
from tests.support.waiting import PATIENCE_S


@contextmanager
def open_episode(world: World) -> Iterator[EpisodeWorld]:
    episode = world.open(Toy(), CLEAN, Seeds(0, 0, "toy/x"))
    try:
        yield episode
    finally:
        episode.close()


def test_ports_of_one_episode_differ_even_if_it_wants_the_same(world: World) -> None:
    """A free port is chosen before any is open, so the system may return one twice."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    opened = world.proxy.listen("regular", "regular", port=port)
    world.proxy.release(*opened)
    assert opened[0] == port
    assert opened[1] != port


def test_a_port_belongs_to_one_episode(world: World) -> None:
    """A duplicate port is an error, not an episode without disturbances."""
    with open_episode(world) as episode:
        binding = world.episodes.bindings[episode.port]
        with pytest.raises(InfrastructureError, match=f"port {episode.port} of the proxy is already bound"):
            world.bind(episode.port, binding)


def send_request(
    connection: HTTPConnection, episode: EpisodeWorld, method: str = "GET", *, evidence: bool = False
) -> tuple[int, str]:
    """Send a request over a connection kept across episodes; return status and text of the response."""
    connection.request(method, "http://toy.test/here", headers=proxied.header(episode, evidence=evidence))
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_the_browser_of_the_evidence_may_keep_a_connection(world: World) -> None:
    """Otherwise its page would be "Forbidden", and the agent's finished work would count as not done."""
    with open_episode(world) as before:
        port = before.evidence_port
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as connection:
        with open_episode(world) as first:
            first.look_back("")
            assert send_request(connection, first, evidence=True) == (200, PAGE.replace("{path}", "/here"))
        with open_episode(world) as second:
            assert second.evidence_port == first.evidence_port == port
            # Requests of the previous episode's page do not affect this one.
            assert send_request(connection, second, "POST", evidence=True)[0] == 403
            second.look_back("")
            assert send_request(connection, second, evidence=True) == (200, PAGE.replace("{path}", "/here"))
            assert (second.final(), second.faults()) == ({}, [])


def test_a_connection_of_an_agent_ends_with_its_episode(world: World) -> None:
    with open_episode(world) as before:
        port = before.port
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as connection:
        with open_episode(world) as first:
            assert send_request(connection, first, "POST")[0] == 303
            assert first.final() != {}
        with open_episode(world) as second:
            assert second.port == first.port == port
            assert send_request(connection, second, "POST")[0] == send_request(connection, second)[0] == 403
            assert (second.final(), second.started()) == ({}, 0)
