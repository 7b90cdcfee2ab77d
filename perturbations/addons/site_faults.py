"""Faults of the site."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import guarded

FAULT_HEADER = "X-Site-Fault"
"""Set on an answer when the site raised an exception."""


class SiteFaults:
    """Notes in the ledger that the site failed in answer to an action of the agent."""

    @guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Remove the header of a fault, so that the page cannot see it, and note the fault."""
        assert flow.response is not None
        stress = binding_of(flow).stress
        # Before the first action (step 0) the agent cannot have caused a fault.
        if flow.response.headers.pop(FAULT_HEADER, None) and stress.step:
            stress.note("world", "fault", detail=flow.request.path.partition("?")[0])
