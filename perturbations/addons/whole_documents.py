"""Copies of documents that a browser may have."""

from mitmproxy import http

from perturbations.addons.hooks import guarded
from perturbations.stream import ask_for_whole


class WholeDocuments:
    """Has the site send documents whole: the browser's own copy may be one without the script."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Take out of a request for a document what the site may answer by "not modified"."""
        ask_for_whole(flow.request)
