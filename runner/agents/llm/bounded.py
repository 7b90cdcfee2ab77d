"""An HTTP client that limits the size of answers, so that no server can exhaust this process's memory."""

import ssl
from collections.abc import Iterator
from functools import cache

import httpx

from stressweb.core.address import local
from stressweb.log.exchanges import Exchanges
from stressweb.runner.agents.llm.proxies import proxy_of
from stressweb.runner.agents.llm.recording_transport import RecordingTransport

LARGEST = 32_000_000
"""Maximum size of an answer, in bytes. Typical answers have a few thousand."""
CONNECT_S = 30.0
"""Time limit for connecting, in seconds, where the answer itself has no time limit."""


class _Counted(httpx.SyncByteStream):
    """Passes on the bytes of an answer; raises httpx.RemoteProtocolError if there are more than `LARGEST`."""

    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if size > LARGEST:
                raise httpx.RemoteProtocolError(f"the answer has more than {LARGEST:,} bytes")
            yield part

    def close(self) -> None:
        self._stream.close()


def client(seconds: float, url: str, exchanges: Exchanges | None = None) -> httpx.Client:
    """Return a client for an endpoint that asks for uncompressed answers and limits their size.

    `seconds` is the time limit for connecting and for each piece of an answer. `exchanges` records the endpoint's
    answers, or replays them. Raises UserError if the environment names an unusable proxy.
    """
    exchanges = exchanges or Exchanges()
    proxy = None if exchanges.replays else proxy_of(url)
    request = [_ask_uncompressed, _refuse_local] if proxy else [_ask_uncompressed]
    # The default transport reads the environment itself and fails at odd entries.
    transport = RecordingTransport(httpx.HTTPTransport(verify=_ssl_context(), proxy=proxy), exchanges, url)
    # As openai's own client, which takes a second to import, and programs of users need this one without openai.
    return httpx.Client(
        timeout=seconds,
        follow_redirects=True,
        event_hooks={"request": request, "response": [_limit_size]},
        transport=transport,
    )


def passing_client(url: str) -> httpx.AsyncClient:
    """Return a client that passes requests on to an endpoint, without a time limit for answers.

    Raises UserError if the environment names an unusable proxy.
    """
    transport = httpx.AsyncHTTPTransport(verify=_ssl_context(), proxy=proxy_of(url))
    timeout = httpx.Timeout(None, connect=CONNECT_S)
    return httpx.AsyncClient(timeout=timeout, transport=transport, follow_redirects=False)


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return the trusted certificates, cached because loading them is the slowest part of creating a client."""
    return httpx.create_ssl_context()


def _ask_uncompressed(request: httpx.Request) -> None:
    # The default asks for compressed answers, whose unpacked size is unknown.
    request.headers["Accept-Encoding"] = "identity"


def _refuse_local(request: httpx.Request) -> None:
    # The client would follow a redirect to a local address through the proxy.
    if local(str(request.url)):
        raise httpx.RemoteProtocolError("the endpoint redirects to an address of this network")


def _limit_size(response: httpx.Response) -> None:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        # A few bytes of gzip can become gigabytes.
        raise httpx.RemoteProtocolError(f"the answer is encoded as {encoding[:40]!r}, which was not asked for")
    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = _Counted(response.stream)
