"""A page that tries everything sends no datagram (STUN, DNS or mDNS) and makes the browser look up no name.

The kernel counts datagrams. The browser's network log has every name that it looks up, in any way, and
every address to which it connects.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser

from scripts.waited import new_context
from stressweb.core.browser_program import find_browser, launch_args

TRIES = """() => new Promise(resolve => {
    const servers = [{urls: "stun:127.0.0.1:3478"}, {urls: "stun:stun.canary.test:3478"}];
    const connection = new RTCPeerConnection({iceServers: servers});
    const candidates = [];
    connection.createDataChannel("canary");
    connection.onicecandidate = event => event.candidate && candidates.push(event.candidate.candidate);
    connection.createOffer().then(offer => connection.setLocalDescription(offer));
    for (const rel of ["dns-prefetch", "preconnect", "prefetch"]) {
        const link = Object.assign(document.createElement("link"), {rel, href: `http://${rel}.canary.test/`});
        document.head.append(link);
    }
    fetch("http://fetch.canary.test/").catch(() => 0);
    new Image().src = "http://image.canary.test/";
    new WebSocket("ws://socket.canary.test/").onerror = () => 0;
    setTimeout(() => resolve(candidates), 1000);
})"""


def datagrams_sent() -> int:
    """Return the number of datagrams that this machine has sent."""
    names, values = [
        line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if line.startswith("Udp:")
    ]
    newer = dict(line.split() for line in Path("/proc/net/snmp6").read_text().splitlines())
    return int(values[names.index("OutDatagrams")]) + int(newer.get("Udp6OutDatagrams", 0))


def try_everything(browser: Browser) -> tuple[int, list[str]]:
    """Return the number of datagrams sent while a page tried everything, and the ICE candidates that it got."""
    # No server listens at the proxy's port, so any datagram bypassed it.
    context = new_context(browser, 9, "2026-01-01T09:00:00Z")
    try:
        page = context.new_page()
        page.set_content("<p>canary</p>")
        before = datagrams_sent()
        candidates: list[str] = page.evaluate(TRIES)
        return datagrams_sent() - before, candidates
    finally:
        context.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the counters are those of Linux")
def test_no_datagram_leaves(browser: Browser) -> None:
    attempts = [try_everything(browser) for _ in range(4)]
    # Other programs on the machine may also send, but not each time.
    assert min(count for count, _ in attempts) == 0, attempts
    assert all(candidates == [] for _, candidates in attempts)


LEADS = """<!DOCTYPE html><html><head><title>Links</title>
<link rel="stylesheet" href="http://www.sheet-harbour.com/a.css"><link rel="preload" as="image" href="http://preload-harbour.net/a.png">
<link rel="dns-prefetch" href="//prefetched-harbour.com"><link rel="preconnect" href="http://connected-harbour.org">
<link rel="prefetch" href="http://ahead-harbour.co.uk/"><link rel="icon" href="http://icon-harbour.io/a.ico">
<script type="speculationrules">{"prerender": [{"urls": ["http://speculated-harbour.com/"]}],
"prefetch": [{"urls": ["http://guessed-harbour.com/"]}]}</script>
<script src="http://script-harbour.com/a.js" async></script></head><body>
<a href="http://linked-harbour.com/" ping="http://ping-harbour.com/">Out</a> <a href="https://secure-harbour.com/">Out</a>
<img src="http://image-harbour.us/a.png"><iframe src="http://frame-harbour.eu/"></iframe>
<video src="http://video-harbour.info/a.mp4"></video><object data="http://object-harbour.com/"></object>
<p style="background: url(http://background-harbour.com/a.png)">Text</p></body></html>"""
ASKS = """() => {
  fetch("https://fetch-harbour.com/").catch(() => 0);
  new WebSocket("ws://socket-harbour.com/").onerror = () => 0;
  new EventSource("http://events-harbour.com/");
  navigator.sendBeacon("http://beacon-harbour.com/", "x");
  open("http://window-harbour.com/");
}"""
EXPECTED_NAMES = {
    "sheet", "preload", "ahead", "script", "ping", "linked", "secure", "image", "frame", "video", "object",
    "background", "fetch", "socket", "events", "beacon", "window",
}  # fmt: skip
"""Names that the proxy must get, which proves that the page tried them."""


class Anything(BaseHTTPRequestHandler):
    """A proxy that serves the same page under every name."""

    names_requested: set[str]

    def do_GET(self) -> None:
        self.names_requested.add(self.headers["Host"].partition(":")[0])
        # Other hosts get a short page, or frames would contain frames without end.
        body = LEADS.encode() if self.headers["Host"] == "www.start-harbour.com" else b"<p>Here.</p>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        self.names_requested.add(self.path.partition(":")[0])
        self.send_error(403)

    do_POST = do_GET

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""


@pytest.fixture
def proxy() -> Iterator[tuple[int, set[str]]]:
    """Port of such a proxy, and the names that it got."""
    names_requested: set[str] = set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Noting", (Anything,), {"names_requested": names_requested}))
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], names_requested
    server.shutdown()
    server.server_close()


def network_log(path: Path) -> Mapping[str, list[Mapping[str, Any]]]:
    """Return the network log of a closed browser: parameters of the events, by type."""
    log = json.loads(path.read_text("utf-8"))
    types = {number: name for name, number in log["constants"]["logEventTypes"].items()}
    events = defaultdict(list)
    for event in log["events"]:
        events[types[event["type"]]].append(event.get("params", {}))
    return events


@contextmanager
def logged(browser: Browser, log: Path, args: Sequence[str] = ()) -> Iterator[Browser]:
    """Start a browser of the same kind with a network log, with our switches or others."""
    switches = [*(args or launch_args()), f"--log-net-log={log}"]
    own = browser.browser_type.launch(executable_path=str(find_browser().path), args=switches)
    try:
        yield own
    finally:
        # The log is complete after the browser has closed.
        own.close()


ASKED_FOR = ("HOST_RESOLVER_MANAGER_REQUEST",)
LOOKED_UP = ("HOST_RESOLVER_MANAGER_JOB", "HOST_RESOLVER_SYSTEM_TASK", "HOST_RESOLVER_DNS_TASK", "DNS_TRANSACTION")
REFUSED = "~notfound"
"""Our rule maps every name to this, before any look-up."""


def names(log: Mapping[str, list[Mapping[str, Any]]], kinds: Sequence[str]) -> set[str]:
    """Return the names in events of these types."""
    hosts = [str(event.get("host", event.get("hostname", ""))) for kind in kinds for event in log[kind]]
    return {name.split("://")[-1].partition(":")[0] for name in hosts if name}


def addresses(log: Mapping[str, list[Mapping[str, Any]]]) -> set[str]:
    """Return the addresses of all connection attempts, without ports."""
    return {
        str(attempt["address"]).rpartition(":")[0] for attempt in log["TCP_CONNECT_ATTEMPT"] if "address" in attempt
    }


def test_no_name_on_a_page_is_looked_up(browser: Browser, proxy: tuple[int, set[str]], tmp_path: Path) -> None:
    """Links, pictures, frames, prefetches and sockets go to the proxy by name, and nowhere else."""
    port, names_requested = proxy
    log = tmp_path / "network.json"
    with logged(browser, log) as own:
        context = new_context(own, port, "2026-01-01T09:00:00Z")
        page = context.new_page()
        page.goto("http://www.start-harbour.com/", wait_until="load")
        page.evaluate(ASKS)
        for link in page.locator("a").all():
            link.hover()
        page.locator("a").first.click()
        page.goto("http://www.start-harbour.com/", wait_until="load")
        with pytest.raises(Exception, match="ERR_TUNNEL_CONNECTION_FAILED"):
            page.goto("https://secure-harbour.com/")
        context.close()
    seen = network_log(log)
    assert EXPECTED_NAMES - {"ping"} <= {name.removeprefix("www.").partition("-")[0] for name in names_requested}
    assert names(seen, ASKED_FOR) <= {"127.0.0.1", REFUSED}
    assert names(seen, LOOKED_UP) <= {"127.0.0.1"}
    assert addresses(seen) == {"127.0.0.1"}
    assert seen["DNS_TRANSACTION"] == seen["HOST_RESOLVER_SYSTEM_TASK"] == []


def test_a_name_that_is_looked_up_is_seen(browser: Browser, tmp_path: Path) -> None:
    """Proves that the test above can fail. The name is mapped to this machine, so no look-up leaves it here either."""
    log = tmp_path / "network.json"
    mapped = "--host-resolver-rules=MAP start-harbour.com 127.0.0.1:9 , MAP * ~NOTFOUND"
    with logged(browser, log, [*(switch for switch in launch_args() if "resolver" not in switch), mapped]) as own:
        page = own.new_page()
        for name in ("start-harbour.com", "elsewhere-harbour.com"):
            with pytest.raises(Exception, match="ERR_"):
                page.goto(f"http://{name}/")
    seen = network_log(log)
    assert names(seen, ASKED_FOR) >= {"127.0.0.1", REFUSED}
    assert addresses(seen) == {"127.0.0.1"}


def test_the_browser_resolves_no_name_by_itself(browser: Browser, tmp_path: Path) -> None:
    """Without a proxy no name resolves, neither by the system nor by DNS over HTTPS."""
    log = tmp_path / "network.json"
    with logged(browser, log) as own:
        page = own.new_page()
        with pytest.raises(Exception, match="ERR_NAME_NOT_RESOLVED"):
            page.goto("http://www.start-harbour.com/")
    seen = network_log(log)
    assert seen["DNS_TRANSACTION"] == seen["HOST_RESOLVER_SYSTEM_TASK"] == seen["HOST_RESOLVER_MANAGER_JOB"] == []
    assert addresses(seen) == set()
