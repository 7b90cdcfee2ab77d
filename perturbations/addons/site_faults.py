"""Faults of the site."""

from mitmproxy import http

from perturbations.addons.binding import binding_of
from perturbations.addons.hooks import guarded

FAULT_HEADER = "X-Site-Fault"
"""Stands on an answer in place of which the site raised an exception."""


class SiteFaults:
    """Writes into the ledger where the site failed in the answer to what the agent did."""

    @guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Take the mark of a fault off an answer, so that the page cannot see it, and note the fault."""
        assert flow.response is not None
        stress = binding_of(flow).stress
        # Before the first action (step 0) a fault is no doing of the agent.
        if flow.response.headers.pop(FAULT_HEADER, None) and stress.step:
            stress.note("world", "fault", detail=flow.request.path.partition("?")[0])
