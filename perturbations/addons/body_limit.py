"""How large a body may be."""

from mitmproxy import http

from perturbations.addons.binding import any_binding
from perturbations.addons.hooks import guarded

LARGEST_BODY = "64m"
"""What a request or an answer may carry, in bytes, as mitmproxy's option `body_size_limit` writes it."""


class BodyLimit:
    """Says in the ledger that mitmproxy has refused a body."""

    @guarded
    def error(self, flow: http.HTTPFlow) -> None:
        """Note a flow that broke off because it was too large."""
        binding = any_binding(flow)
        # Told apart by its text, because mitmproxy gives a flow that broke off no kind of error.
        if binding is not None and flow.error and "body_size_limit" in flow.error.msg:
            binding.stress.note("world", "blocked", detail=f"a body larger than {LARGEST_BODY}")
