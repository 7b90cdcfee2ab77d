"""Let answers stream to the browser: which of them is a document that it shows, and what such a one gets on its way.

Every other answer passes as it came, byte for byte and as soon as it comes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape

from mitmproxy.http import Headers, HTTPFlow, Request, Response

from perturbations.content_coding import Decoder, codings_of
from perturbations.csp import HEADER, admit, nonce_of
from perturbations.insertion import Inserter, Unfit

type Failed = Callable[[str, Exception | None], None]
"""Is told why a document passes without the script: in words, and by which exception if it was one of ours."""

OURS = "an exception of ours"
SHOWN = frozenset(("document", "iframe", "frame", "embed", "object"))
"""The values of `Sec-Fetch-Dest` (Fetch Metadata) that ask for a document to be shown."""
_NAVIGATION = "Upgrade-Insecure-Requests"
"""A header that browsers send with navigations, of frames too, and with nothing else."""
_HTML, _XHTML = "text/html", "application/xhtml+xml"
_REDIRECTS = (301, 302, 303, 307, 308)
_UNSEEN = (204, 205, 206, 304)
"""Statuses whose answer browsers do not show: nothing, or a part of what they have."""
_POLICIES = (HEADER, f"{HEADER}-Report-Only")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)


def stream(flow: HTTPFlow, source: Callable[[], str] | None, nonce: str, failed: Failed) -> None:
    """Have the answer of a flow pass as it comes; to be called when its headers are there. Raises nothing.

    A document that the browser shows gets the script that `source` returns, JavaScript in ASCII, before any of its own,
    and headers under which the browser keeps no copy of it. Without `source` it gets the headers alone, so that caching
    is the same. `nonce` is the script's if the answer's policies know none. If anything of ours fails, the answer
    passes as it came, and `failed` is called.
    """
    response = flow.response
    assert response is not None
    response.stream = True
    try:
        if not is_document(flow.request, response):
            keep_from_navigations(flow.request, response)
            return
        if (why := _beyond_us(response)) is None:
            _take_in_hand(flow.request, response, source, nonce, failed)
        elif source is not None:
            failed(why, None)
    except Exception as error:
        failed(OURS, error)


def asks_for_document(request: Request) -> bool:
    """Return whether a request is a browser's for a document that it means to show."""
    if request.method == "HEAD":
        return False
    destination = request.headers.get("sec-fetch-dest")
    if destination is not None:
        return destination.strip().lower() in SHOWN
    # Over plain HTTP browsers tell local names alone what they ask for. Scripts that load HTML to show it within a page
    # (Turbo is one) send the same Accept header, but only navigations ask for an upgrade to HTTPS.
    return "text/html" in request.headers.get("accept", "") and _NAVIGATION in request.headers


def asks_early(request: Request) -> bool:
    """Return whether a browser asks for a document before it is to be shown: to prerender it, or to prefetch it."""
    purpose = request.headers.get("sec-purpose") or request.headers.get("purpose") or ""
    return purpose.strip().lower().startswith("prefetch") and asks_for_document(request)


def is_document(request: Request, response: Response) -> bool:
    """Return whether a response is an HTML or XHTML document that the browser shows and does not save."""
    return asks_for_document(request) and _can_be_shown(response)


def is_html(response: Response) -> bool:
    """Return whether a response is HTML or XHTML, be it a document, a part of one, or a file to be saved."""
    return _kind(response) in (_HTML, _XHTML)


def _can_be_shown(response: Response) -> bool:
    status = response.status_code
    if status < 200 or status in _UNSEEN or (status in _REDIRECTS and "location" in response.headers):
        return False
    # As Chromium reads it: what names no type is shown, and what names an unknown one is saved.
    disposition = response.headers.get("content-disposition", "").partition(";")[0].strip().lower()
    return is_html(response) and (disposition in ("", "inline") or "=" in disposition)


def ask_for_whole(request: Request) -> None:
    """Take out of a request for a document what a server may answer with a 304.

    The browser may have a copy without the script; see `keep_from_navigations`.
    """
    if asks_for_document(request):
        for name in ("If-None-Match", "If-Modified-Since"):
            request.headers.pop(name, None)


def keep_from_navigations(request: Request, response: Response) -> None:
    """Have the browser ask again before it shows as a document what a script has fetched, or a link prefetched.

    Else it would show its copy, which has no script of ours, without a request. Whoever fetches it again still gets the
    copy.
    """
    if request.method == "GET" and _can_be_shown(response) and _is_reusable(response.headers):
        response.headers.add("Vary", _NAVIGATION)


def admit_everywhere(headers: Headers, nonce: str) -> str:
    """Let one inline script run under every policy, those that only report included; return the nonce it must have."""
    given = [(name, headers.get_all(name)) for name in _POLICIES]
    named = nonce_of(" ".join(policy for _, policies in given for policy in policies)) or nonce
    for name, policies in given:
        if policies:
            headers.set_all(name, [admit(policy, named) for policy in policies])
    return named


