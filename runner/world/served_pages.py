"""Pages that `serve` adds to a site: a reset, and the overlay with a log of the modes' effects. Not in episodes."""

import json
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from mitmproxy import http

from stressweb.core.conditions import Condition
from stressweb.perturbations import EpisodePerturber
from stressweb.runner.world.gestures import GestureLog, first_words

OVERLAY_PATH = "/__stressweb/"
"""Path of the overlay. No site has a path with this prefix."""
RESET_PATH = f"{OVERLAY_PATH}reset"
_FILES = Path(__file__).parent / "overlay"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class ServedPages:
    """Answers requests to the paths of `serve`, and leaves all other requests to the site."""

    def __init__(
        self,
        title: str,
        condition: Condition,
        stress: EpisodePerturber,
        reset: Callable[[], EpisodePerturber],
        *,
        with_effects_log: bool,
    ) -> None:
        """Take what is served. `reset` gives the site a fresh database."""
        self._title = title
        self._condition = condition
        self._reset = reset
        self._with_effects_log = with_effects_log
        self._resets = 0
        self._log = self._watching(stress)

    def answer(self, request: http.Request) -> http.Response | None:
        """Return the response to a request; None if the site must answer it."""
        path = urlsplit(request.path).path
        if path == RESET_PATH:
            return self._refusal(request) or self._reset_response(request)
        if not self._with_effects_log or not path.startswith(OVERLAY_PATH):
            return None
        if path == f"{OVERLAY_PATH}events":
            return self._refusal(request) or self._events(request)
        return _file(path.removeprefix(OVERLAY_PATH) or "overlay.html")

    def _watching(self, stress: EpisodePerturber) -> GestureLog:
        log = GestureLog(self._condition)
        stress.watched = True
        if self._with_effects_log:
            stress.watcher = log
        return log

    def _refusal(self, request: http.Request) -> http.Response | None:
        # Pages of other origins must not reset the site or read its log.
        if request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin"):
            return None
        return http.Response.make(HTTPStatus.FORBIDDEN, b"Forbidden")

    def _reset_response(self, request: http.Request) -> http.Response:
        """Reset the database, the sign-in and all attempts, and redirect to the first page."""
        self._resets += 1
        self._log = self._watching(self._reset())
        headers = [(b"Location", b"/"), (b"Cache-Control", b"no-store"), (b"Clear-Site-Data", b'"storage"')]
        # Expire each cookie, since `Clear-Site-Data: "cookies"` can take a browser seconds.
        expired_cookies = (f"{name}=; Path=/; Max-Age=0".encode("latin-1", "replace") for name in request.cookies)
        headers.extend((b"Set-Cookie", cookie) for cookie in expired_cookies)
        return http.Response.make(HTTPStatus.SEE_OTHER, b"", headers)

    def _events(self, request: http.Request) -> http.Response:
        query = parse_qs(urlsplit(request.path).query)
        number, page = query.get("after", ["0"])[0], query.get("page", [""])[0]
        state = {
            "title": self._title,
            "first": first_words(self._condition),
            "resets": self._resets,
            "lines": [line._asdict() for line in self._log.since(int(number) if number.isdecimal() else 0)],
            "places": self._log.places(page),
        }
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
        return http.Response.make(HTTPStatus.OK, json.dumps(state), headers)


def _file(name: str) -> http.Response:
    path = _FILES / name
    # Accept only a file name, so that nothing outside the folder is served.
    if "/" in name or path.suffix not in _TYPES or not path.is_file():
        return http.Response.make(HTTPStatus.NOT_FOUND, b"Not found")
    headers = {
        "Content-Type": f"{_TYPES[path.suffix]}; charset=utf-8",
        "Content-Security-Policy": _POLICY,
        "Cache-Control": "no-store",
    }
    return http.Response.make(HTTPStatus.OK, path.read_bytes(), headers)
