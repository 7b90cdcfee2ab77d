"""The application behind `stressweb view`: read-only pages for browsers on this machine."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Flask, abort, render_template, request, send_file, send_from_directory
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from stressweb.analysis.wording import percent, points
from stressweb.core.errors import DiskFullError, UserError
from stressweb.report.assets import STATIC
from stressweb.report.side_files import NAME
from stressweb.runner.view.guard import protect
from stressweb.runner.view.reports import REPORT, Reports
from stressweb.runner.view.runs import Runs, RunSummary
from stressweb.runner.view.side_by_side import agents_of, default_pairs, side_by_side
from stressweb.runner.view.watch import Watch

_FOLDER = re.compile(r"report-[0-9a-f]{16}")
_LOOK = ("report.css", "theme.js")
"""Files of reports that these pages share."""


def open_app(folder: Path) -> tuple[Flask, Reports]:
    """Return the application for the runs in a folder, and the reports, which the caller must close.

    Raises UserError if there is no such folder.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; pass the folder of your runs")
    reports = Reports()
    return create_app(Runs(folder), reports), reports


def create_app(runs: Runs, reports: Reports) -> Flask:
    """Return the application for these runs."""
    app = Flask(__name__)
    app.jinja_env.globals.update(percent=percent, points=points)
    protect(app)
    _problems(app)
    _pages(app, runs)
    _progress(app, runs, Watch())
    _files(app, runs, reports)
    return app


def _problems(app: Flask) -> None:
    """Render errors as pages."""

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[str, int]:
        return render_template(
            "problem.html", message=error.description
        ), error.code or HTTPStatus.INTERNAL_SERVER_ERROR

    @app.errorhandler(UserError)
    @app.errorhandler(DiskFullError)
    def unreadable(error: Exception) -> tuple[str, int]:
        return render_template("problem.html", message=" ".join(str(error).split())), HTTPStatus.NOT_FOUND


def _pages(app: Flask, runs: Runs) -> None:
    @app.get("/")
    def index() -> str:
        summaries = runs.summaries()
        agents = sorted({agent for run in summaries for agent in run.agents})
        conditions = sorted({label for run in summaries for label in run.conditions})
        return render_template("runs.html", folder=runs.folder, runs=summaries, agents=agents, conditions=conditions)

    @app.get("/watch/<path:name>")
    def watched(name: str) -> str:
        return render_template("watch.html", run=runs.summary(name))

    @app.get("/compare")
    def compare() -> str:
        left, right = request.args.get("a", ""), request.args.get("b", "")
        contents = runs.content(left), runs.content(right)
        agents = agents_of(contents[0]), agents_of(contents[1])
        chosen = _chosen_pairs(*agents)
        names = chosen or default_pairs(*agents, same_run=left == right)
        comparison = side_by_side(*contents, names, only_pairs=bool(chosen) or left == right)
        readable = [run.name for run in runs.summaries() if not run.broken]
        return render_template(
            "compare.html", left=left, right=right, comparison=comparison, agents=agents, names=names, runs=readable
        )


def _chosen_pairs(left: Sequence[str], right: Sequence[str]) -> dict[str, str]:
    """Return the pairs of agents in the URL, without unknown agents."""
    # If the user selects another run in the form, the URL still has the agents of the previous one.
    pairs = zip(request.args.getlist("left"), request.args.getlist("right"), strict=False)
    return {name: partner for name, partner in pairs if name in left and partner in right}


def _progress(app: Flask, runs: Runs, watch: Watch) -> None:
    def progress_of(run: RunSummary) -> dict[str, Any]:
        pace = watch.pace(run)
        figures = {name: getattr(run, name) for name in ("name", "total", "done", "failed", "errors", "broken")}
        return figures | {"active": run.active, "finished": run.finished, **pace._asdict()}

    @app.get("/runs.json")
    def progress() -> dict[str, Any]:
        return {"runs": [progress_of(run) for run in runs.summaries()]}

    @app.get("/watch.json/<path:name>")
    def watched_progress(name: str) -> dict[str, Any]:
        run = runs.summary(name)
        return progress_of(run) | {"agents": render_template("agents.html", run=run)}


def _files(app: Flask, runs: Runs, reports: Reports) -> None:
    @app.get(f"/report/<path:name>/{REPORT}")
    def report(name: str) -> Response:
        response = send_file(reports.of(runs.path(name)) / REPORT, mimetype="text/html", conditional=False)
        # A report contains its own policy, with hashes of its scripts.
        response.headers["Content-Security-Policy"] = "frame-ancestors 'none'"
        return response

    @app.get("/report/<path:name>/<folder>/<file>")
    def side_file(name: str, folder: str, file: str) -> Response:
        # From the last report, not a new one, since the open page refers to the files of the former.
        last_folder = reports.last(runs.path(name))
        # Serve only files of a report, and nothing above its folder.
        if last_folder is None or not _FOLDER.fullmatch(folder):
            abort(HTTPStatus.NOT_FOUND)
        if (last_folder / folder).is_dir() and (text := reports.details(runs.path(name), file)) is not None:
            return Response(text, mimetype="text/javascript")
        if not NAME.fullmatch(file):
            abort(HTTPStatus.NOT_FOUND)
        # With an explicit type, since `nosniff` requires it and this machine may guess another.
        return send_from_directory(last_folder / folder, file, mimetype="text/javascript")

    @app.get("/look/<file>")
    def look(file: str) -> Response:
        if file not in _LOOK:
            abort(HTTPStatus.NOT_FOUND)
        return send_from_directory(STATIC, file)
