"""The server of `stressweb view`: its start, and an end that waits for no browser."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waitress.server import BaseWSGIServer, create_server

_END_S = 5
"""Maximum time for ending the server, which waits for running requests."""


@contextmanager
def served(app: Any, port: int) -> Iterator[str]:
    """Serve an application on 127.0.0.1 and yield its address; port 0 chooses a free one.

    At the end the server and all its connections are closed, even those that a browser keeps open.
    """
    # waitress logs a warning whenever a request waits for another.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = create_server(app, host="127.0.0.1", port=port, threads=4, ident=None)
    thread = threading.Thread(target=server.run, name="view", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}/"
    finally:
        # Threads first: they wake the loop when they are done, so it must still exist.
        server.task_dispatcher.shutdown()
        server.trigger.pull_trigger(lambda: _end(server))
        thread.join(timeout=_END_S)


def _end(server: BaseWSGIServer) -> None:
    # The loop ends with its last connection, and a browser keeps connections open for minutes.
    for channel in list(server.active_channels.values()):
        channel.handle_close()
    server.close()
