"""Only the hosts of the episode are answered."""

import pytest
from mitmproxy.http import HTTPFlow
from mitmproxy.proxy.layers.http import HttpConnectHook

from stressweb.perturbations.addons.binding import Binding, served_of
from stressweb.perturbations.addons.hosts import Hosts
from tests.perturbations.addons.flows import HOST, REQUEST, binding, flow, meet, notes


def test_the_site_is_found() -> None:
    episode = binding()
    request_flow = flow(host=HOST.upper())
    request_flow.metadata["binding"] = episode
    assert meet(REQUEST, request_flow, Hosts()).response is None
    assert served_of(request_flow) is episode.served[0]


@pytest.mark.parametrize("host", ["elsewhere.test", f"x.{HOST}", f"{HOST}:81"])
def test_another_host_is_refused_and_noted(host: str) -> None:
    episode = binding()
    request_flow = meet(REQUEST, flow(episode, host=host), Hosts())
    assert request_flow.response is not None
    assert request_flow.response.status_code == 403
    assert notes(episode) == [("world", "blocked", host)]


def test_a_tunnel_leads_to_the_site() -> None:
    assert meet(HttpConnectHook, tunnel(binding(), HOST, 80), Hosts()).response is None


@pytest.mark.parametrize(("host", "port"), [(HOST, 443), (HOST, 81), ("elsewhere.test", 80)])
def test_another_tunnel_is_refused_and_noted(host: str, port: int) -> None:
    episode = binding()
    request_flow = meet(HttpConnectHook, tunnel(episode, host, port), Hosts())
    assert request_flow.response is not None
    assert request_flow.response.status_code == 403
    assert notes(episode) == [("world", "blocked", f"{host}:{port}")]


def tunnel(episode: Binding, host: str, port: int) -> HTTPFlow:
    """Return a request for a tunnel."""
    request_flow = flow(episode, host=f"{host}:{port}")
    request_flow.request.host, request_flow.request.port = host, port
    request_flow.request.host_header = f"{host}:{port}"
    return request_flow
