"""The sites, served on loopback by threads; they answer only requests that come through the proxy."""

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

from perturbations import DATABASE_HEADER, FAULT_HEADER, KEY_HEADER
from stressweb.core.errors import Fault, first_line
from stressweb.core.tracebacks import trace_of
from stressweb.plugins.site_world import DATABASE, SiteWorld

type Environ = dict[str, Any]
type StartResponse = Callable[..., Any]

_CONNECTIONS = 2000
"""Connections that the server holds; any more would wait until others are given up. The proxy opens one for each that a
browser has with it, and a browser keeps many."""
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
    """A threaded server for every site of a world; which episode's database a request is about is in its headers."""

    def __init__(self) -> None:
        """Start to serve on a free port of 127.0.0.1."""
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
        """Where the proxy reaches the sites."""
        return "127.0.0.1", int(self._server.effective_port)

    def open(self, site: SiteWorld) -> str:
        """Make a fresh database of a site and return the name that requests call it by."""
        # In memory and from bytes: much quicker than to copy a file, and a killed process leaves nothing behind.
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.deserialize(site.template)
        name = secrets.token_hex(8)
        self._databases[name] = Database(site, connection)
        return name

    def copy(self, name: str) -> str:
        """Make a copy of an open database as it is now and return the name that requests call it by."""
        state = self._databases[name]
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        # A request that the browser no longer waits for may still be writing.
        with state.lock:
            connection.deserialize(state.connection.serialize())
        copy = secrets.token_hex(8)
        self._databases[copy] = Database(state.site, connection)
        return copy

    def database(self, name: str) -> Database:
        """Return an open database; raises KeyError after it was closed."""
        return self._databases[name]

    def close_database(self, name: str) -> None:
        """Forget a database, after the request that uses it."""
        database = self._databases.pop(name)
        with database.lock:
            database.connection.close()

    def fetch(self, name: str, host: str, path: str) -> str:
        """Return what a site serves at a path as text; "" for anything but a success."""
        connection = http.client.HTTPConnection(*self.address, timeout=10)
        try:
            connection.request("GET", path, headers={"Host": host, KEY_HEADER: self.key, DATABASE_HEADER: name})
            response = connection.getresponse()
            return response.read().decode(errors="replace") if response.status == http.HTTPStatus.OK else ""
        finally:
            connection.close()

    def close(self) -> None:
        """End the server and its threads."""
        # Threads first: they wake the loop when they are done, and it must not be gone by then.
        self._server.task_dispatcher.shutdown()
        self._server.trigger.pull_trigger(self._server.close)
        self._thread.join(timeout=5)
        for name in list(self._databases):
            self.close_database(name)

    def _serve(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        # Taken out, so that no page of a site can show them.
        key, name = environ.pop(_KEY, ""), environ.pop(_DATABASE, "")
        database = self._databases.get(name)
        # Compared in constant time: how long it takes must not tell another process of this machine how much of a guess
        # is right.
        if database is None or not hmac.compare_digest(key.encode(), self.key.encode()):
            # A browser that found its way round the proxy would see pages that no mode has disturbed and no recording
            # has.
            start_response("403 Forbidden", [("Content-Type", "text/plain")])
            return [b"Forbidden"]
        with database.lock:
            # One request of an episode at a time, since all threads of the server share the episode's connection.
            environ[DATABASE] = database.connection
            try:
                # Read to the end while the lock is held: an answer that comes in pieces may still ask the database for
                # the next.
                return [b"".join(database.site.app(environ, _dated(start_response, database.site)))]
            except Exception as error:
                message = f"{type(error).__name__} of site {database.site.site}: {first_line(error)}"
                database.faults.append(Fault(message, trace_of(error)))
                broken = [("Content-Type", "text/plain"), (FAULT_HEADER, "1")]
                _dated(start_response, database.site)("500 Internal Server Error", broken)
                return [b"Internal Server Error"]


def _dated(start_response: StartResponse, site: SiteWorld) -> StartResponse:
    """Return what starts an answer, with the date of the site's world in it unless the site has said one.

    The server would say the machine's date, which no page of that world agrees with, and which differs from run to run.
    """

    def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
        if not any(name.lower() == "date" for name, _ in headers):
            headers = [*headers, ("Date", format_datetime(site.start.replace(tzinfo=UTC), usegmt=True))]
        return start_response(status, headers, *more)

    return start
