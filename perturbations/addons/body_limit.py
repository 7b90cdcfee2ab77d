"""The limit of a body's size."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import any_binding
from stressweb.perturbations.addons.hooks import guarded

LARGEST_BODY = "64m"
"""Largest body of a request or an answer, as mitmproxy's option `body_size_limit` writes it."""


class BodyLimit:
    """Notes in the ledger that mitmproxy has refused a body."""

    @guarded
    def error(self, flow: http.HTTPFlow) -> None:
        """Note a flow that broke off because it was too large."""
        binding = any_binding(flow)
        # Recognised by its text, because mitmproxy has no kinds of errors for a flow that broke off.
        if binding is not None and flow.error and "body_size_limit" in flow.error.msg:
            binding.stress.note("world", "blocked", detail=f"a body larger than {LARGEST_BODY}")
