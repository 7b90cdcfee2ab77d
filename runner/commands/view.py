"""`stressweb view`: the runs of a folder in a browser."""

import json
import logging
import threading
from pathlib import Path

from waitress.server import create_server

from runner.commands.output import say
from runner.commands.serve import check_port, until_interrupted
from runner.view.app import open_app


def view(folder: Path, port: int, *, as_json: bool) -> int:
    """Serve the runs of a folder on 127.0.0.1 until interrupted; the address is printed first.

    Raises UserError if there is no such folder, and for a port in use.
    """
    # Checked first, because the server's OSError for a port in use would be reported as an internal error.
    check_port(port)
    # waitress would log a warning whenever a request waits for another one.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    app, reports = open_app(folder)
    try:
        server = create_server(app, host="127.0.0.1", port=port, threads=4, ident=None)
        thread = threading.Thread(target=server.run, name="view", daemon=True)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.effective_port}/"
            if as_json:
                say(json.dumps({"url": url, "folder": str(folder)}))
            else:
                say(f"runs of {folder}: {url}  (press Ctrl-C to stop)")
            until_interrupted()
        finally:
            # Threads first: they wake the loop when they are done, so it must still exist then.
            server.task_dispatcher.shutdown()
            server.trigger.pull_trigger(server.close)
            thread.join(timeout=5)
    finally:
        reports.close()
    return 0
