"""Serves the sites on loopback with threads; only requests through the proxy are answered."""

import hmac
import http.client
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import format_datetime
from typing import Any

from waitress.server import create_server

from stressweb.core.errors import Fault, first_line
from stressweb.core.tracebacks import trace_of
from stressweb.perturbations import DATABASE_HEADER, FAULT_HEADER, KEY_HEADER
from stressweb.plugins.site_world import DATABASE, SiteWorld

type Environ = dict[str, Any]
type StartResponse = Callable[..., Any]

_CONNECTIONS = 2000
"""Most open connections; further ones wait until others close. The proxy opens one for each connection of a browser,
and browsers keep many open."""
_KEY = "HTTP_" + KEY_HEADER.upper().replace("-", "_")
_DATABASE = "HTTP_" + DATABASE_HEADER.upper().replace("-", "_")


@dataclass
class Database:
    """One episode's state of a site: a copy of the template, in memory."""

    site: SiteWorld
    connection: sqlite3.Connection
    lock: threading.Lock = field(default_factory=threading.Lock)
    faults: list[Fault] = field(default_factory=list)


class SiteServer:
    """A threaded server for all sites of a world; the headers of a request name the episode's database."""

    def __init__(self) -> None:
        """Start serving on a free port of 127.0.0.1."""
        self.key = secrets.token_hex(16)
        self._databases: dict[str, Database] = {}
        self._server = create_server(
            self._serve, host="127.0.0.1", port=0, threads=8, ident=None,
            connection_limit=_CONNECTIONS, asyncore_use_poll=True,
        )  # fmt: skip
        self._thread = threading.Thread(target=self._server.run, name="sites", daemon=True)
        self._thread.start()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port at which the proxy reaches the sites."""
        return "127.0.0.1", int(self._server.effective_port)

    def open(self, site: SiteWorld) -> str:
        """Create a fresh database of a site and return its name for requests."""
        # In memory and from bytes: much faster than copying a file, and a killed process leaves nothing behind.
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.deserialize(site.template)
        name = secrets.token_hex(8)
        self._databases[name] = Database(site, connection)
        return name

    def copy(self, name: str) -> str:
        """Copy an open database in its current state and return the copy's name for requests."""
        state = self._databases[name]
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        # A request that the browser no longer waits for may still be writing.
        with state.lock:
            connection.deserialize(state.connection.serialize())
        copy = secrets.token_hex(8)
        self._databases[copy] = Database(state.site, connection)
        return copy

    def database(self, name: str) -> Database:
        """Return an open database; raise KeyError if it is closed."""
        return self._databases[name]

    def close_database(self, name: str) -> None:
        """Close a database once the current request has finished."""
        database = self._databases.pop(name)
        with database.lock:
            database.connection.close()

    def fetch(self, name: str, host: str, path: str) -> str:
        """Return the text that a site serves at a path; "" unless the status is 200."""
        connection = http.client.HTTPConnection(*self.address, timeout=10)
        try:
            connection.request("GET", path, headers={"Host": host, KEY_HEADER: self.key, DATABASE_HEADER: name})
            response = connection.getresponse()
            return response.read().decode(errors="replace") if response.status == http.HTTPStatus.OK else ""
        finally:
            connection.close()

    def close(self) -> None:
        """Stop the server and its threads."""
        # Stop the threads first: they wake the loop when they finish, so the loop must still exist.
        self._server.task_dispatcher.shutdown()
        self._server.trigger.pull_trigger(self._server.close)
        self._thread.join(timeout=5)
        for name in list(self._databases):
            self.close_database(name)

    def _serve(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        # Remove the headers, so that no page of a site can show them.
        key, name = environ.pop(_KEY, ""), environ.pop(_DATABASE, "")
        database = self._databases.get(name)
        # Compare in constant time, so that another process of this machine cannot guess the key from timing.
        if database is None or not hmac.compare_digest(key.encode(), self.key.encode()):
            # A browser that bypasses the proxy would get pages that are neither disturbed nor recorded.
            start_response("403 Forbidden", [("Content-Type", "text/plain")])
            return [b"Forbidden"]
        with database.lock:
            # Process one request of an episode at a time, since the server's threads share the episode's connection.
            environ[DATABASE] = database.connection
            try:
                # Read the whole response while holding the lock: a streamed response may still query the database.
                return [b"".join(database.site.app(environ, _with_date(start_response, database.site)))]
            except Exception as error:
                message = f"{type(error).__name__} of site {database.site.site}: {first_line(error)}"
                database.faults.append(Fault(message, trace_of(error)))
                error_headers = [("Content-Type", "text/plain"), (FAULT_HEADER, "1")]
                _with_date(start_response, database.site)("500 Internal Server Error", error_headers)
                return [b"Internal Server Error"]
            finally:
                # As when an application closes its own connection.
                database.connection.rollback()


def _with_date(start_response: StartResponse, site: SiteWorld) -> StartResponse:
    """Wrap `start_response` to add a Date header with the site's own time unless the site has set one.

    The server would send the machine's time, which contradicts the site's pages and differs between runs.
    """

    def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
        if not any(name.lower() == "date" for name, _ in headers):
            headers = [*headers, ("Date", format_datetime(site.start.replace(tzinfo=UTC), usegmt=True))]
        return start_response(status, headers, *exc_info)

    return start
