"""A client for HTTP whose answers have an end: no server makes this process hold more than it may."""

from collections.abc import Iterator

import httpx
from openai import DefaultHttpxClient

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


def client(seconds: float) -> httpx.Client:
    """Return a client that asks for answers as they are, and bounds what comes.

    `seconds` is the time that connecting and each piece of an answer have.
    """
    return DefaultHttpxClient(timeout=seconds, event_hooks={"request": [_plain], "response": [_bounded]})


def _plain(request: httpx.Request) -> None:
    # By default the client asks for compressed answers, whose size is not known before they are unpacked.
    request.headers["Accept-Encoding"] = "identity"


def _bounded(response: httpx.Response) -> None:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        # A few bytes of gzip become gigabytes, and what was asked for is plain.
        raise httpx.RemoteProtocolError(f"the answer is encoded as {encoding[:40]!r}, which was not asked for")
    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = _Counted(response.stream)
