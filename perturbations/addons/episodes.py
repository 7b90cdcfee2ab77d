"""The episode of each flow."""

from mitmproxy import http
from mitmproxy.connection import Client

from stressweb.perturbations.addons.binding import Binding, bind, binding_or_none
from stressweb.perturbations.addons.hooks import answer, guarded


class Episodes:
    """Binds flows to episodes by listening port and connection, and refuses requests of no current episode."""

    def __init__(self) -> None:
        """Start without an episode; the code that opens a port adds its binding to `bindings`."""
        self.bindings: dict[int, Binding] = {}
        self._binding_by_connection: dict[str, Binding] = {}

    def client_connected(self, client: Client) -> None:
        """Note the episode of a new connection."""
        binding = self.bindings.get(client.sockname[1])
        if binding is not None:
            # By connection, not by port: the next episode gets the same port while the old browser may still be
            # sending.
            self._binding_by_connection[client.id] = binding

    def client_disconnected(self, client: Client) -> None:
        """Forget a connection."""
        self._binding_by_connection.pop(client.id, None)

    @guarded
    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Bind a tunnel to its episode."""
        self._bind(flow)

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Bind a request to its episode; refuse it if the episode is over."""
        self._bind(flow)
        binding = binding_or_none(flow)
        # A late request of an agent's browser must not reach the database of the next episode.
        if binding is None or binding is not self.bindings.get(flow.client_conn.sockname[1]):
            answer(flow, http.Response.make(403, b"Forbidden"))

    @guarded
    def error(self, flow: http.HTTPFlow) -> None:
        """Bind a flow that was aborted before its request was complete."""
        self._bind(flow)

    def _bind(self, flow: http.HTTPFlow) -> None:
        """Bind a flow to the episode in which its connection was opened."""
        port_binding = self.bindings.get(flow.client_conn.sockname[1])
        # A browser that waits for a connection opens a second one and keeps it. The browser that reads evidence is
        # shared by all episodes, so it may use a connection of the previous episode.
        evidence_binding = port_binding if port_binding is not None and port_binding.serves_evidence_browser else None
        binding = binding_or_none(flow) or evidence_binding or self._binding_by_connection.get(flow.client_conn.id)
        if binding is not None:
            bind(flow, binding)
