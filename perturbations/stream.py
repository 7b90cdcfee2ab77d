"""Stream responses to the browser, and insert the script into documents.

All other responses pass unchanged and without delay.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape

from mitmproxy.http import Headers, HTTPFlow, Request, Response

from stressweb.perturbations.content_coding import Decoder, codings_of
from stressweb.perturbations.csp import HEADER, admit, nonce_of
from stressweb.perturbations.insertion import Inserter, Unfit

type Failed = Callable[[str, Exception | None], None]
"""Called if a document passes without the script, with the reason, and with the exception if our code raised one."""

OWN_EXCEPTION = "an exception of ours"
SHOWN = frozenset(("document", "iframe", "frame", "embed", "object"))
"""The values of `Sec-Fetch-Dest` (Fetch Metadata) that ask for a document to be shown."""
_NAVIGATION = "Upgrade-Insecure-Requests"
"""A header that browsers send only with navigations, including those of frames."""
_HTML, _XHTML = "text/html", "application/xhtml+xml"
_REDIRECTS = (301, 302, 303, 307, 308)
_UNSEEN = (204, 205, 206, 304)
"""Statuses of responses that browsers do not show: no body, or a part of one."""
_POLICIES = (HEADER, f"{HEADER}-Report-Only")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)


def stream(flow: HTTPFlow, source: Callable[[], str] | None, nonce: str, failed: Failed) -> None:
    """Stream the response of a flow; call this when its headers have arrived. Raises nothing.

    A document gets the script that `source` returns (JavaScript in ASCII) before its own scripts, and headers that
    forbid caching. Without `source` it gets only the headers, so that caching is the same in every arm. The script has
    `nonce`, unless the response's policies already have one. If our code fails, the response passes unchanged, and
    `failed` is called.
    """
    response = flow.response
    assert response is not None
    response.stream = True
    try:
        if not is_document(flow.request, response):
            keep_from_navigations(flow.request, response)
            return
        if (reason := _unfit_reason(response)) is None:
            _stream_document(flow.request, response, source, nonce, failed)
        elif source is not None:
            failed(reason, None)
    except Exception as error:
        failed(OWN_EXCEPTION, error)


def asks_for_document(request: Request) -> bool:
    """Return whether a browser requests a document in order to show it."""
    if request.method == "HEAD":
        return False
    destination = request.headers.get("sec-fetch-dest")
    if destination is not None:
        return destination.strip().lower() in SHOWN
    # Over plain HTTP, browsers send `Sec-Fetch-Dest` only to local names. Scripts that load HTML into a page (such as
    # Turbo) send the same Accept header as navigations, but only navigations ask for an upgrade to HTTPS.
    return "text/html" in request.headers.get("accept", "") and _NAVIGATION in request.headers


def asks_early(request: Request) -> bool:
    """Return whether a browser prefetches or prerenders a document."""
    purpose = request.headers.get("sec-purpose") or request.headers.get("purpose") or ""
    return purpose.strip().lower().startswith("prefetch") and asks_for_document(request)


def is_document(request: Request, response: Response) -> bool:
    """Return whether a response is an HTML or XHTML document that the browser shows, not saves."""
    return asks_for_document(request) and _can_be_shown(response)


def is_html(response: Response) -> bool:
    """Return whether a response is HTML or XHTML: a document, a part of one, or a file to save."""
    return _kind(response) in (_HTML, _XHTML)


def _can_be_shown(response: Response) -> bool:
    status = response.status_code
    if status < 200 or status in _UNSEEN or (status in _REDIRECTS and "location" in response.headers):
        return False
    # As in Chromium: content with a disposition of no type is shown, of an unknown type saved.
    disposition = response.headers.get("content-disposition", "").partition(";")[0].strip().lower()
    return is_html(response) and (disposition in ("", "inline") or "=" in disposition)


def ask_for_whole(request: Request) -> None:
    """Remove the headers of a document request that allow a 304.

    The browser may have a copy without the script; see `keep_from_navigations`.
    """
    if asks_for_document(request):
        for name in ("If-None-Match", "If-Modified-Since"):
            request.headers.pop(name, None)


def keep_from_navigations(request: Request, response: Response) -> None:
    """Prevent the browser from showing a fetched or prefetched response as a document without another request.

    Otherwise it would show its copy, which has no script of ours. Further fetches still get the copy.
    """
    if request.method == "GET" and _can_be_shown(response) and _is_reusable(response.headers):
        response.headers.add("Vary", _NAVIGATION)


def admit_everywhere(headers: Headers, nonce: str) -> str:
    """Admit one inline script in every policy, report-only ones included; return the nonce that it must have."""
    policies_by_name = [(name, headers.get_all(name)) for name in _POLICIES]
    accepted = nonce_of(" ".join(policy for _, policies in policies_by_name for policy in policies)) or nonce
    for name, policies in policies_by_name:
        if policies:
            headers.set_all(name, [admit(policy, accepted) for policy in policies])
    return accepted


def forget_original(headers: Headers, request: Request, response: Response) -> None:
    """Change the headers of a document that is sent decoded, with another length, and must not be cached."""
    for name in ("ETag", "Last-Modified", "Content-Encoding"):
        headers.pop(name, None)
    headers["Cache-Control"] = "no-store"
    # Without a length, only the end of the connection would mark the end of the document. A response that had no length
    # ends that way already.
    sized = headers.pop("Content-Length", None) is not None
    if sized and request.http_version == "HTTP/1.1" and response.http_version != "HTTP/1.0":
        headers["Transfer-Encoding"] = "chunked"


def script_element(source: str, nonce: str, *, xml: bool = False) -> str:
    """Return a script element for HTML or XHTML; raises ValueError if the source would end it early."""
    if _ENDS_SCRIPT.search(source):
        raise ValueError("the script contains </script or <!--, which would end its element or comment it out")
    attribute = f'nonce="{escape(nonce)}"'
    if not xml:
        return f"<script {attribute}>{source}</script>"
    # In XHTML, a `<` in JavaScript would be markup.
    text = source.replace("]]>", "]]]]><![CDATA[>")
    return f'<script xmlns="http://www.w3.org/1999/xhtml" {attribute}><![CDATA[{text}]]></script>'


class Passage:
    """The streamed body of one document; mitmproxy calls it with each chunk, and with b"" at the end."""

    def __init__(self, codings: Sequence[str], inserter: Inserter | None, failed: Failed) -> None:
        """Take the body's codings, and the inserter of the script if the document gets one."""
        self._decoder = Decoder(codings)
        self._inserter = inserter
        self._failed = failed
        self._received = bytearray()

    def __call__(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the next part of the changed body; never b"", which would end a chunked body."""
        for piece in self._decoded(chunk) if chunk else (b"",):
            if passed := self._with_script(piece):
                yield passed

    def _decoded(self, chunk: bytes) -> Iterator[bytes]:
        try:
            yield from self._decoder.feed(chunk)
        except Exception as error:
            # The headers announce a decoded body, so the rest cannot pass undecoded.
            self._decoder.damaged = True
            self._failed(OWN_EXCEPTION, error)

    def _with_script(self, piece: bytes) -> bytes:
        """Return the bytes that can be passed on; `piece` is b"" at the end."""
        if self._inserter is None:
            return piece
        # Kept until the script is inserted, so that no byte is lost if the inserter fails.
        self._received += piece
        try:
            passed = self._inserter.feed(piece) if piece else self._inserter.finish()
        except Exception as error:
            passed = bytes(self._received)
            self._inserter = None
            self._failed(OWN_EXCEPTION, error)
            return passed
        if self._inserter.inserted or self._inserter.unfit:
            self._settle(self._inserter.unfit)
        return passed

    def _settle(self, unfit: Unfit | None) -> None:
        """Pass the rest unchanged; report why the document gets no script, if it gets none."""
        self._inserter = None
        self._received.clear()
        if unfit is not None:
            self._failed("its content coding is damaged" if self._decoder.damaged else unfit.value, None)


def _stream_document(
    request: Request, response: Response, source: Callable[[], str] | None, nonce: str, failed: Failed
) -> None:
    headers = response.headers.copy()
    script_nonce = admit_everywhere(headers, nonce)
    inserter = None if source is None else _inserter_of(response, source(), script_nonce)
    codings = _codings(response) or ()
    forget_original(headers, request, response)
    # Assigned last, so that an exception leaves the response unchanged.
    response.headers, response.stream = headers, Passage(codings, inserter, failed)


def _unfit_reason(response: Response) -> str | None:
    """Return the reason in a document's headers why it can get no script; None if it can."""
    if _codings(response) is None or response.headers.get("transfer-encoding", "chunked").strip().lower() != "chunked":
        return "its content coding is unknown"
    # mitmproxy does not pass an empty body to the stream function.
    return Unfit.EMPTY.value if response.headers.get("content-length", "").strip() == "0" else None


def _inserter_of(response: Response, source: str, nonce: str) -> Inserter:
    declared = _CHARSET.search(response.headers.get("content-type", ""))
    xml = _kind(response) == _XHTML
    return Inserter(script_element(source, nonce, xml=xml), declared and declared[1], xml=xml)


def _codings(response: Response) -> list[str] | None:
    return codings_of(response.headers.get("content-encoding", ""))


def _is_reusable(headers: Headers) -> bool:
    """Return whether a cache may use its copy without revalidation (RFC 9111, sections 4.2 and 5.2.2)."""
    cache_control = headers.get("cache-control", "").lower()
    if "no-store" in cache_control or "no-cache" in cache_control:
        return False
    # With `Last-Modified` alone, browsers derive the lifetime from the document's age.
    return "max-age" in cache_control or "expires" in headers or "last-modified" in headers


def _kind(response: Response) -> str:
    # The last of several types counts.
    content_types: str = response.headers.get("content-type", "")
    return content_types.rpartition(",")[2].partition(";")[0].strip().lower()
