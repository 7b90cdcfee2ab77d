"""Streamed answers: documents get one script, all others pass unchanged, and no failure of ours reaches the page."""

import gzip
import http.client
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mitmproxy.http import Headers, Request, Response
from playwright.sync_api import Browser, Page, ProxySettings

from stressweb.perturbations.addons.site_faults import FAULT_HEADER
from stressweb.perturbations.content_coding import SLICE, Decoder
from stressweb.perturbations.insertion import Inserter
from stressweb.perturbations.stream import Passage, ask_for_whole, asks_for_document, is_document, script_element
from stressweb.runner.world.world import World
from tests.perturbations.coding import ENCODERS, NOISE, bare
from tests.perturbations.documents import NASTY, dom
from tests.support.upstream import NAVIGATION, Answer, Port, Upstream, fetch

pytestmark = pytest.mark.sample(50, "file")

SOURCE = "document.currentScript.remove();(window.ran||=[]).push(document.scripts.length)"
HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = "<!doctype html><html><head><title>Größe</title></head><body>" + "<p>lamp</p>" * 3000 + "</body></html>"
CACHEABLE = {"ETag": '"one"', "Last-Modified": "Sun, 22 Nov 2026 10:00:00 GMT", "Cache-Control": "max-age=600, public"}
FETCHED = {"Accept": "*/*"}
CODINGS: dict[str, Callable[[bytes], bytes]] = {"": bytes, "identity": bytes, **ENCODERS}

type Open = Callable[..., Port]


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    yield server
    server.close()


@pytest.fixture
def opened(world: World, upstream: Upstream) -> Iterator[Open]:
    """Open ports of the proxy to the upstream: `opened()`, or `opened(None)` for one without a script."""
    ports: list[Port] = []

    def open_port(
        script: Callable[[str], str] | None = lambda path: SOURCE, *, local: bool = False, **options: Any
    ) -> Port:
        ports.append(Port(world, upstream, script, local=local, **options))
        return ports[-1]

    yield open_port
    # In every case: where flows stay open, no page ever counts as settled.
    ended = [port.ended() for port in ports]
    for port in ports:
        port.close()
    assert all(ended)


def inserted(port: Port, path: str = "/") -> str:
    """Return the script element in a document of a port."""
    _, _, body = port.ask(path)
    return body.decode("utf-8").partition("<head>")[2].partition("</script>")[0] + "</script>"


# Requests and answers that are documents.


def request(method: str = "GET", **headers: str) -> Request:
    return Request.make(method, "http://toy.test/", headers=Headers((), **headers))


@pytest.mark.parametrize(
    ("asking", "expected"),
    [
        *(
            (request(Sec_Fetch_Dest=dest), True)
            for dest in ("document", "iframe", "frame", "embed", "object", "Iframe")
        ),
        *((request(Sec_Fetch_Dest=dest, **NAVIGATION), False) for dest in ("empty", "script", "image", "")),
        (request(**NAVIGATION), True),
        (request("POST", **NAVIGATION), True),
        (request("HEAD", **NAVIGATION), False),
        (request("HEAD", Sec_Fetch_Dest="document"), False),
        (request(Accept="text/html, application/xhtml+xml"), False),
        (request(Accept="*/*", Upgrade_Insecure_Requests="1"), False),
        (request(), False),
    ],
)
def test_asks_for_document(asking: Request, expected: bool) -> None:
    assert asks_for_document(asking) is expected


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (200, {"Content-Type": "text/html"}, True),
        (200, {"Content-Type": 'Text/HTML ;charset="utf8"'}, True),
        (200, {"Content-Type": "application/xhtml+xml"}, True),
        (200, {"Content-Type": "text/plain, text/html"}, True),
        (200, {"Content-Type": "text/html, text/plain"}, False),
        (200, {"Content-Type": "text/event-stream"}, False),
        (200, {"Content-Type": "application/json"}, False),
        (200, {}, False),
        (404, HTML, True),
        (500, HTML, True),
        (201, {**HTML, "Location": "/new"}, True),
        (302, {**HTML, "Location": "/new"}, False),
        (302, HTML, True),
        *((status, HTML, False) for status in (101, 204, 205, 206, 304)),
        *((200, {**HTML, "Content-Disposition": disposition}, True) for disposition in ("inline", "Inline; filename=x", "filename=x", "")),
        *((200, {**HTML, "Content-Disposition": disposition}, False) for disposition in ("attachment", "ATTACHMENT ; filename=x", "other")),
    ],
)  # fmt: skip
def test_is_document(status: int, headers: Mapping[str, str], expected: bool) -> None:
    response_headers = Headers([(name.encode(), value.encode()) for name, value in headers.items()])
    response = Response.make(status, b"x", response_headers)
    assert is_document(request(**NAVIGATION), response) is expected
    assert not is_document(request(**FETCHED), response)


