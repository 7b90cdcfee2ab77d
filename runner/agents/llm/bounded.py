"""A client for HTTP whose answers have an end: no server makes this process hold more than it may."""

import ssl
from collections.abc import Iterator
from functools import cache

import httpx
from openai import DefaultHttpxClient

from runner.agents.llm.proxies import proxy_of
from stressweb.core.address import local

LARGEST = 32_000_000
"""Bytes that an answer may have. A model's answer has some thousands."""


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


def client(seconds: float, url: str) -> httpx.Client:
    """Return a client for an endpoint that asks for answers as they are, and bounds what comes.

    `seconds` is the time that connecting and each piece of an answer have. Raises UserError if the environment names a
    proxy for the endpoint that cannot be used.
    """
    proxy = proxy_of(url)
    request = [_plain, _outside] if proxy else [_plain]
    # The client reads the environment itself unless it is given a proxy or a transport, and fails at odd entries.
    trusted = _trusted()
    way = {"proxy": proxy, "verify": trusted} if proxy else {"transport": httpx.HTTPTransport(verify=trusted)}
    return DefaultHttpxClient(timeout=seconds, event_hooks={"request": request, "response": [_bounded]}, **way)


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
