"""Who may read what a local server shows: the browser of this machine, and no other page in it."""

import re
from http import HTTPStatus

from flask import Flask, Response, abort, request

HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names by which a browser of this machine may call the server. A page of another site that has its name lead to this
machine (DNS rebinding) still sends its own."""
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Without it another page could load a side file of a report as a script of its own.
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


def protect(app: Flask) -> None:
    """Refuse what does not come from a page of the application or from the reader, and forbid all that is not needed.

    An answer without a policy of its own gets `POLICY`.
    """

    @app.before_request
    def guard() -> None:
        # Nothing here changes anything, so that no method is answered by which a form of another page could try.
        if request.method not in ("GET", "HEAD"):
            abort(HTTPStatus.METHOD_NOT_ALLOWED)
        if host_of(request.headers.get("Host", "")) not in HOSTS:
            abort(HTTPStatus.MISDIRECTED_REQUEST, "This server answers only to 127.0.0.1 and localhost.")
        # Another page may lead here by a link, and load nothing from here.
        site, mode = request.headers.get("Sec-Fetch-Site", "none"), request.headers.get("Sec-Fetch-Mode", "")
        if site not in ("none", "same-origin") and mode != "navigate":
            abort(HTTPStatus.FORBIDDEN, "Another page asked for this.")

    @app.after_request
    def restrict(response: Response) -> Response:
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.update(_HEADERS)
        return response


def host_of(header: str) -> str:
    """Return the name in a Host header, without the port."""
    return re.sub(r":[0-9]{1,5}\Z", "", header).lower()
