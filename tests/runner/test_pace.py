"""What ran out of time is the agent's failure on a machine that keeps up, and an error of ours on one that does not."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from runner import pace
from runner.act import perform
from runner.observe import Observer
from runner.pace import check_pace
from stressweb.actions import Action, Outcome
from stressweb.errors import InfrastructureError
from tests.runner.conftest import SmallSite

MOVING = """<!DOCTYPE html><style>button { animation: go 0.3s linear infinite alternate }
@keyframes go { to { transform: translateX(300px) } }</style><button id="b">Go</button>"""


def test_a_machine_that_keeps_up_is_not_slow_and_the_look_leaves_nothing_open(page: Page) -> None:
    browser = page.context.browser
    assert browser is not None
    before = browser.contexts
    check_pace(page, "nothing")
    assert browser.contexts == before


def test_a_target_that_never_stands_still_is_the_agents(show: Callable[[str], Page]) -> None:
    outcome = perform(show(MOVING), Action(kind="CLICK", selector="#b"))
    assert outcome == Outcome(ok=False, reason="timed out", detail="#b")


def test_on_a_slow_machine_it_is_ours(show: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch) -> None:
    page = show(MOVING)
    monkeypatch.setattr(pace, "SLOW", 0.001)
    with pytest.raises(InfrastructureError, match=r"too slow: the action CLICK ran out of time, and a blank page took"):
        perform(page, Action(kind="CLICK", selector="#b"))


def test_a_page_that_does_not_settle_on_a_slow_machine_is_ours(
    show: Callable[[str], Page], small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = show("<!DOCTYPE html><p>here</p>")
    monkeypatch.setattr(small_site, "busy", lambda: 1)
    assert "here" in Observer().settled(page, small_site, 0.2).html
    monkeypatch.setattr(pace, "SLOW", 0.001)
    with pytest.raises(InfrastructureError, match="too slow: the page ran out of time"):
        Observer().settled(page, small_site, 0.2)
