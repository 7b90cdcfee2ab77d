"""An HTTP transport that records an endpoint's answers, or replays recorded ones."""

from collections.abc import Callable, Iterator

import httpx

from stressweb.log.exchanges import Answer, Exchanges, Question


class RecordingTransport(httpx.BaseTransport):
    """Wraps another transport."""

    def __init__(self, transport: httpx.BaseTransport, exchanges: Exchanges, url: str) -> None:
        """Take the transport to the endpoint, the recorder or replayer, and the endpoint's base URL."""
        self._transport, self._exchanges = transport, exchanges
        self._base = httpx.URL(url).raw_path.rstrip(b"/")

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request; raises Left if a replay has no recorded answer for it."""
        path = request.url.raw_path.removeprefix(self._base).lstrip(b"/").decode("ascii")
        question = Question("openai", request.method, path, request.read())
        if recorded := self._exchanges.answer(question):
            return httpx.Response(recorded.status, headers=recorded.headers, content=recorded.body)
        response = self._transport.handle_request(request)
        assert isinstance(response.stream, httpx.SyncByteStream)

        def keep(body: bytes) -> None:
            self._exchanges.keep(question, Answer(response.status_code, response.headers, body))

        response.stream = _RecordedStream(response.stream, keep)
        return response

    def close(self) -> None:
        """Close the wrapped transport."""
        self._transport.close()


class _RecordedStream(httpx.SyncByteStream):
    """Passes on the bytes of an answer, and records the whole once it is complete."""

    def __init__(self, stream: httpx.SyncByteStream, keep: Callable[[bytes], None]) -> None:
        self._stream, self._keep = stream, keep

    def __iter__(self) -> Iterator[bytes]:
        parts: list[bytes] = []
        for part in self._stream:
            parts.append(part)
            yield part
        self._keep(b"".join(parts))

    def close(self) -> None:
        self._stream.close()
