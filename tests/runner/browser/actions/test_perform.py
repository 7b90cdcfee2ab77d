"""Every kind of action on a real page, and every reason for a refusal."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from scripts.waited import perform
from stressweb.plugins.actions import Action, Outcome
from tests.runner.small_site import SmallSite

pytestmark = pytest.mark.sample(12, "file")

PAGE = """<!DOCTYPE html><html><head><style>body { margin: 0; height: 3000px } #field { width: 300px }</style></head><body>
<button id="b" onclick="said.textContent += event.detail">Press</button><input id="field" value="old"><input id="day" type="date">
<input id="box" type="checkbox"><select id="s"><option>One</option><option>Two\u200b  three</option><option disabled>Four</option></select>
<button id="off" disabled>Off</button><button id="none" style="display:none">None</button>
<div style="position:relative;width:100px"><button id="under">Under</button><div role="note" style="position:absolute;inset:0;background:red">Cookies?</div></div>
<button id="gone" disabled>WorkerDied</button><a id="link" href="/next">Next</a><p id="said"></p>
<button id="low" style="position:absolute;top:2000px;left:0;width:90px;height:40px" onclick="said.textContent += 'low'">Low</button>
<script>setTimeout(() => gone.remove(), 700); addEventListener("keydown", (event) => said.dataset.keys = (said.dataset.keys ?? "") + event.key);</script></body></html>"""


@pytest.fixture
def opened(show: Callable[[str], Page], small_site: SmallSite) -> Page:
    small_site.pages["/next"] = "<!DOCTYPE html><title>next</title>"
    return show(PAGE)


def act(page: Page, kind: str, **parameters: Any) -> Outcome:
    started = time.monotonic()
    outcome: Outcome = perform(page, Action.model_validate({"kind": kind, **parameters}))
    assert kind == "WAIT" or time.monotonic() - started < 2.0 + 0.5
    return outcome


@pytest.mark.parametrize(
    ("kind", "parameters", "expression", "expected"),
    [
        ("CLICK", {"selector": "#b"}, "said.textContent", "1"),
        ("CLICK", {"selector": "#b", "click_count": 2}, "said.textContent", "12"),
        ("CLICK", {"selector": "#b", "click_count": 3}, "said.textContent", "123"),
        ("CLICK", {"x": 10, "y": 10}, "said.textContent", "1"),
        ("CLICK", {"x": 10, "y": 10, "click_count": 2}, "said.textContent", "12"),
        ("CLICK", {"selector": "#low"}, "said.textContent", "low"),
        ("CLICK", {"selector": "text=Low"}, "said.textContent", "low"),
        ("CLICK", {"selector": 'role=button[name="Low"s]'}, "said.textContent", "low"),
        ("FILL", {"selector": "#field", "text": "new"}, "field.value", "new"),
        ("FILL", {"selector": "#day", "text": "2026-05-04"}, "day.value", "2026-05-04"),
        ("TYPE", {"x": 150, "y": 10, "text": "!"}, "document.activeElement.id", "field"),
        ("PRESS", {"selector": "#field", "key": "Enter"}, "said.dataset.keys", "Enter"),
        ("HOTKEY", {"keys": "Control+a"}, "said.dataset.keys", "Controla"),
        ("SELECT", {"selector": "#s", "option": "Two three"}, "s.selectedIndex", 1),
        ("CHECK", {"selector": "#box"}, "box.checked", True),
        ("UNCHECK", {"selector": "#box"}, "box.checked", False),
        ("HOVER", {"selector": "#b"}, "document.querySelector(':hover > button').id", "b"),
        ("HOVER", {"x": 10, "y": 10}, "document.querySelector(':hover > button').id", "b"),
        ("WAIT", {"seconds": 0.01}, "said.textContent", ""),
    ],
)
def test_effects_of_actions(
    opened: Page, kind: str, parameters: dict[str, Any], expression: str, expected: object
) -> None:
    assert act(opened, kind, **parameters) == Outcome(ok=True)
    assert opened.evaluate(expression) == expected


def test_type_goes_to_the_focused_field_after_its_text(opened: Page) -> None:
    act(opened, "CLICK", selector="#field")
    act(opened, "PRESS", key="End")
    assert act(opened, "TYPE", text="er").ok
    assert opened.evaluate("field.value") == "older"


def test_check_clicks_only_if_the_state_differs(opened: Page) -> None:
    opened.evaluate("box.addEventListener('click', (event) => { said.textContent += 'x'; event.preventDefault() })")
    assert act(opened, "UNCHECK", selector="#box").ok
    assert act(opened, "CHECK", selector="#box").ok, "the outcome must not reveal a swallowed click"
    assert opened.evaluate("said.textContent") == "x"


@pytest.mark.parametrize(
    ("kind", "parameters", "reason", "detail"),
    [
        ("CLICK", {"selector": "#missing"}, "not found", "#missing"),
        ("CLICK", {"selector": "a["}, "invalid", "selector a["),
        ("CLICK", {"selector": "#none"}, "not found", "#none is not visible"),
        ("CLICK", {"selector": "#off"}, "disabled", "#off"),
        ("CLICK", {"selector": "#under"}, "covered by", 'note "Cookies?"'),
        ("CLICK", {"selector": "#gone"}, "detached", "#gone"),
        ("CLICK", {"x": 1280, "y": 10}, "invalid", "(1280, 10) is outside of the viewport"),
        ("HOVER", {"x": 10, "y": -1}, "invalid", "(10, -1) is outside of the viewport"),
        ("FILL", {"selector": "#b", "text": "x"}, "invalid", "#b is not a field"),
        ("FILL", {"selector": "#day", "text": "soon"}, "invalid", "value soon"),
        ("FILL", {"selector": "#box", "text": "x"}, "invalid", "value x"),
        ("PRESS", {"key": "Nokey"}, "invalid", '"Nokey"'),
        ("PRESS", {"selector": "#off", "key": "Enter"}, "disabled", "#off"),
        ("SELECT", {"selector": "#s", "option": "Five"}, "not found", "option Five"),
        ("SELECT", {"selector": "#s", "option": "Four"}, "disabled", "option Four"),
        ("SELECT", {"selector": "#b", "option": "One"}, "invalid", "#b is not a select"),
        ("CHECK", {"selector": "#b"}, "invalid", "#b is not a checkbox or radio button"),
        ("NAVIGATE", {"url": "file:///etc/hosts"}, "invalid", "url file:///etc/hosts"),
        ("NAVIGATE", {"url": "http://127.0.0.1:1/"}, "not found", ""),
        ("GO_BACK", {}, "invalid", "there is no page to go back to"),
        ("GO_FORWARD", {}, "invalid", "there is no page to go forward to"),
    ],
)
def test_reasons_for_refused_actions(
    opened: Page, kind: str, parameters: dict[str, Any], reason: str, detail: str
) -> None:
    outcome = act(opened, kind, **parameters)
    assert (outcome.ok, outcome.reason) == (False, reason)
    assert detail in outcome.detail


def test_history(opened: Page, small_site: SmallSite) -> None:
    assert act(opened, "NAVIGATE", url="/next").ok
    assert act(opened, "GO_BACK").ok
    assert opened.url == small_site.url + "/"
    assert act(opened, "GO_FORWARD").ok
    assert opened.title() == "next"
    assert act(opened, "RELOAD").ok
    assert small_site.requests.count("/next") >= 2


def test_going_back_right_after_a_navigation(opened: Page, small_site: SmallSite) -> None:
    for _ in range(50):
        assert act(opened, "NAVIGATE", url="/next").ok
        assert act(opened, "GO_BACK").ok
        assert opened.url == small_site.url + "/"
        opened.wait_for_load_state()


def test_coordinates_are_of_the_viewport_on_a_scrolled_page(opened: Page) -> None:
    act(opened, "SCROLL", delta=1900)
    assert opened.evaluate("scrollY") == 1900
    assert act(opened, "CLICK", x=20, y=120).ok
    assert opened.evaluate("said.textContent") == "low"


def test_a_scroll_ends_before_its_outcome_is_returned(opened: Page) -> None:
    for _ in range(20):
        for delta, scroll_y in ((700, 700), (-300, 400), (-9000, 0)):
            assert act(opened, "SCROLL", delta=delta).ok
            assert opened.evaluate("scrollY") == scroll_y
    assert act(opened, "SCROLL", delta=-100).ok


def test_a_navigation_without_an_answer_times_out(opened: Page, small_site: SmallSite) -> None:
    small_site.gate.clear()
    assert act(opened, "NAVIGATE", url="/slow").reason == "timed out"
    small_site.gate.set()
