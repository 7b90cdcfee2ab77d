"""The proxy of a request: none for an address of this machine or its network, whatever the environment."""

import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import UserError
from stressweb.plugins.scripted_model import ScriptedModel, say
from stressweb.runner.agents.llm.bounded import client
from stressweb.runner.agents.llm.endpoint_config import EndpointConfig
from stressweb.runner.agents.llm.proxies import bypassed, proxy_of

PROXY = "http://proxy.test:3128"
ODD = "localhost,127.0.0.0/8,::1/128"


@pytest.fixture
def spy() -> Iterator[tuple[str, list[bytes]]]:
    """A proxy that records its requests."""
    sent: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    sent.append(connection.recv(4096))

        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", sent
        # Closing the socket would not wake the thread.
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("exceptions", ["", ODD, "[::1", "http://[", "example.test"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_request_to_this_machine_goes_to_no_proxy(
    host: str, exceptions: str, spy: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, sent = spy
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, address)
    monkeypatch.setenv("NO_PROXY", exceptions)
    monkeypatch.setenv("no_proxy", exceptions)
    with ScriptedModel(say("x")) as server:
        config = EndpointConfig(server.url.replace("127.0.0.1", host), "sk-test-0123456789abcdef")
        config.probe()
        assert (server.probed, sent) == (1, [])


def test_another_request_goes_to_the_proxy_of_its_scheme(
    spy: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, sent = spy
    monkeypatch.setenv("http_proxy", address)
    monkeypatch.setenv("no_proxy", ODD)
    with client(2, "http://models.test/v1") as asking, pytest.raises(Exception, match="disconnected"):
        asking.get("http://models.test/v1/models")
    assert sent[0].startswith(b"GET http://models.test/v1/models ")


@pytest.mark.parametrize(
    ("url", "proxies", "proxy"),
    [
        ("https://models.test/v1", {"https": PROXY}, PROXY),
        ("https://models.test/v1", {"http": PROXY}, None),
        ("https://models.test/v1", {"all": PROXY}, PROXY),
        ("https://models.test/v1", {"https": "proxy.test:3128"}, PROXY),
        ("https://models.test/v1", {"https": PROXY, "no": "models.test"}, None),
        ("https://models.test/v1", {}, None),
        ("http://localhost:1/v1", {"http": PROXY, "all": PROXY}, None),
        ("http://LOCALHOST.:1/v1", {"http": PROXY}, None),
        ("http://api.localhost/v1", {"http": PROXY}, None),
        ("http://192.168.1.7/v1", {"http": PROXY}, None),
        ("http://10.0.0.1:8000/v1", {"http": PROXY}, None),
        ("http://[::1]:8000/v1", {"http": PROXY}, None),
        ("http://[fd00::7]/v1", {"all": PROXY}, None),
        ("http://127.5.5.5/v1", {"http": "not a proxy"}, None),
    ],
)
def test_the_proxy_of_an_address(url: str, proxies: dict[str, str], proxy: str | None) -> None:
    assert proxy_of(url, proxies) == proxy


@pytest.mark.parametrize(
    ("exceptions", "there", "missing"),
    [
        ("*", "a.test", ""),
        ("a.test", "a.test", "xa.test"),
        ("a.test", "b.a.test", "a.test.org"),
        (".a.test", "b.a.test", "aa.test"),
        ("*.a.test", "b.a.test", "aa.test"),
        ("A.Test", "a.test", "b.test"),
        (" b.test , a.test ", "a.test", "c.test"),
        ("b.test a.test", "a.test", "c.test"),
        ("https://a.test", "a.test", "b.test"),
        ("a.test:443", "a.test", "a.test:8443"),
        ("a.test:8443", "a.test:8443", "a.test"),
        ("8.8.0.0/16", "8.8.4.4", "8.9.4.4"),
        ("8.8.8.8", "8.8.8.8", "8.8.8.9"),
        ("2001:db8::/32", "[2001:db8::1]", "[2002:db8::1]"),
        ("[2001:db8::1]", "[2001:db8::1]", "[2001:db8::2]"),
        ("[2001:db8::1]:443", "[2001:db8::1]", "[2001:db8::1]:8443"),
        (f"{ODD},a.test", "a.test", "b.test"),
        ("[::1,300.1.1.1/99,://,/,.,:,a.test", "a.test", "b.test"),
    ],
)
def test_hosts_named_by_no_proxy(exceptions: str, there: str, missing: str) -> None:
    assert bypassed(f"https://{there}/v1", exceptions)
    assert not missing or not bypassed(f"https://{missing}/v1", exceptions)


@given(st.text())
def test_any_text_may_stand_in_no_proxy(exceptions: str) -> None:
    bypassed("https://models.test/v1", exceptions)


@pytest.mark.parametrize("address", ["http://", "http://[", "ftp://user:hunter2@proxy.test", "http://proxy.test:port"])
def test_a_proxy_that_cannot_be_used_is_named_by_its_variable_alone(address: str) -> None:
    with pytest.raises(UserError) as caught:
        proxy_of("https://models.test/v1", {"https": address})
    assert str(caught.value).startswith("HTTPS_PROXY is not the address of a proxy")
    assert "hunter2" not in str(caught.value)
