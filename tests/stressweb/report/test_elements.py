"""Labels of elements, by the page before the action, or none."""

import pytest

from stressweb.log.recording import Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.report.elements import Finder
from stressweb.report.pack import Limits, Pack
from stressweb.report.steps import steps
from tests.support.small_reports import recorded

PAGE = """<!doctype html><html><body><h1>Shop</h1><nav><a class="first" href="/bags">Bags and
 <b>Luggage</b></a></nav><div id="card">Look at <i>this</i></div><div class="empty"></div>
<form><label for="q">Quantity</label><input id="q" type="number"><input type="submit" value="Buy"></form>
<p aria-label="Note">text</p><button title="Close"></button><a href="/x">WORD</a></body></html>"""


def finding(selector: str, html: str = PAGE, **changes: object) -> list[tuple[str, str]]:
    before = StepRecord(Shown("http://shop.test/", html))
    kind = "DRAG" if "to_selector" in changes else "CLICK"
    outcome = changes.pop("outcome", Outcome(ok=True))
    action = Action.model_validate({"kind": kind, "selector": selector, **changes})
    after = StepRecord(Shown("http://shop.test/bags", "<p>elsewhere</p>"), action, outcome)  # type: ignore[arg-type]
    return [(element.before, element.label) for element in Finder().elements(before, after)]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("a.first", 'link "Bags and Luggage"'),
        ("html > body:nth-of-type(1) > nav:nth-of-type(1) > a:nth-of-type(1)", 'link "Bags and Luggage"'),
        ('[id="q"]', 'spinbutton "Quantity"'),
        ("form > [type=submit]", 'button "Buy"'),
        ("button", 'button "Close"'),
        ("#card", 'div "Look at this"'),
        ("p", 'p "Note"'),
        (".empty", "div"),
        ("a", 'link "Bags and Luggage"'),
    ],
)
def test_an_element_is_labelled_by_role_and_name(selector: str, expected: str) -> None:
    assert finding(selector) == [("", expected)]


@pytest.mark.parametrize(
    "selector",
    ["#gone", "text=Buy", "a >> nth=0", 'a:has-text("Bags")', "//a", "a[", "", "a ~ a", "p:has(b)", "a" * 3000],
)
def test_elements_that_plain_css_does_not_find_have_no_label(selector: str) -> None:
    assert finding(selector) == []


@pytest.mark.parametrize("html", ["", " ", "<!-- -->", "\0"])
def test_an_empty_page_has_no_elements(html: str) -> None:
    assert finding("a", html) == []


@pytest.mark.parametrize("reason", ["not found", "invalid"])
def test_elements_that_the_browser_did_not_find_have_no_label(reason: str) -> None:
    assert finding("a", outcome=Outcome.model_validate({"ok": False, "reason": reason})) == []


def test_both_ends_of_a_drag_are_labelled_and_long_names_cut() -> None:
    assert finding("a", to_selector="#card") == [("", 'link "Bags and Luggage"'), ("to", 'div "Look at this"')]
    ((_, description),) = finding("a + a", PAGE.replace("<a href", "<a></a><a href").replace("WORD", "word " * 100))
    assert description.endswith('word…"')
    assert len(description) <= len('link ""') + 80


def test_hidden_parts_are_left_out_if_boxes_were_recorded() -> None:
    html = "<html><body><a href='/x'><span>Seen</span><span>Unseen</span></a></body></html>"
    box = (1.0, 2.0, 30.0, 40.0)
    before = StepRecord(Shown("http://shop.test/", html, boxes=(box, box, box, box, None)))
    after = StepRecord(Shown("http://shop.test/x", html), Action(kind="CLICK", selector="a"), Outcome(ok=True))
    assert [element.label for element in Finder().elements(before, after)] == ['link "Seen"']


def test_a_step_shows_the_element_in_place_of_its_selector() -> None:
    _, record = recorded(html=PAGE)
    _, first, second, _ = steps(record, None, Pack(Limits())).moments
    assert [(element.label, element.selector) for element in first.elements] == [('link "Bags and Luggage"', "a.first")]
    assert first.parameters == ()
    assert second.elements == ()
    assert second.parameters == (("selector", '"#buy"'), ("click_count", "2"))
