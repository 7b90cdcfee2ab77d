"""Documents that a browser prefetches or prerenders."""

from mitmproxy import http

from stressweb.perturbations.addons.hooks import answer, guarded
from stressweb.perturbations.stream import asks_early


class EarlyLoads:
    """Refuses prefetches of documents: they would run and count as loaded, although the browser may never show them."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Refuse to prefetch a document. The browser requests it again when it shows it."""
        if asks_early(flow.request):
            answer(flow, http.Response.make(503))
