"""A site on loopback whose pages get our script first, and a tab on it."""

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from playwright.sync_api import CDPSession, Position
from playwright.sync_api import Page as Tab

from scripts.waited import IsolatedWorld
from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.core.path_template import path_template
from stressweb.perturbations.chaos import Chaos
from stressweb.perturbations.chaos.rule import ChaosRule
from stressweb.perturbations.failure.rule import FailureRule
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.perturbations.popup.rule import PopupRule
from stressweb.perturbations.remap.rule import RemapRule
from stressweb.plugins.rule import Rule
from tests.support.toy import PAGE

SEEDS = Seeds(0, 0, "toy/x")
READ = "secret-read"
BINDING = "secretBinding"
# The box covers the middle of its label; the label's words are beside it.
WORDS: dict[str, Position] = {"label:has(input)": {"x": 40, "y": 8}}
SENT = "([name, detail]) => window.dispatchEvent(new CustomEvent(name, { detail, cancelable: true }))"


def remap(share: float = 1, seeds: Seeds = SEEDS, **others: Any) -> RemapRule:
    """Return the rule of `remap`."""
    return RemapRule(mode="remap", rule=rule_words(seeds, "remap"), share=share, **others)


def failure(rate: float = 1, seeds: Seeds = SEEDS, **others: Any) -> FailureRule:
    """Return the rule of `failure`."""
    return FailureRule(mode="failure", rule=rule_words(seeds, "failure"), rate=rate, **others)


def popup(rate: float = 1, seeds: Seeds = SEEDS, **others: Any) -> PopupRule:
    """Return the rule of `popup`."""
    return PopupRule(mode="popup", rule=rule_words(seeds, "popup"), rate=rate, **others)


def chaos(severity: int = 5, seeds: Seeds = SEEDS, **parameters: Any) -> ChaosRule:
    """Return the rule of `chaos` at a severity, single parameters overridden."""
    return Chaos(**{**Chaos.severities[severity], **parameters}).rule(seeds)


class Report(NamedTuple):
    """A report, as the page encodes it."""

    number: int
    mode: str
    about: str
    event: str
    value: Any
    control: list[str] | None


@dataclass
class Served:
    """The pages of a site, the forms that it got, and the reports of its pages by the number of their document."""

    html: str = PAGE
    rules: Sequence[Rule] = ()
    binding: str = BINDING
    watched: bool = True
    """Whether changes of a page count at once, because most tests do not read the page."""
    policy: str = ""
    """Content security policy of the pages; the nonce of the script is "ours"."""
    base: str = ""
    posts: list[str] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    documents: int = 0
    loads: Counter[str] = field(default_factory=Counter)
    """How many pages of each template were loaded."""
    holds: threading.Event = field(default_factory=threading.Event)
    """While it is not set, requests to `/held` get no answer."""

    def __post_init__(self) -> None:
        self.holds.set()

    @property
    def reports(self) -> list[Report]:
        """Return all reports, each once, in the order of documents and numbers."""
        return [Report(*json.loads(text)) for _, text in sorted(set(self.texts), key=_order)]

    def take(self, payload: str) -> None:
        """Store a report that the browser took."""
        path, _, text = payload.partition(" ")
        self.texts.append((path.rpartition("/")[2], text))

    def attempts(self) -> dict[str, dict[str, int]]:
        """Return the attempts so far, as the program counts them."""
        counts: dict[str, dict[str, int]] = {}
        for report in self.reports:
            counts_of_mode = counts.setdefault(report.mode, {})
            counts_of_mode[report.about] = max(counts_of_mode.get(report.about, 0), int(report.value) + 1)
        return counts

    def settings(self, path: str) -> RuntimeSettings:
        """Return the settings of the next document."""
        self.documents += 1
        template = path_template(path)
        self.loads[template] += 1
        return RuntimeSettings(
            path=path,
            page=f"page {template}",
            site="toy",
            loads=self.loads[template] - 1,
            attempts=self.attempts(),
            read=READ,
            binding=self.binding,
            watched=self.watched,
            report=f"/report/{self.documents}",
        )

    def document(self, path: str) -> str:
        """Return a page, with the script in front of everything else in its head if any rule is active."""
        html = self.html.replace("{path}", path)
        if not self.rules:
            return html
        script = f"<script nonce=ours>{page_script(self.settings(path), self.rules)}</script>"
        return html.replace("<head>", "<head>" + script, 1) if "<head>" in html else script + html