def forget_original(headers: Headers, request: Request, response: Response) -> None:
    """Change the headers of a document that passes decoded, that changes its length, and that no cache may keep."""
    for name in ("ETag", "Last-Modified", "Content-Encoding"):
        headers.pop(name, None)
    headers["Cache-Control"] = "no-store"
    # Else the end of the document would have to be the end of the connection, and HTTP/1.0 knows no other. An answer
    # that had no length ends with its connection already.
    sized = headers.pop("Content-Length", None) is not None
    if sized and request.http_version == "HTTP/1.1" and response.http_version != "HTTP/1.0":
        headers["Transfer-Encoding"] = "chunked"


def script_element(source: str, nonce: str, *, xml: bool = False) -> str:
    """Return a script element for HTML, or for XHTML; raises ValueError for a source that would end it early."""
    if _ENDS_SCRIPT.search(source):
        raise ValueError("the script holds what would end its element or comment it out")
    attribute = f'nonce="{escape(nonce)}"'
    if not xml:
        return f"<script {attribute}>{source}</script>"
    # Comparisons of JavaScript would be markup here.
    text = source.replace("]]>", "]]]]><![CDATA[>")
    return f'<script xmlns="http://www.w3.org/1999/xhtml" {attribute}><![CDATA[{text}]]></script>'


class Passage:
    """The body of one document on its way, as mitmproxy calls it: with each piece as it comes, and b"" at its end."""

    def __init__(self, codings: Sequence[str], inserter: Inserter | None, failed: Failed) -> None:
        """Take the body's codings, and what inserts the script, if any does."""
        self._decoder = Decoder(codings)
        self._inserter = inserter
        self._failed = failed
        self._given = bytearray()

    def __call__(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next piece of the body becomes; never b"", which would end a chunked body."""
        for piece in self._decoded(data) if data else (b"",):
            if passed := self._with_script(piece):
                yield passed

    def _decoded(self, data: bytes) -> Iterator[bytes]:
        try:
            yield from self._decoder.feed(data)
        except Exception as error:
            # The headers have promised a decoded body, so that the rest cannot pass as it is.
            self._decoder.damaged = True
            self._failed(OURS, error)

    def _with_script(self, piece: bytes) -> bytes:
        """Return what can be passed on; `piece` is b"" at the end."""
        if self._inserter is None:
            return piece
        # Kept until the script's place is known: whatever happens to the inserter, nothing of the page is lost.
        self._given += piece
        try:
            passed = self._inserter.feed(piece) if piece else self._inserter.finish()
        except Exception as error:
            passed = bytes(self._given)
            self._inserter = None
            self._failed(OURS, error)
            return passed
        if self._inserter.inserted or self._inserter.unfit:
            self._settle(self._inserter.unfit)
        return passed

    def _settle(self, unfit: Unfit | None) -> None:
        """Let the rest pass, and say why there is no script if there is none."""
        self._inserter = None
        self._given.clear()
        if unfit is not None:
            self._failed("its content coding is damaged" if self._decoder.damaged else unfit.value, None)


def _take_in_hand(
    request: Request, response: Response, source: Callable[[], str] | None, nonce: str, failed: Failed
) -> None:
    headers = response.headers.copy()
    named = admit_everywhere(headers, nonce)
    inserter = None if source is None else _inserter(response, source(), named)
    codings = _codings(response) or ()
    forget_original(headers, request, response)
    # Last of all, so that an exception leaves the answer as it came.
    response.headers, response.stream = headers, Passage(codings, inserter, failed)


def _beyond_us(response: Response) -> str | None:
    """Return why a document can get no script, as far as its headers tell."""
    if _codings(response) is None or response.headers.get("transfer-encoding", "chunked").strip().lower() != "chunked":
        return "its content coding is unknown"
    # mitmproxy hands on an empty body without asking what becomes of it.
    return Unfit.EMPTY.value if response.headers.get("content-length", "").strip() == "0" else None


def _inserter(response: Response, source: str, nonce: str) -> Inserter:
    declared = _CHARSET.search(response.headers.get("content-type", ""))
    xml = _kind(response) == _XHTML
    return Inserter(script_element(source, nonce, xml=xml), declared and declared[1], xml=xml)


def _codings(response: Response) -> list[str] | None:
    return codings_of(response.headers.get("content-encoding", ""))


def _is_reusable(headers: Headers) -> bool:
    """Return whether a cache may answer with its copy without asking the site (RFC 9111, sections 4.2 and 5.2.2)."""
    said = headers.get("cache-control", "").lower()
    if "no-store" in said or "no-cache" in said:
        return False
    # From the age of a page that says nothing else, browsers guess how long it will last.
    return "max-age" in said or "expires" in headers or "last-modified" in headers


def _kind(response: Response) -> str:
    # Of several types the last one counts.
    named: str = response.headers.get("content-type", "")
    return named.rpartition(",")[2].partition(";")[0].strip().lower()
