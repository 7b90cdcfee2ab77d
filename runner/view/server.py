"""Starts and stops the server of `stressweb view`."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waitress.server import BaseWSGIServer, create_server

_END_S = 5
"""Seconds to wait for running requests when the server stops."""


@contextmanager
def served(app: Any, port: int) -> Iterator[str]:
    """Serve an application on 127.0.0.1 and yield its address; port 0 means any free port.

    At the end, the server closes all connections, even those that a browser keeps open.
    """
    # waitress logs a warning whenever a request waits for another.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = create_server(app, host="127.0.0.1", port=port, threads=4, ident=None)
    thread = threading.Thread(target=server.run, name="view", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}/"
    finally:
        # Threads first, since they wake the loop when they finish.
        server.task_dispatcher.shutdown()
        server.trigger.pull_trigger(lambda: _end(server))
        thread.join(timeout=_END_S)


def _end(server: BaseWSGIServer) -> None:
    # The loop ends with its last connection, which a browser may keep open for minutes.
    for channel in list(server.active_channels.values()):
        channel.handle_close()
    server.close()
