"""What has begun and what is open is counted once each."""

import pytest
from mitmproxy import hooks, http

from stressweb.perturbations.addons.flow_counts import OpenFlows, StartedFlows
from tests.perturbations.addons.flows import ERROR, HEADERS, REQUEST, RESPONSE, binding, flow, meet


@pytest.mark.parametrize(
    ("event", "content_type", "still_open"),
    [
        (HEADERS, "text/html", 1), (HEADERS, "Text/Event-Stream; charset=utf-8", 0), (RESPONSE, "text/html", 0),
        (ERROR, "text/html", 0),
    ],
)  # fmt: skip
def test_a_flow_is_open_until_its_answer_has_passed(
    event: type[hooks.Hook], content_type: str, still_open: int
) -> None:
    episode, addons = binding(), (StartedFlows(), OpenFlows())
    request_flow = meet(REQUEST, flow(episode), *addons)
    assert (episode.started, episode.open_flows) == (1, 1)
    request_flow.response = http.Response.make(200, b"", {"Content-Type": content_type})
    meet(event, request_flow, *addons)
    assert (episode.started, episode.open_flows) == (1, still_open)
    for later in (RESPONSE, ERROR):
        meet(later, request_flow, *addons)
    assert (episode.started, episode.open_flows) == (1, 0)
