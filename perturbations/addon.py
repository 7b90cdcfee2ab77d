"""The mitmproxy addon: which episode a flow belongs to, where it goes, and what comes back changed."""

import base64
import codecs
import hmac
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import PurePath
from urllib.parse import parse_qsl, urlencode

from mitmproxy import http
from mitmproxy.addonmanager import Loader
from mitmproxy.connection import Client

from perturbations.asset_cache import AssetCache
from perturbations.csp import HEADER, admit_in, nonce_of
from perturbations.episode_perturber import EpisodePerturber, ReferencedWords, ReportError
from perturbations.stream import ask_for_whole, is_html, stream
from stressweb.core.draws import digest
from stressweb.core.errors import Fault
from stressweb.core.tracebacks import trace_of

KEY_HEADER = "X-Site-Key"
DATABASE_HEADER = "X-Site-Database"
FAULT_HEADER = "X-Site-Fault"
"""Stands on an answer in place of which the site raised an exception."""
USER = "stressweb"
"""The user name of a port's credential; its password is the secret."""
LARGEST_BODY = "64m"
"""What a request or an answer may carry, in bytes, as mitmproxy writes it."""
_CODECS = frozenset([
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii", "iso8859-1", "iso8859-2", "iso8859-3", "iso8859-4",
    "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-9", "iso8859-10", "iso8859-13", "iso8859-14",
    "iso8859-15", "iso8859-16", "cp866", "cp874", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256",
    "cp1257", "cp1258", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "gbk", "gb2312", "gb18030", "big5",
    "big5hkscs", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr", "cp949",
])  # fmt: skip
"""The character sets of the web (encoding.spec.whatwg.org), as Python calls them. Python has codecs besides that take a
time that grows with the square of the page, or that read no text at all."""
_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?([\w.:-]+)""", re.IGNORECASE)


@dataclass
class Binding:
    """What a listening port stands for: one episode's view of one site."""

    open: bool = field(default=False, kw_only=True)
    """Whether the port answers without the credential: what is served to a person's browser does."""
    streamed: bool = field(default=False, kw_only=True)
    """Whether answers stream and documents get one script as text, instead of being parsed and written anew."""
    script: Callable[[str], str] | None = field(default=None, kw_only=True)
    """Where answers stream: what makes the JavaScript, in ASCII, of the document at a path; None for no script."""
    kept: AssetCache | None = field(default=None, kw_only=True)
    """Where answers stream: what the site said may be kept, the same for every episode of its world, if anything is."""
    site: str
    """The site's id, on which draws depend."""
    host: str
    """The name, with port where it is not 80, under which the site is asked for."""
    hosts: frozenset[str]
    """Every host that stands for the site itself in an absolute URL: `host`, and the one that its spec names."""
    upstream: tuple[str, int]
    database: str
    """Which database the site is to use."""
    stress: EpisodePerturber
    named: ReferencedWords
    assets: dict[str, http.Response] = field(default_factory=dict)
    """What the site said may be kept, by path: the same for every episode of a site's world."""
    open_flows: int = 0
    started: int = 0
    faults: list[Fault] = field(default_factory=list)


type Hook = Callable[["SiteProxy", http.HTTPFlow], None]


def guarded(hook: Hook) -> Hook:
    """Make an exception of a hook the episode's fault instead of a line in a log, and answer the flow."""

    @wraps(hook)
    def run(self: "SiteProxy", flow: http.HTTPFlow) -> None:
        try:
            # mitmproxy would only log the exception and let the flow pass, as if nothing were wrong.
            hook(self, flow)
        except Exception as error:
            self.fault(flow, fault_of(error))
            flow.response = http.Response.make(502, b"the test site is broken")

    return run


