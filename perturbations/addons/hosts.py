"""The hosts of an episode: nothing else is answered, and no request leaves the machine."""

from typing import NoReturn

from mitmproxy import http

from perturbations.addons.binding import any_binding, binding_of, serve_from
from perturbations.addons.hooks import answer, guarded


class Hosts:
    """Finds the site that is asked for; refuses other hosts, and says so in the ledger."""

    @guarded
    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Refuse tunnels: no host of the world uses TLS."""
        _refuse(flow)

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Refuse foreign hosts."""
        served = binding_of(flow).at((flow.request.host_header or "").lower())
        if served is None:
            _refuse(flow)
        serve_from(flow, served)


def _refuse(flow: http.HTTPFlow) -> NoReturn:
    binding = any_binding(flow)
    if binding is not None:
        binding.stress.note("world", "blocked", detail=flow.request.host_header or flow.request.host)
    answer(flow, http.Response.make(403, b"Access to this address is blocked."))
