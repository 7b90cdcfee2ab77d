"""The proxy: every spelling and encoding gets the script, no request leaves the world, none bypasses the proxy."""

import gzip
import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import brotli
import pytest
import zstandard

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.perturbations.addons.body_limit import LARGEST_BODY
from stressweb.perturbations.asset_cache import AssetCache
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.perturbations.remap.explicit import HINTS
from stressweb.runner.world.serve_site import serve_site
from stressweb.runner.world.world import World
from tests.support import proxied
from tests.support.toy import PAGE, Toy
from tests.support.toy_stage import Set
from tests.support.upstream import NAVIGATION
from tests.support.waiting import PATIENCE_S

pytestmark = pytest.mark.sample(50, "file")

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
        """Take the page's Content-Type header, its codec and its content encoding."""
        page = PAGE.replace(' <meta charset="utf-8">', "").replace("Some heading", "Größe für alle")
        super().__init__(page.replace('<meta charset="utf-8">', ""), content_type)
        self.codec, self.encoding = codec, encoding
        if encoding != "identity":
            self.headers.append(("Content-Encoding", encoding))

    def encoded(self, page: str) -> bytes:
        """Return the bytes of the answer."""
        return ENCODINGS[self.encoding](page.encode(self.codec))


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
def test_every_document_is_disturbed(stage: Set, content_type: str, codec: str, encoding: str) -> None:
    """Every spelling of the content type is recognised, and no letter is lost on the way into the browser."""
    clean, toy = (stage(label, Encoded(content_type, codec, encoding)) for label in ("clean", "remap@5"))
    heading = toy.page.locator("h2").text_content()
    # Without a declared character set the browser guesses another one than the site's, in every arm alike.
    assert heading == clean.page.locator("h2").text_content()
    assert (heading == "Größe für alle") == ("charset" in content_type)
    toy.page.click("text=Alpha page")
    toy.read()
    assert [(entry.phase, entry.element) for entry in toy.episode.perturber.entries if entry.phase != "planned"] == [
        ("delivered", "link 'Alpha page'")
    ]


@CONTENT_TYPES
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_gets_the_script(world: World, content_type: str, codec: str, encoding: str) -> None:
    """Bodies in gzip, br or zstd get one script and are otherwise unchanged; browsers accept br and zstd only by TLS."""
    pages = []
    for label in ("clean", "remap_explicit@5"):
        episode = world.open(Encoded(content_type, codec, encoding), parse(label, MODES)[0], Seeds(0, 0, "toy/x"))
        proxy = urllib.request.ProxyHandler({"http": proxied.address(episode)})
        request = urllib.request.Request("http://toy.test/", headers=NAVIGATION)
        with urllib.request.build_opener(proxy).open(request) as answer:
            coding = answer.headers.get("Content-Encoding", "identity")
            # The proxy decodes a document that gets the script.
            pages.append((DECODINGS[coding](answer.read()).decode(codec), coding))
        episode.close()
    (clean, _), (disturbed, _) = pages
    script = re.search("<script.*?</script>", disturbed, re.DOTALL)
    assert script
    assert any(hint in script[0] for hint in HINTS)
    assert disturbed.replace(script[0], "") == clean
    assert "Größe für alle" in clean


def test_clean_passes_bytes_through(world: World) -> None:
    """Without a condition the agent gets what the site sent, byte for byte."""
    toy = Toy()
    episode = world.open(toy, parse("clean", MODES)[0], Seeds(0, 0, "toy/x"))
    proxy = urllib.request.ProxyHandler({"http": proxied.address(episode)})
    with urllib.request.build_opener(proxy).open("http://toy.test/alpha") as answer:
        assert answer.read() == toy.page.replace("{path}", "/alpha").encode()
    episode.close()


def test_foreign_hosts_get_a_403_and_a_line(stage: Set) -> None:
    """No request leaves the world, and the ledger names the refused host."""
    toy = stage("sham")
    status = toy.page.evaluate("fetch('http://elsewhere.test/', {mode: 'no-cors'}).then(() => 'sent')")
    answer = toy.page.goto("http://elsewhere.test/")
    assert status == "sent"
    assert answer is not None
    assert answer.status == 403
    assert {entry.detail for entry in toy.episode.perturber.entries if entry.phase == "blocked"} == {"elsewhere.test"}


def test_a_site_answers_nobody_who_comes_past_the_proxy(world: World, stage: Set) -> None:
    """Without the proxy's key, or with a guessed one, a site answers 403."""
    stage("clean")
    for headers in ({}, {"X-Site-Key": "guess", "X-Site-Database": "guess"}):
        connection = http.client.HTTPConnection(*world.site_server.address, timeout=PATIENCE_S)
        connection.request("GET", "/", headers={"Host": "toy.test", **headers})
        assert connection.getresponse().status == 403
        connection.close()