def fault_of(error: Exception) -> Fault:
    """Return what an exception of ours is to an episode: what it says, and where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error} ({PurePath(where.filename).name}:{where.lineno})"
    return Fault(said, trace_of(error))


class SiteProxy:
    """Routes the flows of every listening port and rewrites the documents among them."""

    def __init__(self, site_key: str, credential: str) -> None:
        """Take the key that the sites require, and the password that the proxy requires."""
        self.site_key = site_key
        self._credential = base64.b64encode(f"{USER}:{credential}".encode())
        self.bindings: dict[int, Binding] = {}
        self._belongs: dict[str, Binding] = {}

    def load(self, loader: Loader) -> None:
        """Declare no options: everything is bound by `bindings`."""

    def client_connected(self, client: Client) -> None:
        """Tie a connection to the episode that its port stands for now, for as long as it lives."""
        binding = self.bindings.get(client.sockname[1])
        if binding is not None:
            # By connection, not by port: the next episode gets the same port while the old browser may still be
            # sending.
            self._belongs[client.id] = binding

    def client_disconnected(self, client: Client) -> None:
        """Forget a connection."""
        self._belongs.pop(client.id, None)

    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Refuse tunnels: no host of the world uses TLS."""
        binding = self._belongs.get(flow.client_conn.id)
        if self._admitted(flow, binding):
            self._refuse(flow, binding)

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer reports, refuse foreign hosts, send everything else on to the site."""
        binding = self._belongs.get(flow.client_conn.id)
        # A late request of an episode that has ended must not reach the database of the next one.
        if binding is None or binding is not self.bindings.get(flow.client_conn.sockname[1]):
            flow.response = http.Response.make(403, b"nothing is served here")
            return
        if not self._admitted(flow, binding):
            return
        if (flow.request.host_header or "").lower() != binding.host:
            self._refuse(flow, binding)
            return
        # Before anything is counted: a report is not traffic of the page, and settling must not wait for it.
        if binding.stress.active and flow.request.path == binding.stress.report_path:
            _report(flow, binding.stress)
            return
        binding.started += 1
        # The same bytes for every episode of the world: answering here saves the way to the site.
        if (kept := _kept(flow.request, binding)) is not None:
            flow.response = kept
            return
        binding.open_flows += 1
        # Kept with the flow: by the time the answer comes, the port may stand for another episode.
        flow.metadata["binding"] = binding
        # The site answers only requests with these headers, so no process gets to it past the proxy.
        flow.request.headers[KEY_HEADER] = self.site_key
        flow.request.headers[DATABASE_HEADER] = binding.database
        flow.request.host, flow.request.port = binding.upstream
        flow.request.host_header = binding.host
        if binding.stress.active:
            _restore(flow.request, binding.stress)
        if binding.streamed:
            ask_for_whole(flow.request)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let an answer of an episode whose answers stream pass as it comes."""
        binding: Binding | None = flow.metadata.get("binding")
        if binding is None or not binding.streamed or flow.response is None:
            return
        try:
            self._note_fault(flow, binding)
            _let_stream(flow, flow.response, binding)
            # An event stream never ends by itself: whoever waits for the page to settle must not wait for it.
            if flow.response.headers.get("content-type", "").lower().startswith("text/event-stream"):
                self._closed(flow)
        except Exception as error:
            # Unlike `guarded`, which answers in its place: the site's body would follow the headers of another answer.
            self.fault(flow, fault_of(error))

    @guarded
    def response(self, flow: http.HTTPFlow) -> None:
        """Rewrite a document of an episode under stress."""
        binding: Binding | None = flow.metadata.get("binding")
        if binding is None or flow.response is None:
            return
        try:
            # Of an answer that streamed, all has passed by now.
            if flow.response.stream:
                return
            self._note_fault(flow, binding)
            if is_asset(flow):
                binding.assets[flow.request.path] = flow.response.copy()
            elif binding.stress.active and is_document(flow.response):
                rewrite(flow, binding)
        finally:
            self._closed(flow)

    def error(self, flow: http.HTTPFlow) -> None:
        """Count a flow that broke off as closed; say so if it was too large."""
        binding = self._belongs.get(flow.client_conn.id)
        # Told apart by its text, because mitmproxy gives a flow that broke off no kind of error.
        if binding is not None and flow.error and "body_size_limit" in flow.error.msg:
            binding.stress.note("world", "blocked", detail=f"a body larger than {LARGEST_BODY}")
        self._closed(flow)

    def fault(self, flow: http.HTTPFlow, what: Fault) -> None:
        """Write down an exception of ours; the episode becomes an error."""
        binding = flow.metadata.get("binding") or self._belongs.get(flow.client_conn.id)
        if binding is not None:
            binding.faults.append(what)

    def _admitted(self, flow: http.HTTPFlow, binding: Binding | None) -> bool:
        """Return whether a request has the credential, which goes no further; ask for it if it has not.

        Who has none leaves no trace: any process of this machine can speak to the port.
        """
        kind, _, given = flow.request.headers.pop("Proxy-Authorization", "").partition(" ")
        # In constant time: the delay of a refusal must not tell how much of a guess was right.
        right = hmac.compare_digest(given.strip().encode(), self._credential)
        if (binding is not None and binding.open) or (kind.lower() == "basic" and right):
            return True
        flow.response = http.Response.make(407, b"", {"Proxy-Authenticate": 'Basic realm="stressweb"'})
        return False

    def _note_fault(self, flow: http.HTTPFlow, binding: Binding) -> None:
        # Taken off, so that the page cannot see it. Before the first action (step 0) a fault is no doing of the agent.
        if flow.response and flow.response.headers.pop(FAULT_HEADER, None) and binding.stress.step:
            binding.stress.note("world", "fault", detail=flow.request.path.partition("?")[0])

    def _closed(self, flow: http.HTTPFlow) -> None:
        binding: Binding | None = flow.metadata.pop("binding", None)
        if binding is not None:
            binding.open_flows -= 1

    def _refuse(self, flow: http.HTTPFlow, binding: Binding | None) -> None:
        if binding is not None:
            binding.stress.note("world", "blocked", detail=flow.request.host_header or flow.request.host)
        flow.response = http.Response.make(403, b"this host is outside of the test world")


