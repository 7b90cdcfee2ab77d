"""In a narrow window, the agent opens a page's menu only for links in the menu."""

import lxml.html
import pytest

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Brief, Observation
from stressweb.plugins.steps import Step
from stressweb.runner.agents.naive import Naive
from stressweb.runner.verify.narrow import MenuOpener

PAGE = """<html><body>
<button popovertarget="menu" aria-label="Menu"></button>
<div id="menu" popover><nav><a href="/alerts"><span>Alerts</span></a></nav></div>
<main><a href="/jobs">Jobs</a></main>
</body></html>"""
BOX = (0.0, 0.0, 50.0, 20.0)


def observation(*, is_open: bool) -> Observation:
    elements = [*lxml.html.document_fromstring(PAGE).iter("*")]
    boxes = [
        BOX if is_open or not any(part.get("id") == "menu" for part in (element, *element.iterancestors())) else None
        for element in elements
    ]
    return Observation(url="http://site/", html=PAGE, boxes=boxes)


def decided(agent: MenuOpener, *, is_open: bool) -> Action:
    action = agent.act(observation(is_open=is_open))
    assert isinstance(action, Action)
    return action


@pytest.mark.parametrize(
    ("target", "is_open", "opens"), [("Alerts", False, True), ("Alerts", True, False), ("Jobs", False, False)]
)
def test_a_menu_is_opened_where_it_hides_the_target(target: str, *, is_open: bool, opens: bool) -> None:
    agent = MenuOpener(Naive())
    agent.start(Brief(goal="", start_url="http://site/", steps=(Step(verb="open", target=target),)))
    action = decided(agent, is_open=is_open)
    assert (action.kind, agent.is_opening) == ("CLICK", opens)
    assert decided(agent, is_open=True).kind == ("CLICK" if opens else "DONE")
    assert not agent.is_opening


def test_a_missing_target_opens_no_menu() -> None:
    agent = MenuOpener(Naive())
    agent.start(Brief(goal="", start_url="http://site/", steps=(Step(verb="open", target="Wallet"),)))
    assert decided(agent, is_open=False).kind == "DONE"
    assert not agent.is_opening
