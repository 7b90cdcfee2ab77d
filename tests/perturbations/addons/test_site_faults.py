"""A fault of the site in answer to the agent is noted, and hidden from the page."""

import pytest
from mitmproxy import http

from stressweb.perturbations.addons.site_faults import FAULT_HEADER, SiteFaults
from tests.perturbations.addons.flows import HEADERS, binding, flow, meet, notes


@pytest.mark.parametrize(("step", "lines"), [(0, []), (1, [("world", "fault", "/buy")])])
def test_a_fault_is_noted_once_the_agent_acts(step: int, lines: list[tuple[str, str, str]]) -> None:
    episode = binding()
    episode.stress.begin(step)
    request_flow = flow(episode, "/buy?item=1")
    request_flow.response = http.Response.make(500, b"", {FAULT_HEADER: "1"})
    meet(HEADERS, request_flow, SiteFaults())
    assert FAULT_HEADER not in request_flow.response.headers
    assert notes(episode) == lines
