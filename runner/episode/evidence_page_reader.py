"""Reads evidence pages without a browser, through the episode's port, with its credential and cookies."""

import base64
import http.client
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from stressweb.core.protocol import FIRST_PAGE_TIMEOUT_MS
from stressweb.html.written import as_drawn
from stressweb.log.recording import Shown
from stressweb.perturbations import PROXY_USER

if TYPE_CHECKING:
    # Imports mitmproxy, which takes a second.
    from stressweb.runner.world.world import EpisodeWorld

_REDIRECTS = (
    HTTPStatus.MOVED_PERMANENTLY,
    HTTPStatus.FOUND,
    HTTPStatus.SEE_OTHER,
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
)
_MOST_REDIRECTS = 10
_PLAIN_HTML_TYPE = re.compile(r"text/html;\s*charset=utf-8", re.IGNORECASE)
# Browsers normalise other URLs: they encode further characters and remove dot segments of a path.
_PLAIN_URL = re.compile(r"http://[a-z0-9.:-]+(/(?!\.)[\w~@!$&()*+,;=:%.-]*)*(\?[\w~@!$&()*+,;=:%./?-]*)?", re.ASCII)
_PLAIN_SET_COOKIE = re.compile(
    r"([\w-]+)=([\w.~+/=|-]*)((?:; *(?:HttpOnly|SameSite=\w+|Path=/))*)", re.ASCII | re.IGNORECASE
)
_BROWSER_ONLY_HEADERS = ("content-encoding", "content-disposition", "refresh", "link")
"""Response headers with which a browser does more than show the body."""
_ACCEPT_HEADER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"


class EvidencePageReader:
    """Reader of the evidence pages of one episode, in one person's session."""

    def __init__(self, world: "EpisodeWorld", cookies: Mapping[str, str], user_agent: str) -> None:
        """Take the cookies of the session, and the browser's user agent."""
        self._world, self._cookies = world, dict(cookies)
        password = base64.b64encode(f"{PROXY_USER}:{world.evidence_credential}".encode()).decode()
        self._headers = {
            "Proxy-Authorization": f"Basic {password}",
            "Connection": "close",
            "Upgrade-Insecure-Requests": "1",
            "User-Agent": user_agent,
            "Accept": _ACCEPT_HEADER,
            "Accept-Encoding": "identity",
            "Accept-Language": "en-US",
        }

    def read(self, url: str) -> Shown | None:
        """Return a page as the recorder would record it; None if it needs a browser.

        Raises OSError or http.client.HTTPException if the request fails.
        """
        for _ in range(_MOST_REDIRECTS):
            if not _PLAIN_URL.fullmatch(url):
                return None
            status, headers, body = self._fetch(url)
            if not self._store_cookies(headers.get_all("Set-Cookie", ())):
                return None
            if status not in _REDIRECTS:
                return _page_in_response(url, headers, body)
            redirect_url = urljoin(url, headers.get("Location", ""))
            if urlsplit(redirect_url).netloc != urlsplit(url).netloc:
                return None
            url = redirect_url
        return None

    def _fetch(self, url: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self._world.evidence_port, timeout=FIRST_PAGE_TIMEOUT_MS / 1000
        )
        try:
            cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
            connection.request("GET", url, headers={**self._headers, **({"Cookie": cookies} if cookies else {})})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def _store_cookies(self, set_cookie_headers: Iterable[str]) -> bool:
        """Store the cookies of a response; return False if any has attributes that only a browser handles."""
        for set_cookie_header in set_cookie_headers:
            cookie = _PLAIN_SET_COOKIE.fullmatch(set_cookie_header)
            if cookie is None:
                return False
            self._cookies[cookie[1]] = cookie[2]
        return True


def _page_in_response(url: str, headers: http.client.HTTPMessage, body: bytes) -> Shown | None:
    """Return the page of a response; None if it needs a browser."""
    if any(name in headers for name in _BROWSER_ONLY_HEADERS) or not _PLAIN_HTML_TYPE.fullmatch(
        headers.get("Content-Type", "")
    ):
        return None
    try:
        html = as_drawn(body.decode())
    except UnicodeDecodeError:
        return None
    return None if html is None else Shown(url, html)
