"""The hosts of an episode. Requests to other hosts are refused, so no request leaves the machine."""

from typing import NoReturn

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of, binding_or_none, serve_from
from stressweb.perturbations.addons.hooks import answer, guarded

_HTTP = 80


class Hosts:
    """Finds the site of a request; refuses foreign hosts, and notes each refusal in the ledger."""

    @guarded
    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Let a tunnel to a site pass: browsers open it for web sockets. Refuse all others; no site uses TLS."""
        host, port = flow.request.host.lower(), flow.request.port
        if binding_of(flow).served_at(host if port == _HTTP else f"{host}:{port}") is None:
            _refuse(flow)

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Refuse foreign hosts."""
        served = binding_of(flow).served_at((flow.request.host_header or "").lower())
        if served is None:
            _refuse(flow)
        serve_from(flow, served)


def _refuse(flow: http.HTTPFlow) -> NoReturn:
    binding = binding_or_none(flow)
    if binding is not None:
        binding.stress.note("world", "blocked", detail=flow.request.host_header or flow.request.host)
    answer(flow, http.Response.make(403, b"Access to this address is blocked."))
