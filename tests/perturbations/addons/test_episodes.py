"""A flow belongs to the episode in which its connection was opened."""

from mitmproxy.connection import Client
from mitmproxy.test import tflow

from stressweb.perturbations.addons.binding import binding_or_none
from stressweb.perturbations.addons.episodes import Episodes
from tests.perturbations.addons.flows import ERROR, REQUEST, binding, flow, meet


def status(addon: Episodes, client: Client) -> int | None:
    request_flow = flow()
    request_flow.client_conn = client
    meet(REQUEST, request_flow, addon)
    return request_flow.response.status_code if request_flow.response else None


def test_a_connection_keeps_its_episode_and_is_refused_in_the_next() -> None:
    addon, client = Episodes(), tflow.tclient_conn()
    port = client.sockname[1]
    assert status(addon, client) == 403
    addon.bindings[port] = binding()
    addon.client_connected(client)
    assert status(addon, client) is None
    addon.bindings[port] = binding()
    assert status(addon, client) == 403
    addon.client_connected(client)
    assert status(addon, client) is None
    addon.client_disconnected(client)
    assert status(addon, client) == 403


def test_the_browser_of_the_evidence_keeps_its_connections() -> None:
    addon, client = Episodes(), tflow.tclient_conn()
    for _ in range(2):
        addon.bindings[client.sockname[1]] = binding(serves_evidence_browser=True)
        assert status(addon, client) is None


def test_a_flow_that_broke_off_early_has_its_episode() -> None:
    addon, episode, request_flow = Episodes(), binding(), flow()
    addon.bindings[request_flow.client_conn.sockname[1]] = episode
    addon.client_connected(request_flow.client_conn)
    request_flow.error = tflow.terr()
    assert binding_or_none(meet(ERROR, request_flow, addon)) is episode