def _report(flow: http.HTTPFlow, stress: EpisodePerturber) -> None:
    """Answer a report. What no page of ours sends is refused: an agent that goes there must not void its episode."""
    try:
        told = stress.reported(flow.request.content or b"")
    except ReportError as error:
        stress.note("world", "blocked", detail=str(error))
        flow.response = http.Response.make(400, b"Bad request")
        return
    flow.response = http.Response.make(200 if told else 204, told or b"")


def _let_stream(flow: http.HTTPFlow, response: http.Response, binding: Binding) -> None:
    path, script, stress = flow.request.path, binding.script, binding.stress

    def failed(why: str, error: Exception | None) -> None:
        stress.note("engine", "blocked", detail=f"{path.partition('?')[0]}: {why}")
        if error is not None:
            binding.faults.append(fault_of(error))

    nonce = digest("nonce", stress.report_path, path, size=16).hex()
    stream(flow, script and partial(script, path), nonce, failed)
    # A page is the site's to answer each time, whoever asks for it.
    if binding.kept and not is_html(response):
        binding.kept.watch(flow)


def _kept(request: http.Request, binding: Binding) -> http.Response | None:
    if binding.streamed:
        return binding.kept.answer(request) if binding.kept else None
    kept = binding.assets.get(request.path) if request.method == "GET" else None
    return kept and kept.copy()


def is_asset(flow: http.HTTPFlow) -> bool:
    """Return whether a response is a whole file that its site lets be kept: a picture, a style sheet, a script."""
    response = flow.response
    if response is None or flow.request.method != "GET" or response.status_code != 200:
        return False
    return "max-age=" in response.headers.get("cache-control", "") and not is_document(response)


def is_document(response: http.Response) -> bool:
    """Return whether a response carries an HTML document to be shown, however its content type is spelt."""
    if not response.raw_content or "location" in response.headers:
        return False
    content_type: str = response.headers.get("content-type", "")
    return content_type.partition(";")[0].strip().lower() == "text/html"


def rewrite(flow: http.HTTPFlow, binding: Binding) -> None:
    """Rewrite the document of a flow, in the character set and content encoding that it came in."""
    response = flow.response
    if response is None:
        return
    body = response.content or b""
    charset = charset_of(response.headers.get("content-type", ""), body)
    policy = " ".join(response.headers.get_all(HEADER))
    # The policy of the site knows a nonce, or it gets one that no other episode has.
    nonce = nonce_of(policy) or digest("nonce", binding.stress.report_path, flow.request.path, size=16).hex()
    text = binding.stress.rewrite(
        body.decode(charset or "utf-8", errors="replace"),
        binding.site,
        flow.request.path,
        nonce,
        binding.named,
        binding.hosts,
    )
    # Where nothing is declared the browser guesses: plain ASCII reads the same whatever it takes it for.
    response.content = text.encode(charset or "ascii", errors="xmlcharrefreplace")
    admit_in(response.headers, nonce)


def charset_of(content_type: str, body: bytes) -> str | None:
    """Return the codec of a document, its header's or its meta element's; any spelling is understood."""
    declared = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", content_type, re.IGNORECASE)
    meta = _CHARSET.search(body[:2048])
    # In the order of the browsers: the header counts before what the document says of itself.
    for name in (declared[1] if declared else "", meta[1].decode("ascii", "ignore") if meta else ""):
        try:
            codec = codecs.lookup(name).name
        except LookupError:
            continue
        if codec in _CODECS:
            return codec
    return None


def _restore(request: http.Request, stress: EpisodePerturber) -> None:
    """Map back what a form submits; what needs no mapping keeps its bytes."""
    if request.headers.get("content-type", "").lower().startswith("application/x-www-form-urlencoded"):
        given = request.get_text(strict=False) or ""
        if (mapped := _mapped(given, stress)) is not None:
            request.text = mapped
    path, question, query = request.path.partition("?")
    if question and (mapped := _mapped(query, stress)) is not None:
        request.path = f"{path}?{mapped}"


def _mapped(encoded: str, stress: EpisodePerturber) -> str | None:
    pairs = parse_qsl(encoded, keep_blank_values=True)
    restored = [(stress.restore(name), stress.restore(value)) for name, value in pairs]
    # Encoding equal pairs again could spell them with other bytes than the browser sent: None leaves them alone.
    return urlencode(restored) if restored != pairs else None
