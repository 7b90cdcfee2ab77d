"""A hook passes a flow, answers it, or fails; mitmproxy hides none of these."""

import pytest
from mitmproxy import hooks, http
from mitmproxy.test import tflow

from stressweb.perturbations.addons.hooks import answer, guarded, is_ours
from tests.perturbations.addons.flows import ERROR, HEADERS, REQUEST, binding, flow, meet


class First:
    """Raises or answers, as a test wants."""

    def __init__(self, error: Exception | None, *, answers: bool = False) -> None:
        self.error, self.answers = error, answers

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        if self.answers:
            answer(flow, http.Response.make(418))
        if self.error is not None:
            raise self.error

    responseheaders = request


class Second:
    """Counts the flows that it gets."""

    def __init__(self) -> None:
        self.seen = 0

    def request(self, flow: http.HTTPFlow) -> None:
        self.seen += 1

    responseheaders = request


def test_a_flow_that_passes_meets_the_next_addon() -> None:
    second = Second()
    request_flow = meet(REQUEST, flow(binding()), First(None), second)
    assert (request_flow.response, second.seen, is_ours(request_flow)) == (None, 1, False)


def test_a_flow_that_is_answered_meets_no_other() -> None:
    episode, second = binding(), Second()
    request_flow = meet(REQUEST, flow(episode), First(None, answers=True), second)
    assert request_flow.response is not None
    assert (request_flow.response.status_code, second.seen, is_ours(request_flow), episode.faults) == (418, 0, True, [])


@pytest.mark.parametrize("event", [REQUEST, HEADERS])
def test_an_exception_is_a_fault_of_the_episode(event: type[hooks.Hook]) -> None:
    """A request is answered; the site's answer passes unchanged."""
    episode, second = binding(), Second()
    request_flow = flow(episode)
    request_flow.response = None if event is REQUEST else http.Response.make(200, b"the site's")
    meet(event, request_flow, First(ValueError("planted")), second)
    assert request_flow.response is not None
    assert request_flow.response.content == (b"Bad gateway" if event is REQUEST else b"the site's")
    assert second.seen == 0
    (fault,) = episode.faults
    assert fault.message.startswith("ValueError: planted (test_hooks.py:")
    assert "in request" in fault.traceback


def test_an_exception_about_a_flow_without_an_episode_is_answered() -> None:
    request_flow = meet(REQUEST, flow(), First(ValueError("planted")))
    assert request_flow.response is not None
    assert request_flow.response.status_code == 502


def test_a_flow_that_broke_off_gets_no_answer() -> None:
    class Broken:
        @guarded
        def error(self, flow: http.HTTPFlow) -> None:
            raise ValueError("planted")

    episode = binding()
    request_flow = flow(episode)
    request_flow.error = tflow.terr()
    assert meet(ERROR, request_flow, Broken()).response is None
    assert len(episode.faults) == 1
