"""A page that tries everything sends no datagram: no STUN, no DNS, no mDNS. The kernel counts them."""

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from runner.browser.install import launch_args
from runner.episode.loop import new_context

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


def sent() -> int:
    """Return how many datagrams this machine has sent so far."""
    names, values = [
        line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if line.startswith("Udp:")
    ]
    newer = dict(line.split() for line in Path("/proc/net/snmp6").read_text().splitlines())
    return int(values[names.index("OutDatagrams")]) + int(newer.get("Udp6OutDatagrams", 0))


def tried(browser: Browser) -> tuple[int, list[str]]:
    """Return how many datagrams were sent while a page tried everything, and the addresses that it was given."""
    # Nobody listens at the port of this proxy: whatever leaves goes past it.
    context = new_context(browser, 9, "2026-01-01T09:00:00Z")
    try:
        page = context.new_page()
        page.set_content("<p>canary</p>")
        before = sent()
        candidates: list[str] = page.evaluate(TRIES)
        return sent() - before, candidates
    finally:
        context.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the counters are those of Linux")
def test_no_datagram_leaves(browser: Browser) -> None:
    found = [tried(browser) for _ in range(4)]
    # Other programs of the machine send, too, but not each time.
    assert min(count for count, _ in found) == 0, found
    assert all(candidates == [] for _, candidates in found)


def test_the_browser_resolves_no_name_by_itself() -> None:
    assert "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1" in launch_args()
