"""Requests for documents that the browser has cached."""

from mitmproxy import http

from stressweb.perturbations.addons.hooks import guarded
from stressweb.perturbations.stream import ask_for_whole


class WholeDocuments:
    """Makes the site send whole documents: the browser's cached copy may be without the script."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Remove the headers of a document request that allow a 304 (not modified)."""
        ask_for_whole(flow.request)
