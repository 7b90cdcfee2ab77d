"""The server of `stressweb view`: its start, and an end that waits for no browser."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waitress.server import BaseWSGIServer, create_server

_END_S = 5
"""How long the end of the server may take: a request that is being answered is waited for."""


@contextmanager
def served(app: Any, port: int) -> Iterator[str]:
    """Serve an application on 127.0.0.1 and yield its address; port 0 takes a free one.

    The server and its connections are closed at the end, also those that a browser keeps open.
    """
    # waitress would log a warning whenever a request waits for another one.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = create_server(app, host="127.0.0.1", port=port, threads=4, ident=None)
    thread = threading.Thread(target=server.run, name="view", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}/"
    finally:
        # Threads first: they wake the loop when they are done, so it must still exist then.
        server.task_dispatcher.shutdown()
        server.trigger.pull_trigger(lambda: _end(server))
        thread.join(timeout=_END_S)


def _end(server: BaseWSGIServer) -> None:
    # The loop ends with its last connection, and a browser keeps one open for minutes after it has the page.
    for channel in list(server.active_channels.values()):
        channel.handle_close()
    server.close()