def _order(sent: tuple[str, str]) -> tuple[str, int]:
    return f"{sent[0]:0>6}", json.loads(sent[1])[0]


def _role_and_name(key: str) -> str:
    """Return role and name of a control of the page at `/`, from its key."""
    return key.removeprefix("toy / ").rsplit(" /", 1)[0]


class _Answer(BaseHTTPRequestHandler):
    """Answers one connection of a browser."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        self._answer(200, self.server.served.document(self.path).encode() if self.path != "/favicon.ico" else b"")

    def do_POST(self) -> None:
        served = self.server.served
        body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        kind, _, name = self.path[1:].partition("/")
        if kind == "report":
            served.texts.append((name, body))
            return self._answer(204)
        if kind == "held":
            served.holds.wait(10)
        served.posts.append(kind if kind == "held" else body)
        return self._answer(303, location="/done")

    def _answer(self, status: int, body: bytes = b"", location: str = "") -> None:
        self.send_response(status)
        if location:
            self.send_header("location", location)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("cache-control", "no-store")
        if self.server.served.policy:
            self.send_header("content-security-policy", self.server.served.policy)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    def __init__(self, served: Served) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.served = served

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that has closed its connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(served: Served) -> Iterator[str]:
    """Serve a site on loopback and yield its address."""
    server = _Server(served)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Stage:
    """A tab on a served page."""

    page: Tab
    served: Served
    middles: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Centres of measured elements: a page that has replaced browser functions cannot be asked later."""

    def measure(self, *selectors: str) -> None:
        """Store the centres of elements."""
        for selector in selectors:
            box = self.page.locator(selector).bounding_box()
            assert box is not None
            self.middles[selector] = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    @property
    def posts(self) -> list[str]:
        """Return the bodies of the submitted forms, in order."""
        return self.served.posts

    @property
    def reports(self) -> list[Report]:
        """Return the page's reports, once all that it has sent so far have arrived."""
        # An answer of the page comes after its reports; a key press may be confirmed before them.
        self.evaluated("0")
        return self.served.reports

    @property
    def outcomes(self) -> list[tuple[str, str, Any]]:
        """Return role and name of the control, event and value of each report."""
        return [(_role_and_name(report.about), report.event, report.value) for report in self.reports]

    def read(
        self, page: Tab | None = None, counts: dict[str, dict[str, int]] | None = None, *, acting: bool = False
    ) -> bool:
        """Announce a read as the recorder does; return True if no listener heard it."""
        detail = json.dumps({"attempts": counts or {}, "acting": acting}) if counts is not None or acting else None
        return bool(IsolatedWorld(page or self.page).evaluate(SENT, [READ, detail]))

    @cached_property
    def _session(self) -> CDPSession:
        return self.page.context.new_cdp_session(self.page)

    def evaluated(self, expression: str) -> Any:
        """Evaluate an expression in a page that has replaced the functions that Playwright evaluates with."""
        reply = self._session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def markup(self) -> str:
        """Return the HTML of the document."""
        return self.page.evaluate("document.documentElement.outerHTML")  # type: ignore[no-any-return]

    def delivered(self) -> list[str]:
        """Return the disturbed controls, once for each hit."""
        return [about for about, event, _ in self.outcomes if event == "hit"]

    def arrived(self) -> None:
        """Wait until the page after the form is shown."""
        self.page.wait_for_url("**/done")
