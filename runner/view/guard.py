"""Protects a local server: only browsers on this machine may read it, and no other page in them."""

import re
from http import HTTPStatus

from flask import Flask, Response, abort, request

HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Allowed Host headers. With DNS rebinding, where a site's name resolves to this machine, the header has that name."""
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Otherwise another page could load a report's side file as a script.
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


def protect(app: Flask) -> None:
    """Refuse requests from other pages, and restrict what the application's pages may load.

    A response without its own policy gets `POLICY`.
    """

    @app.before_request
    def guard() -> None:
        # The server is read-only.
        if request.method not in ("GET", "HEAD"):
            abort(HTTPStatus.METHOD_NOT_ALLOWED)
        if host_of(request.headers.get("Host", "")) not in HOSTS:
            abort(HTTPStatus.MISDIRECTED_REQUEST, "This server answers only to 127.0.0.1 and localhost.")
        # Another page may link to this server, but not load anything from it.
        site, mode = request.headers.get("Sec-Fetch-Site", "none"), request.headers.get("Sec-Fetch-Mode", "")
        if site not in ("none", "same-origin") and mode != "navigate":
            abort(HTTPStatus.FORBIDDEN, "Requests from other pages are not allowed.")

    @app.after_request
    def restrict(response: Response) -> Response:
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.update(_HEADERS)
        return response


def host_of(header: str) -> str:
    """Return the name in a Host header, without the port."""
    return re.sub(r":[0-9]{1,5}\Z", "", header).lower()
