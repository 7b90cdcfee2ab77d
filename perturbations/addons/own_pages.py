"""Pages of `serve` itself, such as its overlay."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import answer, guarded


class OwnPages:
    """Answers requests to the pages of `serve` itself; there are none in an episode."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer a request for a page of `serve`."""
        served_pages = binding_of(flow).served_pages
        if served_pages is not None and (response := served_pages(flow.request)) is not None:
            answer(flow, response)
