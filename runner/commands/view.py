"""`stressweb view`: the runs of a folder in a browser."""

import json
from pathlib import Path

from runner.commands.opening import open_page
from runner.commands.output import say
from runner.commands.serve import check_port, until_interrupted
from runner.view.app import open_app
from runner.view.server import served


def view(folder: Path, port: int, *, open_it: bool, as_json: bool) -> int:
    """Serve the runs of a folder on 127.0.0.1 until interrupted; the address is printed first.

    Raises UserError if there is no such folder, and for a port in use.
    """
    # Checked first, because the server's OSError for a port in use would be reported as an internal error.
    check_port(port)
    app, reports = open_app(folder)
    try:
        with served(app, port) as url:
            if as_json:
                say(json.dumps({"url": url, "folder": str(folder)}))
            else:
                say(f"runs of {folder}: {url}  (press Ctrl-C to stop)")
                if not open_it:
                    say("open this address in your browser, or let --open do so", err=True)
            if open_it:
                open_page(url)
            until_interrupted()
    finally:
        reports.close()
    return 0
