"""Documents that a browser loads before they are to be shown."""

from mitmproxy import http

from perturbations.addons.hooks import answer, guarded
from perturbations.stream import asks_early


class EarlyLoads:
    """Refuses to give a document ahead: it would run and count as loaded, though it may never be shown."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Refuse a document that is asked for early. If it is to be shown after all, the browser asks again."""
        if asks_early(flow.request):
            answer(flow, http.Response.make(503))
