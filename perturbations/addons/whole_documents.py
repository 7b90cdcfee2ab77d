"""Requests for documents that a browser has a copy of."""

from mitmproxy import http

from stressweb.perturbations.addons.hooks import guarded
from stressweb.perturbations.stream import ask_for_whole


class WholeDocuments:
    """Has the site send documents whole: the browser's own copy may lack the script."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Remove from a request for a document what allows the answer "not modified"."""
        ask_for_whole(flow.request)
