"""The credential of an episode's port."""

import base64
import hmac

from mitmproxy import http
from mitmproxy.connection import Client

from stressweb.perturbations.addons.binding import binding_or_none
from stressweb.perturbations.addons.hooks import answer, guarded

PROXY_USER = "stressweb"
"""The user name of a port's credential; its password is the secret."""


class Credential:
    """Removes the credential from requests, and answers requests without it with a 407.

    Refused requests are not recorded, because any process of this machine can send them.
    """

    def __init__(self) -> None:
        """Start without a connection."""
        self._admitted_connections: set[str] = set()
        """Connections whose CONNECT request had the credential; the requests in a tunnel have none."""

    def client_disconnected(self, client: Client) -> None:
        """Forget a connection."""
        self._admitted_connections.discard(client.id)

    @guarded
    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Check a tunnel."""
        self._admit(flow)
        self._admitted_connections.add(flow.client_conn.id)

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Check a request."""
        self._admit(flow)

    def _admit(self, flow: http.HTTPFlow) -> None:
        kind, _, credential = flow.request.headers.pop("Proxy-Authorization", "").partition(" ")
        binding = binding_or_none(flow)
        if binding is not None and flow.client_conn.id in self._admitted_connections:
            return
        if binding is None or not (
            binding.needs_no_credential or (kind.lower() == "basic" and _is_right(credential, binding.credential))
        ):
            answer(flow, http.Response.make(407, b"", {"Proxy-Authenticate": 'Basic realm="stressweb"'}))


def _is_right(credential: str, password: str) -> bool:
    expected = base64.b64encode(f"{PROXY_USER}:{password}".encode())
    # In constant time: the delay of a refusal must not show how much of a guess was right. A port without a password
    # refuses every request.
    return bool(password) and hmac.compare_digest(credential.strip().encode(), expected)
