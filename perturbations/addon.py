"""The mitmproxy addon: which episode a flow belongs to, where it goes, and what comes back changed."""

import base64
import hmac
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
from perturbations.episode_perturber import EpisodePerturber, ReportError
from perturbations.stream import ask_for_whole, asks_early, is_html, stream
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


@dataclass
class Served:
    """One episode's view of one site."""

    site: str
    """The site's id, on which draws depend."""
    host: str
    """The name, with port where it is not 80, under which the site is asked for."""
    hosts: frozenset[str]
    """Every host that stands for the site itself in an absolute URL: `host`, and the one that its spec names."""
    database: str
    """Which database the site is to use; none while it is ""."""
    kept: AssetCache
    """What the site said may be kept, the same for every episode of its world."""


@dataclass
class Binding:
    """What a listening port stands for: one episode's view of its sites."""

    served: tuple[Served, ...]
    """The site of the episode, or those of a chain; no other host is answered."""
    upstream: tuple[str, int]
    stress: EpisodePerturber
    open: bool = field(default=False, kw_only=True)
    """Whether the port answers without the credential: what is served to a person's browser does."""
    served_pages: Callable[[http.Request], http.Response | None] | None = field(default=None, kw_only=True)
    """Answers what is asked of `serve` itself, such as a reset, and returns None for the site's; None in an episode."""
    evidence: bool = field(default=False, kw_only=True)
    """Whether the port is that of the browser that reads evidence, which is one for all episodes."""
    open_flows: int = 0
    started: int = 0
    faults: list[Fault] = field(default_factory=list)

    def at(self, host: str) -> Served | None:
        """Return the site that is asked for under a host; None for a foreign host."""
        return next((one for one in self.served if one.host == host), None)

    def script(self, served: Served, path: str) -> str:
        """Return the script of the document at a path of a site."""
        return self.stress.script(served.site, served.hosts, path)


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
            flow.response = http.Response.make(502, b"Bad gateway")

    return run


def fault_of(error: Exception) -> Fault:
    """Return what an exception of ours is to an episode: what it says, and where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error} ({PurePath(where.filename).name}:{where.lineno})"
    return Fault(said, trace_of(error))


class SiteProxy:
    """Routes the flows of every listening port; the documents among them get the script of their episode."""

    def __init__(self, site_key: str, credential: str) -> None:
        """Take the key that the sites require, and the password that the proxy requires."""
        self.site_key = site_key
        self._credential = base64.b64encode(f"{USER}:{credential}".encode())
        self.bindings: dict[int, Binding] = {}
        self._belongs: dict[str, Binding] = {}

    def load(self, loader: Loader) -> None:
        """Declare no options: everything is bound by `bindings`."""

    def client_connected(self, client: Client) -> None:
        """Note for which episode a connection is opened."""
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
        binding = self._binding(flow)
        if self._admitted(flow, binding):
            self._refuse(flow, binding)

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer reports, refuse foreign hosts, send everything else on to the site."""
        binding = self._binding(flow)
        # A late request of an agent's browser must not reach the database of the next episode.
        if binding is None or binding is not self.bindings.get(flow.client_conn.sockname[1]):
            flow.response = http.Response.make(403, b"Forbidden")
            return
        if not self._admitted(flow, binding):
            return
        served = binding.at((flow.request.host_header or "").lower())
        if served is None:
            self._refuse(flow, binding)
            return
        if binding.served_pages is not None and (answer := binding.served_pages(flow.request)) is not None:
            flow.response = answer
            return
        # Before anything is counted: a report is not traffic of the page, and settling must not wait for it.
        if binding.stress.active and flow.request.path.startswith(binding.stress.report_path + "/"):
            _report(flow, binding.stress)
            return
        # A page that a browser loads ahead would run and count as loaded, though it may never be shown. If it is to be
        # shown after all, the browser asks again.
        if asks_early(flow.request):
            flow.response = http.Response.make(503)
            return
        binding.started += 1
        # The same bytes for every episode of the world: answering here saves the way to the site.
        if (kept := served.kept.answer(flow.request)) is not None:
            flow.response = kept
            return
        binding.open_flows += 1
        # Kept with the flow: by the time the answer comes, the port may stand for another episode.
        flow.metadata["binding"], flow.metadata["served"] = binding, served
        # The site answers only requests with these headers, so no process gets to it past the proxy.
        flow.request.headers[KEY_HEADER] = self.site_key
        flow.request.headers[DATABASE_HEADER] = served.database
        flow.request.host, flow.request.port = binding.upstream
        flow.request.host_header = served.host
        if binding.stress.active:
            _restore(flow.request, binding.stress)
        ask_for_whole(flow.request)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let an answer pass as it comes, a document with the script in it."""
        binding: Binding | None = flow.metadata.get("binding")
        if binding is None or flow.response is None:
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

    def response(self, flow: http.HTTPFlow) -> None:
        """Count a flow as closed: all of its answer has passed."""
        self._closed(flow)

    def error(self, flow: http.HTTPFlow) -> None:
        """Count a flow that broke off as closed; say so if it was too large."""
        binding = self._binding(flow)
        # Told apart by its text, because mitmproxy gives a flow that broke off no kind of error.
        if binding is not None and flow.error and "body_size_limit" in flow.error.msg:
            binding.stress.note("world", "blocked", detail=f"a body larger than {LARGEST_BODY}")
        self._closed(flow)

    def fault(self, flow: http.HTTPFlow, what: Fault) -> None:
        """Write down an exception of ours; the episode becomes an error."""
        binding = flow.metadata.get("binding") or self._binding(flow)
        if binding is not None:
            binding.faults.append(what)

    def _binding(self, flow: http.HTTPFlow) -> Binding | None:
        """Return the episode that a connection belongs to: the one in which it was opened, if it is an agent's."""
        now = self.bindings.get(flow.client_conn.sockname[1])
        # A browser that waits for a connection opens a second one and keeps it. What reads evidence is one browser for
        # all episodes, so it may use such a connection in the next one.
        return now if now is not None and now.evidence else self._belongs.get(flow.client_conn.id)

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
        flow.response = http.Response.make(403, b"Access to this address is blocked.")


def _report(flow: http.HTTPFlow, stress: EpisodePerturber) -> None:
    """Answer a report. What no page of ours sends is refused: an agent that goes there must not void its episode."""
    try:
        stress.reported(flow.request.path, flow.request.content or b"")
    except ReportError as error:
        stress.note("world", "blocked", detail=str(error))
        flow.response = http.Response.make(400, b"Bad request")
        return
    flow.response = http.Response.make(204)


def _let_stream(flow: http.HTTPFlow, response: http.Response, binding: Binding) -> None:
    path, stress, served = flow.request.path, binding.stress, flow.metadata["served"]

    def failed(why: str, error: Exception | None) -> None:
        stress.note("engine", "blocked", detail=f"{path.partition('?')[0]}: {why}")
        if error is not None:
            binding.faults.append(fault_of(error))

    nonce = digest("nonce", stress.report_path, path, size=16).hex()
    stream(flow, partial(binding.script, served, path) if stress.active else None, nonce, failed)
    # A page is the site's to answer each time, whoever asks for it.
    if not is_html(response):
        served.kept.watch(flow)


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
