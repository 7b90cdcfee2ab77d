"""The proxy under load: many concurrent connections, and a slow flow, which must not slow down others."""

import base64
import http.client
import statistics
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from scripts.bench.figure import Figure
from scripts.bench.sized_page import NAVIGATION, SizedSite
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.core.errors import InfrastructureError
from stressweb.perturbations import PROXY_USER
from stressweb.runner.world.world import EpisodeWorld, World

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

CONNECTIONS = 200
_MOST_DELAY_MS = 50.0
_FETCHES = 10
"""Number of pages that are fetched in a row, alone or during the slow flow."""
_TIMEOUT_S = 60
_SEEDS = Seeds(0, 0, "sized/x")


class SlowSite(SizedSite):
    """Answers like `SizedSite`, but holds each request until `goes` is set."""

    def __init__(self, html: str) -> None:
        """Take the page."""
        super().__init__(html)
        self.held = threading.Event()
        """Set while a request waits."""
        self.goes = threading.Event()
        """Set to release the request."""

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        self.held.set()
        self.goes.wait(_TIMEOUT_S)
        return super().app(environ, start_response)


def connections(world: World, site: SizedSite, count: int = CONNECTIONS) -> Figure:
    """Measure how many of `count` connections fail that are all open while each of them requests a page."""
    failed = 0
    start = time.perf_counter()
    with ExitStack() as stack:
        episode = world.open(site, CLEAN, _SEEDS)
        stack.callback(episode.close)
        opened = [connect(episode) for _ in range(count)]
        for opened_connection in opened:
            stack.callback(opened_connection.close)
            opened_connection.connect()
        # Request twice, so that connections that are dropped after the first answer also count.
        for _ in range(2):
            for opened_connection in opened:
                ask(opened_connection, episode)
            failed += sum(answer(opened_connection) != site.page for opened_connection in opened)
    seconds = time.perf_counter() - start
    return Figure(f"failures of {count} connections held", failed, "", 0, f"{2 * count} pages in {seconds:.1f} s")


def slow_flow(world: World, site: SizedSite, rounds: int) -> Figure:
    """Measure how much longer a page of an episode takes while an answer to another episode is held."""
    idle_ms: list[float] = []
    busy_ms: list[float] = []
    with ExitStack() as stack:
        slow = SlowSite(site.page.decode())
        episode, slow_episode = (world.open(site_served, CLEAN, _SEEDS) for site_served in (site, slow))
        quick, held = connect(episode), connect(slow_episode)
        for resource in (episode, slow_episode, quick, held):
            stack.callback(resource.close)
        stack.callback(slow.goes.set)
        for _ in range(rounds):
            idle_ms += [_fetch_ms(quick, episode) for _ in range(_FETCHES)]
            slow.goes.clear()
            slow.held.clear()
            ask(held, slow_episode)
            if not slow.held.wait(_TIMEOUT_S):
                raise InfrastructureError("the slow page was not asked for")
            busy_ms += [_fetch_ms(quick, episode) for _ in range(_FETCHES)]
            slow.goes.set()
            if answer(held) != slow.page:
                raise InfrastructureError("the slow page was not served")
    plain, delayed = statistics.median(idle_ms), statistics.median(busy_ms)
    detail = f"{delayed:.1f} ms against {plain:.1f} ms, {len(site.page) / 1000:.0f} kB"
    return Figure("delay of a page while another flow is held", delayed - plain, "ms", _MOST_DELAY_MS, detail)


def _fetch_ms(connection: http.client.HTTPConnection, episode: EpisodeWorld) -> float:
    start = time.perf_counter()
    ask(connection, episode)
    if not answer(connection):
        raise InfrastructureError("the page that is measured is not served as it should be")
    return 1000 * (time.perf_counter() - start)


def connect(episode: EpisodeWorld) -> http.client.HTTPConnection:
    """Return a connection to an episode's port, not yet open."""
    return http.client.HTTPConnection("127.0.0.1", episode.port, timeout=_TIMEOUT_S)


def ask(connection: http.client.HTTPConnection, episode: EpisodeWorld) -> None:
    """Request the first page of an episode, as its browser does."""
    credential = base64.b64encode(f"{PROXY_USER}:{episode.credential}".encode()).decode()
    headers = {**NAVIGATION, "Proxy-Authorization": f"Basic {credential}"}
    connection.request("GET", episode.start_url, headers=headers)


def answer(connection: http.client.HTTPConnection) -> bytes:
    """Return the body of the response; b"" if the connection fails."""
    try:
        return connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return b""
