"""A transport for HTTP that records what an endpoint answers, or answers as recorded."""

from collections.abc import Callable, Iterator

import httpx

from stressweb.log.exchanges import Answer, Exchanges, Question


class KeptTransport(httpx.BaseTransport):
    """Stands between a client and the network."""

    def __init__(self, way: httpx.BaseTransport, exchanges: Exchanges, url: str) -> None:
        """Take the way to the endpoint, what becomes of its answers, and its base URL."""
        self._way, self._exchanges = way, exchanges
        self._base = httpx.URL(url).raw_path.rstrip(b"/")

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request; raises Left where the recording does not go on with it."""
        path = request.url.raw_path.removeprefix(self._base).lstrip(b"/").decode("ascii")
        question = Question("openai", request.method, path, request.read())
        if recorded := self._exchanges.answer(question):
            return httpx.Response(recorded.status, headers=recorded.headers, content=recorded.body)
        response = self._way.handle_request(request)
        assert isinstance(response.stream, httpx.SyncByteStream)

        def keep(body: bytes) -> None:
            self._exchanges.keep(question, Answer(response.status_code, response.headers, body))

        response.stream = _Kept(response.stream, keep)
        return response

    def close(self) -> None:
        """Close the way to the endpoint."""
        self._way.close()


class _Kept(httpx.SyncByteStream):
    """Passes on the bytes of an answer, and hands over the whole once it is complete."""

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
