"""Counts of an episode's started and open flows; settling waits until none is open."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import guarded

_OPEN = "open"


class StartedFlows:
    """Counts the requests of the episode's pages, those answered by the proxy included."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Count a request."""
        binding_of(flow).started += 1


class OpenFlows:
    """Counts the requests whose response from the site is not complete yet."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Count a request that goes on to the site as open."""
        binding_of(flow).open_flows += 1
        flow.metadata[_OPEN] = True

    @guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Count an event stream as closed: it never ends by itself, so settling must not wait for it."""
        assert flow.response is not None
        if flow.response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            _close(flow)

    @guarded
    def response(self, flow: http.HTTPFlow) -> None:
        """Count a flow as closed: its whole answer has passed."""
        _close(flow)

    @guarded
    def error(self, flow: http.HTTPFlow) -> None:
        """Count an aborted flow as closed."""
        _close(flow)


def _close(flow: http.HTTPFlow) -> None:
    if flow.metadata.pop(_OPEN, False):
        binding_of(flow).open_flows -= 1
