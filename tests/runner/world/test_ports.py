"""The ports of an episode: the agent's and that of the evidence are never one, or no page would be disturbed."""

import pytest

from runner.world import proxy
from runner.world.proxy import ProxyThread
from runner.world.world import World
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.core.errors import InfrastructureError
from tests.toy import Toy


def test_a_port_that_the_system_gives_twice_is_opened_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system picks at random, and nobody listens yet at what it gave a moment ago."""
    free = proxy._free_port
    once = free(0)
    given = iter((once, once, once))
    monkeypatch.setattr(proxy, "_free_port", lambda wanted: next(given, None) or free(wanted))
    opened = world._proxy.listen("regular", "regular")
    world._proxy.release(*opened)
    assert opened[0] == once
    assert opened[1] != once


def test_a_port_stands_for_one_episode(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever would have it twice gets an error, and not an episode in which nothing happens."""
    monkeypatch.setattr(world, "_idle", [])
    monkeypatch.setattr(ProxyThread, "listen", lambda *_: [1, 1])
    with pytest.raises(InfrastructureError, match="port 1 of the proxy is given twice"):
        world.open(Toy(), CLEAN, Seeds(0, 0, "toy/x"), b"k" * 16)
    world._addon.bindings.pop(1)
