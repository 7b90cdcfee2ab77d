"""Our own answers are not the site's, though mitmproxy treats them alike."""

from mitmproxy import http

from stressweb.perturbations.addons.hooks import answer, guarded
from stressweb.perturbations.addons.own_answers import OwnAnswers
from stressweb.perturbations.addons.script import Script
from tests.perturbations.addons.flows import HEADERS, REQUEST, binding, flow, meet


class Teapot:
    """Answers everything."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        answer(flow, http.Response.make(418, b"<p>short and stout", {"Content-Type": "text/html"}))


def test_our_answer_gets_no_script_and_the_sites_does() -> None:
    streams = []
    for first in (Teapot(), object()):
        request_flow = meet(REQUEST, flow(binding()), first)
        request_flow.response = request_flow.response or http.Response.make(200, b"<p>", {"Content-Type": "text/html"})
        meet(HEADERS, request_flow, OwnAnswers(), Script())
        streams.append(bool(request_flow.response.stream))
    assert streams == [False, True]
