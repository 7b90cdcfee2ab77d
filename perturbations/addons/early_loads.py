"""Documents that a browser loads ahead, before it shows them."""

from mitmproxy import http

from stressweb.perturbations.addons.hooks import answer, guarded
from stressweb.perturbations.stream import asks_early


class EarlyLoads:
    """Refuses to load a document ahead: it would run and count as loaded, though the browser may never show it."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Refuse a request for a document ahead. The browser asks again when it shows the document."""
        if asks_early(flow.request):
            answer(flow, http.Response.make(503))
