"""`stressweb view`: serves a page of the runs in a folder."""

from pathlib import Path

from stressweb.runner.commands.serve import check_port, serve_pages
from stressweb.runner.view.app import open_app
from stressweb.runner.view.server import served


def view(folder: Path, port: int, *, open_it: bool, as_json: bool) -> int:
    """Print the address of a page of the runs in a folder, and serve it on 127.0.0.1 until interrupted.

    Raises UserError if there is no such folder, and for a port in use.
    """
    # Checked here, since the server's OSError would be reported as an internal error.
    check_port(port)
    app, reports = open_app(folder)
    try:
        with served(app, port) as url:
            serve_pages(url, f"runs of {folder}", folder, open_it=open_it, as_json=as_json)
    finally:
        reports.close()
    return 0
