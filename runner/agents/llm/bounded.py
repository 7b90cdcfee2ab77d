"""A client for HTTP whose answers have an end: no server makes this process hold more than it may."""

import ssl
from collections.abc import Iterator
from functools import cache

import httpx
from openai import DefaultHttpxClient

from runner.agents.llm.kept import KeptTransport
from runner.agents.llm.proxies import proxy_of
from stressweb.core.address import local
from stressweb.log.exchanges import Exchanges

LARGEST = 32_000_000
"""Bytes that an answer may have. A model's answer has some thousands."""
CONNECT_S = 30.0
"""Seconds that connecting to an endpoint has where the answer has as long as it takes."""


class _Counted(httpx.SyncByteStream):
    """Passes on the bytes of an answer, and breaks off where there are too many."""

    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        taken = 0
        for part in self._stream:
            taken += len(part)
            if taken > LARGEST:
                raise httpx.RemoteProtocolError(f"the answer has more than {LARGEST:,} bytes")
            yield part

    def close(self) -> None:
        self._stream.close()


def client(seconds: float, url: str, exchanges: Exchanges | None = None) -> httpx.Client:
    """Return a client for an endpoint that asks for answers as they are, and bounds what comes.

    `seconds` is the time that connecting and each piece of an answer have. `exchanges` records what the endpoint
    answers, or answers in its place. Raises UserError if the environment names a proxy for the endpoint that cannot be
    used.
    """
    exchanges = exchanges or Exchanges()
    proxy = None if exchanges.replays else proxy_of(url)
    request = [_plain, _outside] if proxy else [_plain]
    # The client reads the environment itself unless it is given a transport, and fails at odd entries.
    way = KeptTransport(httpx.HTTPTransport(verify=_trusted(), proxy=proxy), exchanges, url)
    return DefaultHttpxClient(timeout=seconds, event_hooks={"request": request, "response": [_bounded]}, transport=way)


def passing_client(url: str) -> httpx.AsyncClient:
    """Return a client that passes requests on to an endpoint: an answer may take as long as whoever asked waits.

    Raises UserError if the environment names a proxy for the endpoint that cannot be used.
    """
    way = httpx.AsyncHTTPTransport(verify=_trusted(), proxy=proxy_of(url))
    return httpx.AsyncClient(timeout=httpx.Timeout(None, connect=CONNECT_S), transport=way, follow_redirects=False)


@cache
def _trusted() -> ssl.SSLContext:
    """Return whom clients trust: read once, since each of many episodes has a client, and this takes longest of it."""
    return httpx.create_ssl_context()


def _plain(request: httpx.Request) -> None:
    # By default the client asks for compressed answers, whose size is not known before they are unpacked.
    request.headers["Accept-Encoding"] = "identity"


def _outside(request: httpx.Request) -> None:
    # A redirect may lead there, and this client would ask the proxy for it.
    if local(str(request.url)):
        raise httpx.RemoteProtocolError("the endpoint redirects to an address of this network")


def _bounded(response: httpx.Response) -> None:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        # A few bytes of gzip become gigabytes, and what was asked for is plain.
        raise httpx.RemoteProtocolError(f"the answer is encoded as {encoding[:40]!r}, which was not asked for")
    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = _Counted(response.stream)