def test_a_document_is_asked_for_whole() -> None:
    conditional = {"If-None-Match": '"one"', "If-Modified-Since": "x", "If-Match": '"two"'}
    for asking, remaining in ((NAVIGATION, {"If-Match"}), (FETCHED, set(conditional))):
        sent = request(**asking, **conditional)
        ask_for_whole(sent)
        assert {name for name in conditional if name in sent.headers} == remaining


@pytest.mark.parametrize("source", ["x='</script>'", "x='</SCRIPT'", "<!-- x"])
def test_a_source_that_would_end_its_element_is_refused(source: str) -> None:
    for xml in (False, True):
        with pytest.raises(ValueError, match="end its element"):
            script_element(source, "n", xml=xml)


def test_script_element() -> None:
    assert script_element("a<b", 'n"') == '<script nonce="n&quot;">a<b</script>'
    in_xml = script_element("a[b[0]]>c", "n", xml=True)
    assert in_xml == (
        '<script xmlns="http://www.w3.org/1999/xhtml" nonce="n"><![CDATA[a[b[0]]]]><![CDATA[>c]]></script>'
    )


# Changes of a document.


@pytest.mark.parametrize("coding", CODINGS)
def test_a_document_gets_the_script_and_is_kept_by_no_cache(upstream: Upstream, opened: Open, coding: str) -> None:
    encoding = {"Content-Encoding": coding} if coding else {}
    upstream.answers["/"] = Answer(
        CODINGS[coding](PAGE.encode()), {**HTML, **CACHEABLE, **encoding, "X-Other": "stays"}
    )
    port = opened()
    status, headers, body = port.ask("/")
    element = inserted(port)
    assert SOURCE in element
    assert (status, body.decode()) == (200, PAGE.replace("<head>", f"<head>{element}"))
    assert sorted(headers) == sorted(
        [*HTML.items(), ("X-Other", "stays"), ("Cache-Control", "no-store"), ("Transfer-Encoding", "chunked")]
    )
    assert (port.blocked(), port.binding.faults) == ([], [])


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("policy", ["", "script-src 'self'", "script-src 'nonce-abc'"])
def test_clean_and_sham_differ_in_nothing_but_the_script(
    upstream: Upstream, opened: Open, coding: str, policy: str
) -> None:
    policies = {name: policy for name in ("Content-Security-Policy", "Content-Security-Policy-Report-Only") if policy}
    kind = {"Content-Encoding": coding} if coding else {}
    upstream.answers["/"] = Answer(CODINGS[coding](PAGE.encode()), {**HTML, **CACHEABLE, **kind, **policies})
    sham, clean = opened(), opened(None)
    with_script, without_script = sham.ask("/"), clean.ask("/")
    assert with_script[:2] == without_script[:2]
    assert with_script[2].decode().replace(inserted(sham), "") == without_script[2].decode() == PAGE
    assert clean.blocked() == []
    nonces = [value.rpartition("'nonce-")[2].partition("'")[0] for name, value in with_script[1] if "Policy" in name]
    assert all(f'nonce="{nonce}"' in inserted(sham) for nonce in nonces)
    assert len(nonces) == 2 * bool(policy)
    # Where the site already has a nonce, the policy stays unchanged.
    assert "abc" not in policy or set(nonces) == {"abc"}


