"""A site's web sockets pass an episode's proxy, only with its credential and only to the site."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Browser, ProxySettings
from websockets.exceptions import InvalidProxyStatus
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

from stressweb.perturbations import PROXY_USER
from stressweb.runner.world.world import World
from tests.support.upstream import HOST, Port, Upstream
from tests.support.waiting import PATIENCE_S


def echo(connection: ServerConnection) -> None:
    for message in connection:
        connection.send(f"heard {message!r}")


@pytest.fixture
def port(world: World) -> Iterator[Port]:
    """A port of the proxy, before a site that answers web sockets."""
    with serve(echo, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        upstream = Upstream()
        upstream.close()
        upstream.address = server.socket.getsockname()
        with closing(Port(world, upstream, None, local=False)) as port:
            port.binding.needs_no_credential = False
            port.binding.credential = "secret"
            yield port


def proxy(port: Port, password: str = "secret") -> str:
    return f"http://{PROXY_USER}:{password}@127.0.0.1:{port.number}"


def test_messages_pass_both_ways_and_nothing_waits_for_them(port: Port) -> None:
    with connect(f"ws://{HOST}/live", proxy=proxy(port)) as socket:
        for message in ("one", "two"):
            socket.send(message)
            assert socket.recv(timeout=PATIENCE_S) == f"heard {message!r}"
        assert port.ended()
        assert port.binding.started == 1


def test_without_the_credential_there_is_none(port: Port) -> None:
    with pytest.raises(InvalidProxyStatus, match="407"):
        connect(f"ws://{HOST}/live", proxy=proxy(port, "guess"))


@pytest.mark.parametrize("url", ["ws://elsewhere.test/", f"ws://{HOST}:81/", f"wss://{HOST}/"])
def test_no_other_host_is_reached(port: Port, url: str) -> None:
    with pytest.raises(InvalidProxyStatus, match="403"):
        connect(url, proxy=proxy(port))


def test_a_page_in_a_browser_has_them(port: Port, browser: Browser) -> None:
    server = ProxySettings(server=f"http://127.0.0.1:{port.number}", username=PROXY_USER, password="secret")
    with closing(browser.new_context(proxy=server)) as context:
        page = context.new_page()
        # The proxy asks the browser for the credential when it opens a page.
        page.goto(f"http://{HOST}/")
        answer = page.evaluate(
            """(url) => new Promise((done, fail) => {
              const socket = new WebSocket(url);
              socket.onopen = () => socket.send("one");
              socket.onmessage = ({ data }) => done(data);
              socket.onerror = () => fail(new Error("no web socket"));
            })""",
            f"ws://{HOST}/live",
        )
    assert answer == "heard 'one'"
