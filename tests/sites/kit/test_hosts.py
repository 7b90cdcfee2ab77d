"""A world's host is an ordinary name, unique, the same in every condition, and requested by browsers over plain HTTP."""

import re
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.sync_api import Browser

from scripts.waited import new_context
from stressweb.sites.kit.wording import hosts
from tests.support.crawling import SITES, site

SEEDS = range(20)
VALID = re.compile(r"(?=.{4,80}$)(www\.)?[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?\.(com|net|org|co|co\.uk|us|eu|info|io)")
ODD = [
    "書店",
    "Latest News",
    "Best Estates",
    "Test",
    "Example & Co",
    "and",
    "Scribbler's Desk",
    "Ünder & Über",
    "A" * 90,
    "7",
]
PRELOADED = "paypal.com"
"""A name on the browsers' preload list for TLS."""


@pytest.mark.audit
@pytest.mark.parametrize("name", SITES)
def test_every_world_has_an_ordinary_name_that_follows_its_seed(name: str) -> None:
    drawn = [site(name, seed).host for seed in SEEDS]
    assert all(VALID.fullmatch(host) for host in drawn), drawn
    assert len(set(drawn)) >= 14
    assert drawn == [hosts.draw(site(name, seed).labels[f"{name}_name"], "site", name, seed) for seed in SEEDS]


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_sites_of_a_seed_have_the_same_name(seed: int) -> None:
    assert len({site(name, seed).host for name in SITES}) == len(SITES)


@pytest.mark.parametrize("name", ODD)
def test_whatever_a_site_is_called_its_host_is_valid_and_says_nothing_of_a_test(name: str) -> None:
    for seed in range(50):
        drawn = hosts.draw(name, "site", "x", seed)
        assert VALID.fullmatch(drawn), drawn
        assert not re.search("test|example|localhost|--", drawn), drawn


def test_a_name_is_recognised_in_its_host() -> None:
    drawn = [hosts.draw("Harbour & Salt", "site", "shop", seed) for seed in range(60)]
    assert {re.sub("[-.]|www", "", host).replace("and", "").find("harboursalt") >= 0 for host in drawn} == {True}
    assert {"and" in host for host in drawn} == {"-" in host for host in drawn} == {True, False}


class Asked(BaseHTTPRequestHandler):
    """A proxy that notes the requested hosts and their schemes, and answers nothing."""

    def do_GET(self) -> None:
        self._note("http")

    def do_CONNECT(self) -> None:
        self._note("tls")

    def log_message(self, *_said: object) -> None:
        """Say nothing."""

    def _note(self, how: str) -> None:
        self.server.requested.add((self.headers["Host"].partition(":")[0], how))  # type: ignore[attr-defined]
        self.send_error(403)


class Patient(socketserver.ThreadingTCPServer):
    """A server whose backlog is longer than the list of names that the browser requests."""

    request_queue_size = 1024


@pytest.fixture
def proxy() -> Iterator[socketserver.ThreadingTCPServer]:
    """A proxy on a port of its own, with the hosts requested of it."""
    with Patient(("127.0.0.1", 0), Asked) as server:
        server.requested = set()  # type: ignore[attr-defined]
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.sample(1)
@pytest.mark.parametrize("seeds", [SEEDS[i : i + 2] for i in SEEDS[::2]])
def test_no_name_is_one_that_the_browser_asks_for_by_tls(
    browser: Browser, proxy: socketserver.ThreadingTCPServer, seeds: range
) -> None:
    """Browsers request names on their preload list only by TLS, and sites are served without."""
    drawn = {site(name, seed).host for name in SITES for seed in seeds}
    context = new_context(browser, proxy.server_address[1], "2026-01-01T09:00:00Z")
    try:
        page = context.new_page()
        page.goto("http://start.com/")
        ask = "(names) => Promise.all(names.map((name) => fetch(`http://${name}/`, {mode: 'no-cors'}).catch(() => 0)))"
        page.evaluate(ask, [*sorted(drawn), PRELOADED])
    finally:
        context.close()
    other_requests = proxy.requested - {("start.com", "http")}  # type: ignore[attr-defined]
    assert other_requests == {*((name, "http") for name in drawn), (PRELOADED, "tls")}
