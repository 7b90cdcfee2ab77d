"""Faults of the site."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import guarded

FAULT_HEADER = "X-Site-Fault"
"""Set on an answer when the site raised an exception."""


class SiteFaults:
    """Notes in the ledger that the site raised an exception because of an action of the agent."""

    @guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Note a fault, and remove its header so that the page cannot see it."""
        assert flow.response is not None
        stress = binding_of(flow).stress
        # Before the first action (step 0) the agent cannot have caused a fault.
        if flow.response.headers.pop(FAULT_HEADER, None) and stress.step:
            stress.note("world", "fault", detail=flow.request.path.partition("?")[0])
