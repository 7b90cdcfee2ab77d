"""The proxy: every spelling and encoding is rewritten, nothing leaves the world, nobody comes past."""

import base64
import gzip
import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import brotli
import pytest
import zstandard

from perturbations import MODES
from perturbations.addon import LARGEST_BODY, USER, charset_of
from perturbations.episode_perturber import EpisodePerturber
from runner.world.world import World
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.html.accessible_name import INVISIBLE
from stressweb.html.canonical import site_tree
from stressweb.html.page import Page
from tests import proxied
from tests.perturbations.conftest import Set
from tests.toy import PAGE, Toy

DECODINGS: dict[str, Callable[[bytes], bytes]] = {
    "identity": bytes,
    "gzip": gzip.decompress,
    "br": brotli.decompress,
    "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "identity": bytes,
    "gzip": gzip.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


class Encoded(Toy):
    """A toy site that sends its page in a character set and a content encoding."""

    def __init__(self, content_type: str, codec: str = "utf-8", encoding: str = "identity") -> None:
        """Say how the page is announced and sent."""
        page = PAGE.replace(' <meta charset="utf-8">', "").replace("Some heading", "Größe für alle")
        super().__init__(page.replace('<meta charset="utf-8">', ""), content_type)
        self.codec, self.encoding = codec, encoding
        if encoding != "identity":
            self.headers.append(("Content-Encoding", encoding))

    def encoded(self, page: str) -> bytes:
        """Return the bytes that are sent."""
        return ENCODINGS[self.encoding](page.encode(self.codec))


CODECS_OF_NO_PAGE = (
    "punycode",
    "idna",
    "zlib",
    "base64",
    "rot13",
    "hex",
    "unicode_escape",
    "undefined",
    "utf-7",
    "mbcs",
)
CONTENT_TYPES = pytest.mark.parametrize(
    ("content_type", "codec"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('Text/HTML;charset="utf8"', "utf-8"),
        ("text/html", "utf-8"),
        ("text/html; charset=ISO-8859-1", "latin-1"),
    ],
)


@CONTENT_TYPES
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_every_document_is_perturbed(stage: Set, content_type: str, codec: str, encoding: str) -> None:
    """No spelling of the content type slips through, and no letter is lost on the way into the browser."""
    toy = stage("noise@5", Encoded(content_type, codec, encoding))
    heading = toy.page.locator("h2").text_content() or ""
    assert "Größefüralle" in "".join(letter for letter in heading if letter.isalpha())
    assert [entry.phase for entry in toy.episode.ledger()] == ["delivered"]


@CONTENT_TYPES
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_is_perturbed(world: World, content_type: str, codec: str, encoding: str) -> None:
    """What comes as gzip, br or zstd is rewritten and goes on as that; browsers take the last two by TLS only."""
    site = Encoded(content_type, codec, encoding)
    episode = world.open(site, parse("noise@5", MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)
    proxy = urllib.request.ProxyHandler({"http": proxied.address(episode)})
    with urllib.request.build_opener(proxy).open("http://toy.test/") as answer:
        html = DECODINGS[encoding](answer.read()).decode(codec)
        assert answer.headers.get("Content-Encoding", "identity") == encoding
    assert site_tree(html, b"k" * 16).findtext(".//h2").translate(INVISIBLE) == "Größe für alle"
    assert len(html) > 2 * len(PAGE)
    episode.close()


@pytest.mark.parametrize(
    ("content_type", "body", "charset"),
    [
        ("text/html; charset=UTF-8", b"", "utf-8"),
        ("text/html; CHARSET = 'utf8'", b"", "utf-8"),
        ("text/html", b'<meta charset="latin1">', "iso8859-1"),
        ("text/html; charset=nonsense", b"<p>", None),
        ("", b"", None),
        *((f"text/html; charset={name}", b"<p>", None) for name in CODECS_OF_NO_PAGE),
        ("text/html; charset=punycode", b"<meta charset=utf-8>", "utf-8"),
        ("text/html; charset=windows-1252", b"", "cp1252"),
        ("text/html; charset=Shift_JIS", b"", "shift_jis"),
    ],
)
def test_charset_of(content_type: str, body: bytes, charset: str | None) -> None:
    """The header's word counts first, then the document's."""
    assert charset_of(content_type, body) == charset


def test_clean_passes_bytes_through(world: World) -> None:
    """Without a condition the agent gets what the site sent, byte for byte."""
    toy = Toy()
    episode = world.open(toy, parse("clean", MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)
    proxy = urllib.request.ProxyHandler({"http": proxied.address(episode)})
    with urllib.request.build_opener(proxy).open("http://toy.test/alpha") as answer:
        assert answer.read() == toy.page.replace("{path}", "/alpha").encode()
    episode.close()


def test_foreign_hosts_get_a_403_and_a_line(stage: Set) -> None:
    """No request leaves the world, and the ledger says what was tried."""
    toy = stage("sham")
    status = toy.page.evaluate("fetch('http://elsewhere.test/', {mode: 'no-cors'}).then(() => 'sent')")
    answer = toy.page.goto("http://elsewhere.test/")
    assert status == "sent"
    assert answer is not None
    assert answer.status == 403
    assert {entry.detail for entry in toy.episode.ledger() if entry.phase == "blocked"} == {"elsewhere.test"}


def test_a_site_answers_nobody_who_comes_past_the_proxy(world: World, stage: Set) -> None:
    """Without the proxy's key, or with a guessed one, a site says nothing."""
    stage("clean")
    for headers in ({}, {"X-Site-Key": "guess", "X-Site-Database": "guess"}):
        connection = http.client.HTTPConnection(*world._site_server.address, timeout=5)
        connection.request("GET", "/", headers={"Host": "toy.test", **headers})
        assert connection.getresponse().status == 403
        connection.close()


def test_an_ended_episode_answers_nothing(world: World) -> None:
    """A port whose episode is over refuses, whatever still comes from its browser."""
    episode = world.open(Toy(), parse("clean", MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)
    episode.close()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    with pytest.raises(urllib.error.HTTPError, match="403"):
        opener.open("http://toy.test/")


def test_reverse_mode_serves_any_browser(world: World) -> None:
    """Under its own name a site is served and stressed; under another it is not there."""
    url = world.serve(Toy(), parse("remap_explicit@3", MODES)[0], Seeds(0, 0, "toy/x"))
    host = url.split("/")[2]
    connection = http.client.HTTPConnection("127.0.0.1", int(host.rpartition(":")[2]), timeout=5)
    connection.request("GET", "/", headers={"Host": host})
    assert "double click" in connection.getresponse().read().decode()
    connection.request("GET", "/", headers={"Host": "toy.test"})
    assert connection.getresponse().status == 403
    connection.close()


def test_an_exception_of_ours_is_a_fault_and_never_swallowed(world: World) -> None:
    """Whatever goes wrong in a hook makes the episode an error."""
    episode = world.open(Toy(), parse("sham", MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)

    def broken(page: Page) -> frozenset[str]:
        raise ZeroDivisionError("no words")

    world._addon.bindings[episode.port].named = broken
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    with pytest.raises(urllib.error.HTTPError, match="502"):
        opener.open("http://toy.test/")
    assert "ZeroDivisionError: no words" in episode.faults()[0].message
    episode.close()


@pytest.mark.parametrize(
    "body",
    [
        None, b"", b"nonsense", b"[]", b"{}", b"[" * 100_000, b'["remap","nobody","hit",0]', b'["remap","%s","ask",0]',
        b'["noise","%s","hit",0]', b'["remap","%s","hit",-1]', b'["remap","%s","hit",1e400]', b'["remap","%s","hit",true]',
        b'["remap","%s","moved",["/","<p>"]]', b'[null,"%s","hit",0]', b'["remap","%s","drawn",["/","<p>"]]', b"\xff\xfe",
        b'["remap","%s","other",0]', b'["remap",["%s"],"hit",0]', b'["remap","%s","hit",99999999999999999999999]',
    ],
)  # fmt: skip
def test_a_report_that_no_page_sends_is_refused_and_voids_nothing(world: World, body: bytes | None) -> None:
    """An agent that goes where reports go gets a 400, and its episode counts."""
    episode = world.open(Toy(), parse("remap@3", MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)
    stress = world._addon.bindings[episode.port].stress
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    opener.open("http://toy.test/").close()
    page = next(token for token, subject in stress._subjects.items() if subject.control is None)
    sent = None if body is None else body.replace(b"%s", page.encode())
    before = episode.ledger()
    with pytest.raises(urllib.error.HTTPError, match="400"):
        opener.open(urllib.request.Request(f"http://toy.test{stress.report_path}", data=sent))
    (line,) = episode.ledger()[len(before) :]
    assert (line.mode, line.phase) == ("world", "blocked")
    assert episode.faults() == []
    episode.close()


def test_clean_knows_no_reports(world: World) -> None:
    """Where nothing is injected, the path that reports would go to is the site's like any other."""
    episode = world.open(Toy(), parse("clean", MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)
    path = world._addon.bindings[episode.port].stress.report_path
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    assert PAGE.replace("{path}", path) == opener.open(f"http://toy.test{path}").read().decode()
    assert (episode.ledger(), episode.faults()) == ([], [])
    episode.close()


def test_the_path_of_reports_is_not_known_from_the_cell(world: World) -> None:
    """Who knows seeds, task and code does not know where reports go."""
    seeds, key = Seeds(0, 0, "toy/x"), b"k" * 16
    episode = world.open(Toy(), parse("remap@3", MODES)[0], seeds, key)
    stress = world._addon.bindings[episode.port].stress
    assert stress.report_path != EpisodePerturber([], seeds, key, active=True).report_path
    episode.close()


@pytest.mark.parametrize("condition", ["clean", "remap@3"])
@pytest.mark.parametrize("given", [None, "", "Basic", "Basic Z3Vlc3M6Z3Vlc3M=", "Bearer {right}", "Basic {right}x"])
def test_a_port_answers_nobody_without_its_credential(world: World, condition: str, given: str | None) -> None:
    """Another process of this machine gets no page, changes nothing and leaves no trace."""
    episode = world.open(Toy(), parse(condition, MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)
    right = base64.b64encode(f"{USER}:{episode.credential}".encode()).decode()
    headers = {} if given is None else {"Proxy-Authorization": given.format(right=right)}
    connection = http.client.HTTPConnection("127.0.0.1", episode.port, timeout=5)
    for method, target in (("GET", "http://toy.test/"), ("POST", "http://toy.test/done"), ("CONNECT", "toy.test:443")):
        connection.request(method, target, body=b"body=stolen" if method == "POST" else None, headers=headers)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (407, b"")
        connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", episode.evidence_port, timeout=5)
    connection.request("GET", "http://toy.test/", headers=headers)
    assert connection.getresponse().status == 407
    connection.close()
    assert (episode.started(), episode.final(), episode.ledger(), episode.faults()) == (0, {}, [], [])
    episode.close()


@pytest.fixture
def small_bodies(world: World) -> Iterator[None]:
    options = world._proxy._master.options
    assert options.body_size_limit == LARGEST_BODY
    options.update(body_size_limit="1m")
    yield
    options.update(body_size_limit=LARGEST_BODY)


@pytest.mark.usefixtures("small_bodies")
@pytest.mark.parametrize(("sent", "status"), [(None, 502), (bytes(2 << 20), 413)])
def test_a_body_without_end_is_refused_and_the_episode_says_so(world: World, sent: bytes | None, status: int) -> None:
    """Neither what a site sends nor what an agent makes it get fills the memory."""
    site = Toy("x" * (2 << 20)) if sent is None else Toy()
    episode = world.open(site, parse("sham", MODES)[0], Seeds(0, 0, "toy/x"), b"k" * 16)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as caught:
        opener.open(urllib.request.Request("http://toy.test/", data=sent))
    if isinstance(caught.value, urllib.error.HTTPError):
        assert caught.value.status == status
    (line,) = episode.ledger()
    assert (line.mode, line.phase, line.detail) == ("world", "blocked", "a body larger than 64m")
    assert (episode.final(), episode.faults(), episode.busy()) == ({}, [], 0)
    episode.close()


def test_the_credential_goes_no_further_than_the_proxy(stage: Set) -> None:
    """Neither site nor page ever sees it."""
    seen: list[str] = []

    class Listening(Toy):
        def app(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
            seen.extend(name for name in environ if "AUTH" in name)
            return super().app(environ, start_response)

    toy = stage("sham", Listening())
    assert toy.page.evaluate("fetch('/alpha').then((answer) => answer.status)") == 200
    assert seen == []


@pytest.mark.parametrize(
    "policy",
    [
        "default-src 'self'",
        "default-src 'none'; script-src 'self'",
        "script-src 'self' 'nonce-abc'; connect-src 'none'",
        "script-src 'self' 'unsafe-inline'",
        "script-src 'strict-dynamic' 'nonce-abc'",
        "script-src 'strict-dynamic' 'unsafe-inline'",
        "script-src 'self'; script-src 'unsafe-inline'",
        "script-src 'self', script-src 'none'; connect-src 'none'",
    ],
)
def test_the_runtime_runs_under_the_sites_policy(stage: Set, policy: str) -> None:
    """A content security policy keeps our script neither out nor lets others in."""
    toy = stage("remap@5", Toy(policy=policy))
    toy.page.click("text=Alpha page")
    toy.read()
    assert toy.page.url == "http://toy.test/"
    assert len(toy.lines("delivered")) == 1
    if policy != "script-src 'self' 'unsafe-inline'":
        pressed = (
            "const e = document.createElement('i'); e.setAttribute('onclick', 'window.ran = 1'); e.click(); window.ran"
        )
        assert toy.page.evaluate(pressed) is None
        evil = (
            "const e = document.createElement('script'); e.text = 'window.ran = 1'; document.body.append(e); window.ran"
        )
        # By 'strict-dynamic' a site allows what a script of its own makes.
        assert toy.page.evaluate(evil) == (1 if "strict-dynamic" in policy else None)
