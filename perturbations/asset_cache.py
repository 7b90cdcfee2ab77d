"""A cache of a site's assets (pictures, style sheets, scripts), shared by all episodes."""

from collections.abc import Callable

from mitmproxy.http import HTTPFlow, Request, Response

LARGEST_ANSWER = 8 << 20
"""Largest cached response, in bytes."""
LARGEST_CACHE = 64 << 20
"""Largest size of the cache of a site, in bytes."""
_SITE_ONLY = (
    "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Authorization",
)  # fmt: skip
"""Requests with one of these headers go to the site. `Cache-Control: no-cache` is not in the list: a browser that
got its proxy password from Playwright caches nothing and sends it with every request."""
_UNCACHED = frozenset(("no-store", "no-cache", "private"))


class AssetCache:
    """A shared cache (RFC 9111) of responses that depend only on the URL and have an explicit lifetime.

    Its responses have no `Age` header: a page must not see whether its episode was the first to request them.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Take a clock in seconds; this package reads no clock itself, so that no draw can depend on one."""
        self._clock = clock
        self._entries: dict[str, tuple[float, Response]] = {}
        self._bytes = 0

    def answer(self, request: Request) -> Response | None:
        """Return the cached response to a request if it is fresh, else None."""
        expiry, response = self._entries.get(request.path, (0.0, None))
        if response is None or not _is_plain(request) or self._clock() >= expiry:
            return None
        return response.copy()

    def watch(self, flow: HTTPFlow) -> None:
        """Cache the streamed response of a flow once its whole body has passed, if it is cacheable."""
        response = flow.response
        assert response is not None
        lifetime_s, length = lifetime_of(response), _length(response)
        if (
            not _is_plain(flow.request)
            or lifetime_s <= 0
            or not 0 < length <= min(LARGEST_ANSWER, LARGEST_CACHE - self._bytes)
        ):
            return
        path, expiry, body = flow.request.path, self._clock() + lifetime_s, bytearray()

        def collect(chunk: bytes) -> bytes:
            body.extend(chunk)
            # b"" marks the end, but over HTTP/2 a body may also have empty chunks.
            if not chunk and len(body) == length:
                self._store(path, expiry, response, bytes(body))
            return chunk

        response.stream = collect

    def _store(self, path: str, expiry: float, response: Response, body: bytes) -> None:
        _, stale = self._entries.get(path, (0.0, None))
        self._bytes += len(body) - len(stale.raw_content or b"" if stale else b"")
        entry = response.copy()
        entry.raw_content = body
        self._entries[path] = expiry, entry


def lifetime_of(response: Response) -> float:
    """Return for how many seconds any request for the URL may reuse the response; 0 if none may."""
    if response.status_code != 200 or "Set-Cookie" in response.headers or "Vary" in response.headers:
        return 0
    directives: dict[str, str] = {}
    for part in response.headers.get("Cache-Control", "").split(","):
        name, _, value = part.partition("=")
        directives.setdefault(name.strip().lower(), value.strip().strip('"'))
    if not _UNCACHED.isdisjoint(directives):
        return 0
    # `s-maxage` is for shared caches and overrides `max-age`.
    max_age = directives.get("s-maxage", directives.get("max-age", ""))
    age = response.headers.get("Age", "0").strip()
    return max(0, int(max_age) - int(age)) if max_age.isdecimal() and age.isdecimal() else 0


def _is_plain(request: Request) -> bool:
    return request.method == "GET" and not any(name in request.headers for name in _SITE_ONLY)


def _length(response: Response) -> int:
    length: str = response.headers.get("Content-Length", "").strip()
    return int(length) if length.isdecimal() else 0