def test_an_ended_episode_answers_nothing(world: World) -> None:
    """A port whose episode is over refuses all late requests of its browser."""
    episode = world.open(Toy(), parse("clean", MODES)[0], Seeds(0, 0, "toy/x"))
    episode.close()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    with pytest.raises(urllib.error.HTTPError, match="403"):
        opener.open("http://toy.test/")


def test_reverse_mode_serves_any_browser(world: World) -> None:
    """Under its own host name a site is served and stressed; under another one it is refused."""
    url = serve_site(world, Toy(), parse("remap_explicit@3", MODES)[0], Seeds(0, 0, "toy/x"))
    host = url.split("/")[2]
    connection = http.client.HTTPConnection("127.0.0.1", int(host.rpartition(":")[2]), timeout=PATIENCE_S)
    connection.request("GET", "/", headers={"Host": host, **NAVIGATION})
    served = connection.getresponse().read().decode()
    assert any(hint in served for hint in HINTS)
    connection.request("GET", "/", headers={"Host": "toy.test", **NAVIGATION})
    assert connection.getresponse().status == 403
    connection.close()


def test_an_exception_of_ours_is_a_fault_and_never_swallowed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in a hook makes the episode an error."""
    episode = world.open(Toy(), parse("sham", MODES)[0], Seeds(0, 0, "toy/x"))

    def broken(*_: object) -> None:
        raise ZeroDivisionError("no words")

    monkeypatch.setattr(AssetCache, "answer", broken)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    with pytest.raises(urllib.error.HTTPError, match="502"):
        opener.open("http://toy.test/")
    assert "ZeroDivisionError: no words" in episode.faults()[0].message
    episode.close()


LINK = "toy / link Alpha page /alpha #1"


def report(*values: object) -> bytes:
    """Return a report as a page encodes it."""
    return json.dumps(values).encode()


@pytest.mark.parametrize(
    "body",
    [
        None, b"", b"nonsense", b"[]", b"{}", b"[" * 100_000, b"\xff\xfe",
        report(1, "remap", "page /else", "hit", 0, None), report(1, "remap", LINK, "hit", 0, None),
        report(1, "remap", LINK, "hit", 0, ["link"]), report(1, "noise", "page /", "hit", 0, None),
        report(1, "", "page /", "hit", 0, None), report(1, None, "page /", "hit", 0, None),
        report(1, "remap", "page /", "other", 0, None), report(1, "remap", ["page /"], "hit", 0, None),
        report(1, "remap", "page /", "hit", -1, None), report(1, "remap", "page /", "hit", True, None),
        report(1, "remap", "page /", "hit", 10**23, None), b'[1,"remap","page /","hit",1e400,null]',
        report(1, "remap", "page /", "moved", ["/", "<p>"], None), report(-1, "remap", "page /", "hit", 0, None),
        report("1", "remap", "page /", "hit", 0, None), report(1, "remap", "page /", "fitted", {"p": 1}, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("document", ["0", "1", "x"])
def test_a_report_that_no_page_sends_is_refused_and_voids_nothing(
    world: World, body: bytes | None, document: str
) -> None:
    """An agent that posts to the path of reports gets a 400, and its episode counts."""
    episode = world.open(Toy(), parse("remap@3", MODES)[0], Seeds(0, 0, "toy/x"))
    stress = episode.perturber
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    opener.open(urllib.request.Request("http://toy.test/", headers=NAVIGATION)).close()
    before = list(episode.perturber.entries)
    with pytest.raises(urllib.error.HTTPError, match="400"):
        opener.open(urllib.request.Request(f"http://toy.test{stress.report_path}/{document}", data=body))
    (line,) = episode.perturber.entries[len(before) :]
    assert (line.mode, line.phase) == ("world", "blocked")
    assert episode.faults() == []
    episode.close()


def test_a_report_is_taken_once_however_often_it_comes(world: World) -> None:
    """By a beacon, by the browser, with the answer to a read: each number counts once for its document."""
    episode = world.open(Toy(), parse("remap@3", MODES)[0], Seeds(0, 0, "toy/x"))
    stress = episode.perturber
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    for _ in range(2):
        opener.open(urllib.request.Request("http://toy.test/", headers=NAVIGATION)).close()
    body = report(1, "remap", LINK, "hit", 0, ["link", "Alpha page"])
    for document in ("0", "0", "1"):
        path = f"{stress.report_path}/{document}"
        assert opener.open(urllib.request.Request(f"http://toy.test{path}", data=body)).status == 204
        stress.take_binding_call(f"{path} {body.decode()}")
        stress.read("/", {"from": path, "reports": [json.loads(body)]}, [])
    assert [entry.element for entry in episode.perturber.entries if entry.phase == "delivered"] == [
        "link 'Alpha page'"
    ] * 2
    assert stress.attempts() == {"remap": {LINK: 1}}
    assert episode.faults() == []
    episode.close()


def test_clean_knows_no_reports(world: World) -> None:
    """Without injections the path of reports belongs to the site like any other."""
    episode = world.open(Toy(), parse("clean", MODES)[0], Seeds(0, 0, "toy/x"))
    path = f"{episode.perturber.report_path}/0"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    assert PAGE.replace("{path}", path) == opener.open(f"http://toy.test{path}").read().decode()
    assert (episode.perturber.entries, episode.faults()) == ([], [])
    episode.close()


def test_the_path_of_reports_is_not_known_from_the_cell(world: World) -> None:
    """Seeds, task and code do not reveal the path of reports."""
    seeds = Seeds(0, 0, "toy/x")
    episode = world.open(Toy(), parse("remap@3", MODES)[0], seeds)
    stress = episode.perturber
    assert stress.report_path != EpisodePerturber([], seeds, active=True).report_path
    episode.close()


@pytest.mark.parametrize("condition", ["clean", "remap@3"])
@pytest.mark.parametrize(
    "credential", [None, "", "Basic", "Basic Z3Vlc3M6Z3Vlc3M=", "Bearer {right}", "Basic {right}x"]
)
def test_a_port_answers_nobody_without_its_credential(world: World, condition: str, credential: str | None) -> None:
    """Another process of this machine gets no page, changes nothing and leaves no trace."""
    episode = world.open(Toy(), parse(condition, MODES)[0], Seeds(0, 0, "toy/x"))
    right = proxied.header(episode)["Proxy-Authorization"].removeprefix("Basic ")
    headers = {} if credential is None else {"Proxy-Authorization": credential.format(right=right)}
    connection = http.client.HTTPConnection("127.0.0.1", episode.port, timeout=PATIENCE_S)
    for method, target in (("GET", "http://toy.test/"), ("POST", "http://toy.test/done"), ("CONNECT", "toy.test:443")):
        connection.request(method, target, body=b"body=stolen" if method == "POST" else None, headers=headers)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (407, b"")
        connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", episode.evidence_port, timeout=PATIENCE_S)
    connection.request("GET", "http://toy.test/", headers=headers)
    assert connection.getresponse().status == 407
    connection.close()
    assert (episode.started(), episode.final(), episode.perturber.entries, episode.faults()) == (0, {}, [], [])
    episode.close()


@pytest.fixture
def small_bodies(world: World) -> Iterator[None]:
    options = world.proxy._master.options
    assert options.body_size_limit == LARGEST_BODY
    options.update(body_size_limit="1m")
    yield
    options.update(body_size_limit=LARGEST_BODY)


@pytest.mark.usefixtures("small_bodies")
@pytest.mark.parametrize(("sent", "status"), [(None, 502), (bytes(2 << 20), 413)])
def test_a_body_without_end_is_refused_and_the_episode_says_so(world: World, sent: bytes | None, status: int) -> None:
    """Neither a site's answer nor an agent's request can fill the memory."""
    site = Toy("x" * (2 << 20)) if sent is None else Toy()
    episode = world.open(site, parse("sham", MODES)[0], Seeds(0, 0, "toy/x"))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxied.address(episode)}))
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as caught:
        opener.open(urllib.request.Request("http://toy.test/", data=sent))
    if isinstance(caught.value, urllib.error.HTTPError):
        assert caught.value.status == status
    (line,) = episode.perturber.entries
    assert (line.mode, line.phase, line.detail) == ("world", "blocked", "a body larger than 64m")
    assert (episode.final(), episode.faults(), episode.busy()) == ({}, [], 0)
    episode.close()


def test_the_credential_goes_no_further_than_the_proxy(stage: Set) -> None:
    """Neither the site nor the page ever sees the credential."""
    seen: list[str] = []

    class Listening(Toy):
        def app(self, environ: Mapping[str, Any], start_response: Any) -> Iterable[bytes]:
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
    """Under a content security policy our script runs and forbidden ones do not."""
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
        # 'strict-dynamic' allows scripts that an allowed script adds.
        assert toy.page.evaluate(evil) == (1 if "strict-dynamic" in policy else None)
