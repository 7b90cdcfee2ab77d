"""The pages of `stressweb view`: read-only, for the browser of this machine, and for no other page in it."""

import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, render_template, request, send_file, send_from_directory
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from runner.view.reports import REPORT, Reports
from runner.view.runs import Runs, RunSummary
from runner.view.side_by_side import side_by_side
from runner.view.watch import Watch
from stressweb.analysis.wording import percent, points
from stressweb.core.errors import DiskFullError, UserError
from stressweb.report.page import STATIC
from stressweb.report.side_files import NAME

HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names by which a browser of this machine may call the server. A page of another site that has its name lead to this
machine (DNS rebinding) still sends its own."""
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Without these another page could load a side file of a report as a script of its own.
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_FOLDER = re.compile(r"report-[0-9a-f]{16}")


def create_app(runs: Runs, reports: Reports) -> Flask:
    """Return the application that shows these runs."""
    app = Flask(__name__)
    watch = Watch()

    @app.before_request
    def guard() -> None:
        if request.method not in ("GET", "HEAD"):
            abort(HTTPStatus.METHOD_NOT_ALLOWED)
        if host_of(request.headers.get("Host", "")) not in HOSTS:
            abort(HTTPStatus.MISDIRECTED_REQUEST, "This server answers only to 127.0.0.1 and localhost.")
        # Another page may lead here by a link, and load nothing from here.
        site, mode = request.headers.get("Sec-Fetch-Site", "none"), request.headers.get("Sec-Fetch-Mode", "")
        if site not in ("none", "same-origin") and mode != "navigate":
            abort(HTTPStatus.FORBIDDEN, "Another page asked for this.")

    @app.after_request
    def protect(response: Response) -> Response:
        # A report has a policy of its own, which is stricter but for its scripts; a header would only narrow it.
        response.headers.setdefault("Content-Security-Policy", _POLICY)
        response.headers.update(_HEADERS)
        return response

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> tuple[str, int]:
        return render_template("problem.html", said=error.description), error.code or 500

    @app.errorhandler(UserError)
    @app.errorhandler(DiskFullError)
    def problem(error: Exception) -> tuple[str, int]:
        return render_template("problem.html", said=" ".join(str(error).split())), HTTPStatus.NOT_FOUND

    @app.get("/")
    def index() -> str:
        found = runs.summaries()
        known = [run for run in found if not run.broken]
        return render_template(
            "runs.html",
            folder=runs.folder,
            runs=found,
            agents=sorted({agent for run in known for agent in run.agents}),
            conditions=sorted({label for run in known for label in run.conditions}),
            percent=percent,
        )

    @app.get("/runs.json")
    def progress() -> dict[str, Any]:
        return {"runs": [_progress(run, watch) for run in runs.summaries()]}

    @app.get("/watch/<path:name>")
    def watched(name: str) -> str:
        return render_template("watch.html", run=runs.summary(name), percent=percent)

    @app.get("/watch.json/<path:name>")
    def watched_progress(name: str) -> dict[str, Any]:
        run = runs.summary(name)
        return _progress(run, watch) | {"agents": render_template("agents.html", run=run, percent=percent)}

    @app.get("/compare")
    def compare() -> str:
        left, right = request.args.get("a", ""), request.args.get("b", "")
        return render_template(
            "compare.html",
            left=left,
            right=right,
            found=side_by_side(runs.content(left), runs.content(right)),
            percent=percent,
            points=points,
        )

    @app.get(f"/report/<path:name>/{REPORT}")
    def report(name: str) -> AnyResponse:
        response = send_file(reports.of(runs.path(name)) / REPORT, mimetype="text/html", conditional=False)
        response.headers["Content-Security-Policy"] = "frame-ancestors 'none'; connect-src 'none'"
        return response

    @app.get("/report/<path:name>/<folder>/<file>")
    def side_file(name: str, folder: str, file: str) -> AnyResponse:
        made = reports.made(runs.path(name))
        if made is None or not _FOLDER.fullmatch(folder) or not NAME.fullmatch(file):
            abort(HTTPStatus.NOT_FOUND)
        return send_from_directory(made / folder, file, mimetype="text/javascript")

    @app.get("/look/<file>")
    def look(file: str) -> AnyResponse:
        if file not in ("report.css", "theme.js"):
            abort(HTTPStatus.NOT_FOUND)
        return send_from_directory(STATIC, file)

    return app


def host_of(header: str) -> str:
    """Return the name in a Host header, without the port."""
    return re.sub(r":[0-9]{1,5}\Z", "", header).lower()


def _progress(run: RunSummary, watch: Watch) -> dict[str, Any]:
    pace = watch.pace(run)
    return {
        "name": run.name,
        "total": run.total,
        "done": run.done,
        "failed": run.failed,
        "errors": run.errors,
        "active": run.active,
        "finished": run.finished,
        "broken": run.broken,
        "per_minute": pace.per_minute,
        "left_s": pace.left_s,
    }


def open_app(folder: Path) -> tuple[Flask, Reports]:
    """Return the application for the runs of a folder, and the reports to close when it ends.

    Raises UserError if there is no such folder.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; name the folder of your runs")
    reports = Reports()
    return create_app(Runs(folder), reports), reports
