"""A small server whose answers a test controls, bytes and timing; and a port of the proxy in front of it."""

import http.client
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from stressweb.core.draws import Seeds
from stressweb.perturbations.addons.binding import Binding, ServedSite
from stressweb.perturbations.asset_cache import AssetCache
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.runner.world.world import World
from tests.support.waiting import until

HOST = "toy.test"
NAVIGATION = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "Upgrade-Insecure-Requests": "1"}
"""What Chromium sends for a document, over plain HTTP, to a name that is not local."""


@dataclass
class Answer:
    """The answer at a path."""

    body: bytes | Callable[[], Iterable[bytes]] = b""
    """Bytes, sent with their length; or a function that yields the pieces of a chunked body, sent as they come."""
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200


class Upstream:
    """Serves `answers` by path and keeps the headers of every request in `requests`."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.requests: list[tuple[str, Mapping[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                site.requests.append((path, {name.lower(): value for name, value in self.headers.items()}))
                answer = site.answers.get(path, Answer(status=404))
                # No date, so that two answers at the same path are equal.
                self.send_response_only(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self._send(answer)

            do_POST = do_HEAD = do_GET

            def _send(self, answer: Answer) -> None:
                if not isinstance(answer.body, bytes):
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    for piece in answer.body():
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.write(b"0\r\n\r\n")
                    return
                if "Content-Length" not in answer.headers and answer.status not in (204, 304):
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body)
                # With a longer Content-Length the body breaks off.
                self.close_connection = "Content-Length" in answer.headers and self.command != "HEAD"

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            def handle_error(self, *args: object) -> None:
                """Say nothing: clients of these tests leave while they are answered."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.address = "127.0.0.1", int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Port:
    """A port of the proxy whose answers stream from an upstream."""

    def __init__(
        self,
        world: World,
        upstream: Upstream,
        script: Callable[[str], str] | None,
        *,
        local: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open it as a proxy, or (`local`) under a name of this machine, to which browsers send `Sec-Fetch-Dest`.

        `clock` is that of its cache.
        """
        self._world = world
        kind = "reverse:http://{}:{}".format(*upstream.address) if local else "regular"
        (self.number,) = world.proxy.listen(kind)
        self.host = f"127.0.0.1:{self.number}" if local else HOST
        self.url = f"http://{self.host}"
        self.stress = EpisodePerturber([], Seeds(0, 0, "toy/x"), active=script is not None)
        hosts, cache = frozenset({self.host}), AssetCache(clock)
        self.binding = Binding(
            (ServedSite("toy", self.host, hosts, "none", cache),),
            upstream.address,
            self.stress,
            needs_no_credential=True,
        )
        if script is not None:
            self.serve_script(script)
        world.episodes.bindings[self.number] = self.binding

    def serve_script(self, script: Callable[[str], str]) -> None:
        """From now on, insert the script that `script` returns for a path."""
        self.binding.script = lambda served, path: script(path)  # type: ignore[method-assign]

    def blocked(self) -> list[str]:
        """Return the ledger's lines about documents that got no script."""
        return [entry.detail for entry in self.stress.entries if (entry.mode, entry.phase) == ("engine", "blocked")]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.number, timeout=10)

    def ask(
        self, path: str, headers: Mapping[str, str] = NAVIGATION, method: str = "GET"
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        """Return status, headers and body of an answer."""
        return fetch(self.connect(), f"{self.url}{path}", headers, method)

    def ended(self) -> bool:
        """Wait until no flow is open."""
        # The client gets the last byte before the proxy counts the flow as closed.
        return until(lambda: self.binding.open_flows == 0)

    def close(self) -> None:
        self._world.episodes.bindings.pop(self.number)
        self._world.proxy.release(self.number)


def fetch(
    connection: http.client.HTTPConnection, url: str, headers: Mapping[str, str], method: str = "GET"
) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return status, headers and body of an answer, and close the connection."""
    connection.request(method, url, headers=dict(headers))
    answer = connection.getresponse()
    try:
        return answer.status, answer.getheaders(), answer.read()
    finally:
        connection.close()
