"""Serves a folder of static pages, such as the docs site, to browsers on this machine."""

from http import HTTPStatus
from pathlib import Path

from flask import Flask, Response, send_from_directory
from werkzeug.exceptions import NotFound

from stressweb.runner.view.guard import protect

_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Pages may only load and run files from the folder."""


def create_pages(folder: Path) -> Flask:
    """Return an application that serves a folder, with `index.html` at `/`, and `404.html` for missing files."""
    app = Flask(__name__, static_folder=None)
    protect(app)

    @app.get("/")
    @app.get("/<path:name>")
    def page(name: str = "index.html") -> Response:
        return send_from_directory(folder.resolve(), name)

    @app.errorhandler(NotFound)
    def missing(error: NotFound) -> tuple[Response | str, int]:
        known = (folder / "404.html").is_file()
        return send_from_directory(folder.resolve(), "404.html") if known else "not found", HTTPStatus.NOT_FOUND

    @app.after_request
    def allow(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = _POLICY
        return response

    return app