@pytest.mark.parametrize("codec", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize("declared", [True, False])
def test_utf_16_gets_the_script_in_its_code(upstream: Upstream, opened: Open, codec: str, *, declared: bool) -> None:
    kind = f"text/html; charset={codec}" if declared else "text/html"
    bom = "" if declared else "\ufeff"
    upstream.answers["/"] = Answer((bom + PAGE).encode(codec), {"Content-Type": kind})
    port = opened()
    text = port.ask("/")[2].decode(codec)
    assert text.count(SOURCE) == 1
    assert text.replace(text[text.index("<script") : text.index("</script>") + 9], "") == bom + PAGE


def test_a_script_is_made_for_each_path(upstream: Upstream, opened: Open) -> None:
    upstream.answers["/a"] = upstream.answers["/b"] = Answer(PAGE.encode(), HTML)
    port = opened(lambda path: f"'made for {path}'")
    assert b"'made for /a?x=1'" in port.ask("/a?x=1")[2]
    assert b"'made for /b'" in port.ask("/b")[2]


def test_documents_share_a_connection(upstream: Upstream, opened: Open) -> None:
    upstream.answers["/"] = Answer(PAGE.encode(), HTML)
    port = opened()
    connection = port.connect()
    connection.connect()
    used = connection.sock
    for _ in range(3):
        connection.request("GET", f"{port.url}/", headers=NAVIGATION)
        answer = connection.getresponse()
        assert SOURCE.encode() in answer.read()
        assert connection.sock is used
    connection.close()


def test_a_browser_that_knows_the_document_gets_it_whole(upstream: Upstream, opened: Open) -> None:
    upstream.answers["/"] = Answer(PAGE.encode(), {**HTML, **CACHEABLE})
    port = opened()
    for asking in (NAVIGATION, FETCHED):
        port.ask("/", {**asking, "If-None-Match": '"one"'})
    assert ["if-none-match" in headers for _, headers in upstream.requests] == [False, True]


# Streams.


def flushed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Compress pieces so that each can be decoded when it arrives."""
    state = zlib.compressobj(wbits=31)
    for piece in pieces:
        yield state.compress(piece) + state.flush(zlib.Z_SYNC_FLUSH)
    yield state.flush()


@pytest.mark.parametrize("coding", ["identity", "gzip"])
@pytest.mark.parametrize("script", [True, False])
def test_a_document_arrives_while_its_site_still_writes(
    upstream: Upstream, opened: Open, coding: str, *, script: bool
) -> None:
    first, rest = PAGE[:200].encode(), PAGE[200:].encode()
    seen = threading.Event()

    def written() -> Iterator[bytes]:
        yield first
        assert seen.wait(10)
        yield rest

    body = written if coding == "identity" else lambda: flushed(written())
    upstream.answers["/"] = Answer(body, {**HTML, "Content-Encoding": coding})
    port = opened() if script else opened(None)
    connection = port.connect()
    connection.request("GET", f"{port.url}/", headers=NAVIGATION)
    answer = connection.getresponse()
    got = b""
    while not got.endswith(first[-20:]):
        got += answer.read1()
    assert (SOURCE.encode() in got) is script
    assert port.binding.open_flows == 1
    seen.set()
    assert answer.read() == rest
    connection.close()


def test_events_of_a_server_arrive_one_by_one_and_nobody_waits_for_their_end(upstream: Upstream, opened: Open) -> None:
    acknowledged = [threading.Event() for _ in range(3)]

    def events() -> Iterator[bytes]:
        for number, heard in enumerate(acknowledged):
            yield b"data: %d\n\n" % number
            assert heard.wait(10)

    upstream.answers["/events"] = Answer(events, {"Content-Type": "text/event-stream"})
    port = opened()
    connection = port.connect()
    connection.request("GET", f"{port.url}/events", headers={"Accept": "text/event-stream"})
    answer = connection.getresponse()
    for number, heard in enumerate(acknowledged):
        assert answer.read1() == b"data: %d\n\n" % number
        assert (port.binding.open_flows, port.binding.started) == (0, 1)
        heard.set()
    assert answer.read() == b""
    connection.close()


def test_a_delayed_flow_delays_no_other(upstream: Upstream, opened: Open) -> None:
    asked_for, done = threading.Event(), threading.Event()

    def delayed_chunks() -> Iterator[bytes]:
        asked_for.set()
        assert done.wait(20)
        yield PAGE.encode()

    upstream.answers |= {"/late": Answer(delayed_chunks, HTML), "/": Answer(PAGE.encode(), HTML)}
    port = opened()
    bodies: list[bytes] = []
    thread = threading.Thread(target=lambda: bodies.append(port.ask("/late")[2]))
    thread.start()
    assert asked_for.wait(10)
    # These complete while the late one waits for them.
    quick = [port.ask("/")[2] for _ in range(5)]
    assert bodies == []
    done.set()
    thread.join(10)
    assert bodies[0].decode().replace(SOURCE, "").count("lamp") == 3000
    assert all(SOURCE.encode() in body for body in quick)


# Answers that are not documents.

DATA = bytes(range(256)) * 40
UNTOUCHED: dict[str, tuple[Answer, Mapping[str, str], str]] = {
    "a range": (
        Answer(DATA[:99], {**HTML, **CACHEABLE, "Content-Range": "bytes 0-98/10240"}, 206), {**NAVIGATION, "Range": "bytes=0-98"}, "GET",
    ),
    "not modified": (Answer(b"", {**HTML, **CACHEABLE}, 304), NAVIGATION, "GET"),
    "no content": (Answer(b"", CACHEABLE, 204), NAVIGATION, "GET"),
    "the head alone": (Answer(PAGE.encode(), {**HTML, **CACHEABLE}), NAVIGATION, "HEAD"),
    "a download": (
        Answer(gzip.compress(b"<tr><td>x"), {**HTML, **CACHEABLE, "Content-Encoding": "gzip", "Content-Disposition": "attachment"}),
        NAVIGATION, "GET",
    ),
    "a fragment": (Answer(gzip.compress(b"<tr><td>x"), {**HTML, "ETag": '"one"', "Content-Encoding": "gzip"}), FETCHED, "GET"),
    "a fragment for Turbo": (Answer(b"<tr><td>x", {**HTML, **CACHEABLE, "Cache-Control": "no-cache"}), {"Accept": "text/html, application/xhtml+xml"}, "GET"),
    "a fragment by its destination": (Answer(b"<tr>", HTML), {**NAVIGATION, "Sec-Fetch-Dest": "empty"}, "GET"),
    "a redirect": (Answer(b"<p>there", {**HTML, **CACHEABLE, "Location": "/there"}, 302), NAVIGATION, "GET"),
    "a picture": (Answer(DATA, {**CACHEABLE, "Content-Type": "image/png", "Accept-Ranges": "bytes"}), NAVIGATION, "GET"),
    "plain text": (Answer(b"<html><head>", {"Content-Type": "text/plain"}), NAVIGATION, "GET"),
    "an empty document": (Answer(b"", {**HTML, **CACHEABLE}), NAVIGATION, "GET"),
    "an unknown coding": (Answer(DATA, {**HTML, **CACHEABLE, "Content-Encoding": "gzip, odd"}), NAVIGATION, "GET"),
    "a chunked picture": (Answer(lambda: [DATA, b"x", DATA], {"Content-Type": "image/png"}), NAVIGATION, "GET"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNTOUCHED)
def test_what_is_no_document_passes_byte_for_byte(upstream: Upstream, opened: Open, name: str) -> None:
    upstream.answers["/"], headers, method = UNTOUCHED[name]
    direct = fetch(http.client.HTTPConnection(*upstream.address, timeout=10), "/", headers, method)
    sham, clean = opened(), opened(None)
    assert sham.ask("/", headers, method) == clean.ask("/", headers, method) == direct
    reasons = {"an empty document": ["/: it is empty"], "an unknown coding": ["/: its content coding is unknown"]}
    assert (sham.blocked(), clean.blocked()) == (reasons.get(name, []), [])


@pytest.mark.parametrize("caching", [{"Cache-Control": "max-age=9"}, {"Expires": "x"}, {"Last-Modified": "x"}])
def test_a_fragment_that_may_be_kept_is_kept_for_those_who_fetch_it(
    upstream: Upstream, opened: Open, caching: Mapping[str, str]
) -> None:
    upstream.answers["/"] = Answer(b"<tr><td>x", {**HTML, **caching, "Vary": "Cookie"})
    status, headers, body = fetch(http.client.HTTPConnection(*upstream.address, timeout=10), "/", FETCHED)
    for port in (opened(), opened(None)):
        got = port.ask("/", FETCHED)
        assert (got[0], got[2]) == (status, body)
        assert sorted(got[1]) == sorted([*headers, ("Vary", "Upgrade-Insecure-Requests")])


def test_what_a_site_lets_be_kept_is_asked_for_once_and_answered_in_parts_by_the_site(
    upstream: Upstream, opened: Open
) -> None:
    upstream.answers |= {
        "/film": Answer(DATA, {**CACHEABLE, "Content-Type": "video/mp4"}),
        "/": Answer(b"x", {**HTML, **CACHEABLE}),
    }
    port = opened()
    answers = [port.ask("/film", FETCHED) for _ in range(3)]
    assert answers == [fetch(http.client.HTTPConnection(*upstream.address, timeout=10), "/film", FETCHED)] * 3
    # Once by the proxy, and once directly.
    assert len(upstream.requests) == 2
    upstream.answers["/film"] = Answer(DATA[:9], {"Content-Range": "bytes 0-8/10240"}, 206)
    assert port.ask("/film", {**FETCHED, "Range": "bytes=0-8"})[::2] == (206, DATA[:9])
    # The proxy never answers a page in the site's place.
    for asking in (FETCHED, NAVIGATION) * 2:
        port.ask("/", asking)
    assert [path for path, _ in upstream.requests].count("/") == 4


# Failures.


def test_a_damaged_document_shows_what_stands_before_the_damage(upstream: Upstream, opened: Open) -> None:
    text = PAGE[:100].encode() + b"".join(b"%02x" % byte for byte in NOISE)
    coded = gzip.compress(text)
    upstream.answers["/"] = Answer(coded[: len(coded) // 2] + b"\xff" * 100_000, {**HTML, "Content-Encoding": "gzip"})
    sham, clean = opened(), opened(None)
    body = clean.ask("/")[2]
    assert body[: 4 * SLICE] == text[: 4 * SLICE]
    assert sham.ask("/")[2].replace(inserted(sham).encode(), b"") == body
    assert sham.blocked() == []


def test_damage_before_the_script_is_said(upstream: Upstream, opened: Open) -> None:
    upstream.answers["/"] = Answer(b"<html>no coded data at all" * 9, {**HTML, "Content-Encoding": "gzip"})
    sham, clean = opened(), opened(None)
    assert sham.ask("/") == clean.ask("/")
    assert sham.ask("/")[2] == b""
    assert (sham.blocked(), clean.blocked()) == (["/: its content coding is damaged"] * 2, [])


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (b"<!-- never ends", "it ends before its head begins"),
        (b"<p>x<meta charset=shift_jis>", "its character set is declared after the head"),
        (b"<!--" + b"x" * 70_000 + b"--><head>", "its head does not begin within the first 64 KiB"),
    ],
)
def test_an_unfit_document_passes_and_the_ledger_says_why(
    upstream: Upstream, opened: Open, page: bytes, why: str
) -> None:
    upstream.answers["/odd"] = Answer(gzip.compress(page), {"Content-Type": "text/html", "Content-Encoding": "gzip"})
    port = opened()
    assert port.ask("/odd?x=1")[2] == page
    assert (port.blocked(), port.binding.faults) == ([f"/odd: {why}"], [])


def broken(*args: Any, **named: Any) -> Any:
    raise ZeroDivisionError("ours")


@pytest.mark.parametrize(("method", "length"), [("feed", 300), ("feed", len(PAGE)), ("finish", 300)])
def test_an_exception_in_the_inserter_leaves_every_byte(
    upstream: Upstream, opened: Open, monkeypatch: pytest.MonkeyPatch, method: str, length: int
) -> None:
    # A long open comment keeps the inserter waiting, so that it already holds a part of the page.
    page = b"<!--" + PAGE.encode()[:length] + b"-->" * (method == "feed")
    fed: list[int] = []
    real = Inserter.feed

    def fails_the_second_time(self: Inserter, data: bytes) -> bytes:
        fed.append(len(data))
        return real(self, data) if len(fed) == 1 else broken()

    monkeypatch.setattr(Inserter, method, fails_the_second_time if method == "feed" else broken)
    upstream.answers["/"] = Answer(lambda: [page[:150], page[150:200], page[200:]], HTML)
    port = opened()
    status, headers, body = port.ask("/")
    assert (status, body) == (200, page)
    assert ("Cache-Control", "no-store") in headers
    assert port.blocked() == ["/: an exception of ours"]
    (fault,) = port.binding.faults
    assert fault.message.startswith("ZeroDivisionError: ours (test_stream.py:")
    assert "perturbations/stream.py" in fault.traceback


def test_an_exception_in_what_makes_the_script_leaves_the_whole_answer(upstream: Upstream, opened: Open) -> None:
    upstream.answers["/"] = Answer(gzip.compress(PAGE.encode()), {**HTML, **CACHEABLE, "Content-Encoding": "gzip"})
    direct = fetch(http.client.HTTPConnection(*upstream.address, timeout=10), "/", NAVIGATION)
    for script in (broken, lambda path: "'ä'", lambda path: "</script>"):
        port = opened(script)
        assert port.ask("/") == direct
        assert port.blocked() == ["/: an exception of ours"]
        assert len(port.binding.faults) == 1
        # Nor is the answer without the script cached for the next request.
        port.serve_script(lambda path: SOURCE)
        assert SOURCE.encode() in port.ask("/")[2]


def test_an_exception_in_the_decoder_ends_the_body_and_not_the_proxy(
    upstream: Upstream, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Decoder.feed

    def fails_behind_the_script(self: Decoder, data: bytes) -> Iterator[bytes]:
        yield from real(self, data)
        raise MemoryError("ours")

    upstream.answers["/"] = Answer(PAGE.encode(), HTML)
    port = opened()
    monkeypatch.setattr(Decoder, "feed", fails_behind_the_script)
    assert SOURCE.encode() in port.ask("/")[2]
    monkeypatch.undo()
    assert port.blocked()[0] == "/: an exception of ours"
    assert port.binding.faults[0].message.startswith("MemoryError: ours")
    assert port.ask("/")[2].decode().count("lamp") == 3000


def test_an_exception_beside_the_stream_is_a_fault_and_the_answer_passes(upstream: Upstream, opened: Open) -> None:
    upstream.answers["/"] = Answer(DATA, {**CACHEABLE, "Content-Type": "image/png"})
    direct = fetch(http.client.HTTPConnection(*upstream.address, timeout=10), "/", NAVIGATION)
    port = opened(clock=broken)
    assert port.ask("/") == direct
    (fault,) = port.binding.faults
    assert fault.message.startswith("ZeroDivisionError: ours")


def test_a_body_that_breaks_off_breaks_off(upstream: Upstream, opened: Open) -> None:
    upstream.answers["/"] = Answer(PAGE.encode(), {**HTML, "Content-Length": "999999"})
    port = opened()
    with pytest.raises(http.client.IncompleteRead) as caught:
        port.ask("/")
    assert caught.value.partial.endswith(b"</html>")


def test_a_browser_that_leaves_ends_the_flow(upstream: Upstream, opened: Open) -> None:
    has_left = threading.Event()

    def written() -> Iterator[bytes]:
        yield PAGE.encode()
        assert has_left.wait(10)
        # Written until the proxy, which has no client any more, disconnects.
        for _ in range(100_000):
            yield bytes(100_000)

    upstream.answers["/"] = Answer(written, HTML)
    port = opened()
    connection = port.connect()
    connection.request("GET", f"{port.url}/", headers=NAVIGATION)
    answer = connection.getresponse()
    assert SOURCE.encode() in answer.read1()
    assert port.binding.open_flows == 1
    answer.close()
    connection.close()
    has_left.set()


@pytest.mark.parametrize("step", [0, 1])
def test_a_sites_fault_is_noted_and_the_page_does_not_see_it(upstream: Upstream, opened: Open, step: int) -> None:
    upstream.answers["/"] = Answer(b"broken", {"Content-Type": "text/plain", FAULT_HEADER: "1"}, 500)
    port = opened()
    port.stress.begin(step)
    status, headers, body = port.ask("/?x=1")
    assert (status, headers, body) == (500, [("Content-Type", "text/plain"), ("Content-Length", "6")], b"broken")
    assert [(entry.mode, entry.phase, entry.detail) for entry in port.stress.entries] == [
        ("world", "fault", "/")
    ] * step


def test_other_hosts_stay_blocked(upstream: Upstream, opened: Open) -> None:
    port = opened()
    assert fetch(port.connect(), "http://elsewhere.test/", NAVIGATION)[0] == 403
    assert [(entry.phase, entry.detail) for entry in port.stress.entries] == [("blocked", "elsewhere.test")]
    assert upstream.requests == []


# One body in any pieces.

coded = st.sampled_from(["", "bare", *ENCODERS])


@given(page=st.sampled_from(NASTY), coding=coded, cuts=st.data())
def test_the_size_of_the_pieces_is_of_no_account(page: str, coding: str, cuts: st.DataObject) -> None:
    body = page.encode("utf-8", "replace")
    whole = Inserter("<script>S</script>")
    expected = whole.feed(body) + whole.finish()
    sent = bare(body) if coding == "bare" else ENCODERS.get(coding, bytes)(body)
    reasons: list[str] = []
    passage = Passage(
        [{"bare": "deflate"}.get(coding, coding)] if coding else [],
        Inserter("<script>S</script>"),
        lambda why, error: reasons.append(why),
    )
    places = cuts.draw(st.lists(st.integers(0, len(sent)), max_size=6, unique=True).map(sorted))
    pieces = [sent[start:end] for start, end in pairwise([0, *places, len(sent)]) if start != end]
    # HTTP/2 may signal the end twice.
    out = [passed for piece in [*pieces, b"", b""] for passed in passage(piece)]
    assert b"".join(out) == expected
    assert b"" not in out
    assert reasons == ([whole.unfit.value] if whole.unfit else [])


# In the browser.


@pytest.fixture
def page(browser: Browser) -> Iterator[Callable[[Port], Page]]:
    contexts = []

    def new_page(port: Port) -> Page:
        # Chromium uses no proxy for a name of this machine.
        local = port.host.startswith("127.")
        proxy = None if local else ProxySettings(server=f"http://127.0.0.1:{port.number}")
        context = browser.new_context(proxy=proxy)
        contexts.append(context)
        return context.new_page()

    yield new_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("local", [False, True])
def test_the_script_runs_first_and_leaves_no_trace(
    upstream: Upstream, opened: Open, page: Callable[[Port], Page], *, local: bool
) -> None:
    sham, clean = opened(local=local), opened(None, local=local)
    with_script, without_script = page(sham), page(clean)
    marked = [html.replace("<head>", "<head><script>window.late=Boolean(window.ran)</script>", 1) for html in NASTY]
    for html in [PAGE, *marked[:: 8 if local else 5]]:
        upstream.answers["/"] = Answer(gzip.compress(html.encode()), {**HTML, "Content-Encoding": "gzip"})
        with_script.goto(sham.url)
        without_script.goto(clean.url)
        assert dom(with_script) == dom(without_script), html
        # When the script counted, it had removed itself, and there was no other yet.
        assert with_script.evaluate("window.ran") == [0], html
        assert without_script.evaluate("window.ran") is None
        assert with_script.evaluate("window.late ?? true") is True


FRAMES = """<!doctype html><script>window.own = 1</script><iframe src="/frame"></iframe><object data="/object" type="text/html"></object>
<embed src="/embed" type="text/html"><script>
Promise.all([fetch("/fetched").then((answer) => answer.text()), new Promise((done) => {
  const request = new XMLHttpRequest(); request.open("GET", "/loaded"); request.onload = () => done(request.responseText); request.send();
})]).then((texts) => { window.texts = texts; });
</script>"""


@pytest.mark.parametrize("local", [False, True])
def test_what_a_browser_shows_gets_the_script_and_what_scripts_load_does_not(
    upstream: Upstream, opened: Open, page: Callable[[Port], Page], *, local: bool
) -> None:
    inner_page = "<!doctype html><title>inner</title><p>x"
    upstream.answers |= {
        f"/{name}": Answer(inner_page.encode(), {**HTML, **CACHEABLE})
        for name in ("frame", "object", "embed", "fetched", "loaded")
    }
    upstream.answers["/"] = Answer(FRAMES.encode(), HTML)
    port = opened(local=local)
    tab = page(port)
    tab.goto(port.url)
    tab.wait_for_function("window.texts")
    assert tab.evaluate("window.texts") == [inner_page] * 2
    assert [frame.evaluate("window.ran") for frame in tab.frames] == [[0]] * 4
    destinations = {path: headers.get("sec-fetch-dest") for path, headers in upstream.requests}
    expected = {"/": "document", "/frame": "iframe", "/object": "object", "/embed": "embed", "/fetched": "empty"}
    assert {path: destinations[path] for path in expected} == (expected if local else dict.fromkeys(expected))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "loads",
    [
        "fetch('/next').then((answer) => answer.text())",
        """new Promise((done) => {
          const link = document.createElement("link");
          Object.assign(link, { rel: "prefetch", href: "/next", onload: done });
          document.head.append(link);
        })""",
    ],
)
def test_a_copy_that_was_loaded_before_is_not_shown(
    upstream: Upstream, opened: Open, page: Callable[[Port], Page], loads: str, *, local: bool
) -> None:
    upstream.answers |= {"/": Answer(PAGE.encode(), HTML), "/next": Answer(PAGE.encode(), {**HTML, **CACHEABLE})}
    port = opened(local=local)
    tab = page(port)
    tab.goto(port.url)
    for _ in range(2):
        tab.evaluate(f"() => {{ return {loads}.then(() => undefined); }}")
    # The browser has cached it for other fetches.
    assert [path for path, _ in upstream.requests].count("/next") == 1
    tab.goto(f"{port.url}/next")
    assert tab.evaluate("window.ran") == [0]
