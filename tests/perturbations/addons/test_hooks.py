"""A hook lets a flow pass, answers it, or fails; in no case does mitmproxy hide what happened."""

import pytest
from mitmproxy import hooks, http
from mitmproxy.test import tflow

from perturbations.addons.hooks import answer, guarded, is_ours
from tests.perturbations.addons.flows import ERROR, HEADERS, REQUEST, binding, flow, meet


class First:
    """Does what a test wants."""

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
    """Notes what it sees."""

    def __init__(self) -> None:
        self.seen = 0

    def request(self, flow: http.HTTPFlow) -> None:
        self.seen += 1

    responseheaders = request


def test_a_flow_that_passes_meets_the_next_addon() -> None:
    second = Second()
    asked = meet(REQUEST, flow(binding()), First(None), second)
    assert (asked.response, second.seen, is_ours(asked)) == (None, 1, False)


def test_a_flow_that_is_answered_meets_no_other() -> None:
    episode, second = binding(), Second()
    asked = meet(REQUEST, flow(episode), First(None, answers=True), second)
    assert asked.response is not None
    assert (asked.response.status_code, second.seen, is_ours(asked), episode.faults) == (418, 0, True, [])


@pytest.mark.parametrize("event", [REQUEST, HEADERS])
def test_an_exception_is_a_fault_of_the_episode(event: type[hooks.Hook]) -> None:
    """A request is answered; the site's answer passes as it came."""
    episode, second = binding(), Second()
    asked = flow(episode)
    asked.response = None if event is REQUEST else http.Response.make(200, b"the site's")
    meet(event, asked, First(ValueError("planted")), second)
    assert asked.response is not None
    assert asked.response.content == (b"Bad gateway" if event is REQUEST else b"the site's")
    assert second.seen == 0
    (fault,) = episode.faults
    assert fault.message.startswith("ValueError: planted (test_hooks.py:")
    assert "in request" in fault.traceback


def test_an_exception_about_a_flow_without_an_episode_is_answered() -> None:
    asked = meet(REQUEST, flow(), First(ValueError("planted")))
    assert asked.response is not None
    assert asked.response.status_code == 502


def test_a_flow_that_broke_off_gets_no_answer() -> None:
    class Broken:
        @guarded
        def error(self, flow: http.HTTPFlow) -> None:
            raise ValueError("planted")

    episode = binding()
    asked = flow(episode)
    asked.error = tflow.terr()
    assert meet(ERROR, asked, Broken()).response is None
    assert len(episode.faults) == 1
