"""Dragging: native drag and drop, pointer events, by selector and by position, near and far."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from scripts.waited import perform
from stressweb.plugins.actions import Action, Outcome

pytestmark = pytest.mark.sample(4, "file")

SORTED = """<!DOCTYPE html><style>body { margin: 0 } li { height: 40px; width: 200px; list-style: none } ul { margin: 0; padding: 0 }
#far { margin-top: 3000px; height: 60px; background: silver } #cover { position: absolute; left: 400px; top: 0; width: 90px; height: 90px; background: red }
#under { position: absolute; left: 400px; top: 0; width: 50px; height: 50px }</style>
<ul id="list"><li id="a" draggable="true">a</li><li id="b" draggable="true">b</li><li id="c" draggable="true">c</li><li id="d" draggable="true">d</li></ul>
<div id="under">under</div><div id="cover" role="note">Over it</div><button id="off" disabled>Off</button><p id="hidden" hidden>none</p><div id="far">far</div>
<script>
  let moved = null;
  window.clicks = 0;
  addEventListener("click", () => window.clicks++);
  list.addEventListener("dragstart", (event) => { moved = event.target; event.dataTransfer.setData("text/plain", moved.id); });
  list.addEventListener("dragover", (event) => event.preventDefault());
  list.addEventListener("drop", (event) => { event.preventDefault(); event.target.closest("li").before(moved); });
  far.addEventListener("dragover", (event) => event.preventDefault());
  far.addEventListener("drop", (event) => { far.textContent = event.dataTransfer.getData("text/plain"); });
</script>"""
SLIDER = """<!DOCTYPE html><style>body { margin: 0 } #rail { position: absolute; left: 100px; top: 50px; width: 400px; height: 20px; background: silver; touch-action: none }
#knob { position: absolute; left: 0; top: 0; width: 20px; height: 20px; background: black }</style>
<div id="rail"><div id="knob"></div></div><p id="said"></p>
<script>
  window.seen = 0;
  knob.onpointerdown = (event) => knob.setPointerCapture(event.pointerId);
  knob.onpointermove = (event) => {
    if (!knob.hasPointerCapture(event.pointerId)) return;
    window.seen++;
    knob.style.left = Math.max(0, Math.min(380, event.clientX - 110)) + "px";
  };
  knob.onpointerup = () => { said.textContent = parseFloat(knob.style.left); };
</script>"""
ORDER = "[...document.querySelectorAll('li')].map((item) => item.id).join('')"


def drag(page: Page, **parameters: Any) -> Outcome:
    outcome: Outcome = perform(page, Action.model_validate({"kind": "DRAG", **parameters}))
    return outcome


@pytest.mark.parametrize(
    ("parameters", "order"),
    [
        ({"selector": "#d", "to_selector": "#a"}, "dabc"),
        ({"selector": "#a", "to_selector": "#d"}, "bcad"),
        ({"x": 20, "y": 140, "to_x": 20, "to_y": 60}, "adbc"),
        ({"selector": "#c", "to_x": 20, "to_y": 20}, "cabd"),
        ({"x": 20, "y": 20, "to_selector": "#c"}, "bacd"),
    ],
)
def test_a_list_is_sorted_by_drag_and_drop(show: Callable[[str], Page], parameters: dict[str, Any], order: str) -> None:
    page = show(SORTED)
    assert drag(page, **parameters) == Outcome(ok=True)
    assert page.evaluate(ORDER) == order
    assert page.evaluate("clicks") == 0


def test_a_place_out_of_view_is_scrolled_to(show: Callable[[str], Page]) -> None:
    page = show(SORTED)
    assert drag(page, selector="#b", to_selector="#far") == Outcome(ok=True)
    assert page.inner_text("#far") == "b"


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(to=st.integers(110, 490), by_selector=st.booleans())
def test_a_slider_follows_the_pointer(show: Callable[[str], Page], to: int, by_selector: bool) -> None:
    page = show(SLIDER)
    start = {"selector": "#knob"} if by_selector else {"x": 110, "y": 60}
    assert drag(page, **start, to_x=to, to_y=60) == Outcome(ok=True)
    assert page.inner_text("#said") == str(to - 110)
    assert page.evaluate("seen") > 2, "the pointer passes the places between"


@pytest.mark.parametrize(
    ("parameters", "reason", "detail"),
    [
        ({"selector": "#gone", "to_selector": "#a"}, "not found", "#gone"),
        ({"selector": "#a", "to_selector": "#gone"}, "not found", "#gone"),
        ({"selector": "#a", "to_selector": "#hidden"}, "not found", "#hidden is not visible"),
        ({"selector": "#a", "to_selector": "#under"}, "covered by", 'note "Over it"'),
        ({"selector": "#under", "to_selector": "#a"}, "covered by", 'note "Over it"'),
        ({"selector": "#off", "to_selector": "#a"}, "disabled", "#off"),
        ({"selector": "#a", "to_x": 1300, "to_y": 1}, "invalid", "(1300, 1) is outside of the viewport"),
        ({"x": -1, "y": 5, "to_selector": "#a"}, "invalid", "(-1, 5) is outside of the viewport"),
    ],
)
def test_a_refused_drag_moves_nothing(
    show: Callable[[str], Page], parameters: dict[str, Any], reason: Any, detail: str
) -> None:
    page = show(SORTED)
    assert drag(page, **parameters) == Outcome(ok=False, reason=reason, detail=detail)
    assert page.evaluate(ORDER) == "abcd"
    assert page.evaluate("clicks") == 0
