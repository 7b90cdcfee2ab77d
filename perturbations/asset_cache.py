"""A cache of a site's pictures and style sheets: one episode requests them, and the next ones share them."""

from collections.abc import Callable

from mitmproxy.http import HTTPFlow, Request, Response

LARGEST_ANSWER = 8 << 20
"""Largest answer in the cache, in bytes."""
LARGEST_CACHE = 64 << 20
"""Largest size of the cache of a site, in bytes."""
_SITE_ONLY = (
    "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Authorization",
)  # fmt: skip
"""Headers of requests that only the site can answer. `Cache-Control: no-cache` is not among them: a browser to which
Playwright has passed a proxy's password caches nothing itself, and sends that header with every request."""
_UNCACHED = frozenset(("no-store", "no-cache", "private"))


class AssetCache:
    """A shared cache by RFC 9111, only of answers that depend on nothing but the URL and are surely fresh.

    Its answers have no `Age`: a page must not see whether its episode is the first to ask.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Take a clock in seconds: nothing in this package reads one itself, so that no draw can depend on it."""
        self._clock = clock
        self._entries: dict[str, tuple[float, Response]] = {}
        self._bytes = 0

    def answer(self, request: Request) -> Response | None:
        """Return the answer to a request, if it is cached and fresh."""
        until, response = self._entries.get(request.path, (0.0, None))
        if response is None or not _is_plain(request) or self._clock() >= until:
            return None
        return response.copy()

    def watch(self, flow: HTTPFlow) -> None:
        """Cache the streamed answer of a flow once all of it has passed, if it may be cached."""
        response = flow.response
        assert response is not None
        lifetime_s, length = lifetime_of(response), _length(response)
        if (
            not _is_plain(flow.request)
            or lifetime_s <= 0
            or not 0 < length <= min(LARGEST_ANSWER, LARGEST_CACHE - self._bytes)
        ):
            return
        path, until, body = flow.request.path, self._clock() + lifetime_s, bytearray()

        def collect(chunk: bytes) -> bytes:
            body.extend(chunk)
            # b"" is the end, unless it comes early: over HTTP/2 a body may have empty chunks.
            if not chunk and len(body) == length:
                self._store(path, until, response, bytes(body))
            return chunk

        response.stream = collect

    def _store(self, path: str, until: float, response: Response, body: bytes) -> None:
        _, stale = self._entries.get(path, (0.0, None))
        self._bytes += len(body) - len(stale.raw_content or b"" if stale else b"")
        entry = response.copy()
        entry.raw_content = body
        self._entries[path] = until, entry


def lifetime_of(response: Response) -> float:
    """Return for how many seconds the answer may be reused for any request for its URL; 0 if it may not."""
    if response.status_code != 200 or "Set-Cookie" in response.headers or "Vary" in response.headers:
        return 0
    directives: dict[str, str] = {}
    for part in response.headers.get("Cache-Control", "").split(","):
        name, _, value = part.partition("=")
        directives.setdefault(name.strip().lower(), value.strip().strip('"'))
    if not _UNCACHED.isdisjoint(directives):
        return 0
    # `s-maxage` is for shared caches and comes first.
    max_age = directives.get("s-maxage", directives.get("max-age", ""))
    age = response.headers.get("Age", "0").strip()
    return max(0, int(max_age) - int(age)) if max_age.isdecimal() and age.isdecimal() else 0


def _is_plain(request: Request) -> bool:
    return request.method == "GET" and not any(name in request.headers for name in _SITE_ONLY)


def _length(response: Response) -> int:
    length: str = response.headers.get("Content-Length", "").strip()
    return int(length) if length.isdecimal() else 0
