"""What a site lets be kept, such as pictures and style sheets: one episode asks for it, and the next ones have it."""

from collections.abc import Callable

from mitmproxy.http import HTTPFlow, Request, Response

LARGEST = 8 << 20
"""Bytes of an answer that is kept."""
ALL = 64 << 20
"""Bytes of all that is kept for a site."""
_ASKS_FOR_MORE = (
    "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Authorization",
)  # fmt: skip
"""Headers of requests that only the site can answer. `Cache-Control: no-cache` is not among them: a browser that
Playwright gives a proxy's password to keeps nothing itself, and sends it with every request."""
_FORBIDS = frozenset(("no-store", "no-cache", "private"))


class AssetCache:
    """A shared cache by RFC 9111, of those answers alone that depend on nothing but the URL and are surely fresh.

    What it answers has no `Age`: whether an episode is the first to ask must not be seen.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Take what tells the seconds: nothing in this room reads a clock, so that no draw can depend on one."""
        self._clock = clock
        self._kept: dict[str, tuple[float, Response]] = {}
        self._bytes = 0

    def answer(self, request: Request) -> Response | None:
        """Return the answer to a request, if it is kept and fresh."""
        until, kept = self._kept.get(request.path, (0.0, None))
        if kept is None or not _is_plain(request) or self._clock() >= until:
            return None
        return kept.copy()

    def watch(self, flow: HTTPFlow) -> None:
        """Keep the answer of a flow, which streams, once all of it has passed; if it may be kept."""
        response = flow.response
        assert response is not None
        lifetime_s, length = lifetime_of(response), _length(response)
        if not _is_plain(flow.request) or lifetime_s <= 0 or not 0 < length <= min(LARGEST, ALL - self._bytes):
            return
        path, until, body = flow.request.path, self._clock() + lifetime_s, bytearray()

        def passed(data: bytes) -> bytes:
            body.extend(data)
            # b"" is the end, unless it comes early: over HTTP/2 a body may have empty pieces.
            if not data and len(body) == length:
                self._keep(path, until, response, bytes(body))
            return data

        response.stream = passed

    def _keep(self, path: str, until: float, response: Response, body: bytes) -> None:
        _, stale = self._kept.get(path, (0.0, None))
        self._bytes += len(body) - len(stale.raw_content or b"" if stale else b"")
        kept = response.copy()
        kept.raw_content = body
        self._kept[path] = until, kept


def lifetime_of(response: Response) -> float:
    """Return for how many seconds an answer may be given to anybody who asks for its URL; 0 if it may not."""
    if response.status_code != 200 or "Set-Cookie" in response.headers or "Vary" in response.headers:
        return 0
    directives: dict[str, str] = {}
    for part in response.headers.get("Cache-Control", "").split(","):
        name, _, value = part.partition("=")
        directives.setdefault(name.strip().lower(), value.strip().strip('"'))
    if not _FORBIDS.isdisjoint(directives):
        return 0
    # The first of them is for caches that many share.
    given = directives.get("s-maxage", directives.get("max-age", ""))
    age = response.headers.get("Age", "0").strip()
    return max(0, int(given) - int(age)) if given.isdecimal() and age.isdecimal() else 0


def _is_plain(request: Request) -> bool:
    return request.method == "GET" and not any(name in request.headers for name in _ASKS_FOR_MORE)


def _length(response: Response) -> int:
    said: str = response.headers.get("Content-Length", "").strip()
    return int(said) if said.isdecimal() else 0
