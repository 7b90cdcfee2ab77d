"""The size limit of bodies."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_or_none
from stressweb.perturbations.addons.hooks import guarded

LARGEST_BODY = "64m"
"""Largest body of a request or response, in the syntax of mitmproxy's option `body_size_limit`."""


class BodyLimit:
    """Notes in the ledger that mitmproxy has refused a body."""

    @guarded
    def error(self, flow: http.HTTPFlow) -> None:
        """Note a flow that mitmproxy aborted because its body was too large."""
        binding = binding_or_none(flow)
        # mitmproxy's flow errors have no type, only a text.
        if binding is not None and flow.error and "body_size_limit" in flow.error.msg:
            binding.stress.note("world", "blocked", detail=f"a body larger than {LARGEST_BODY}")
