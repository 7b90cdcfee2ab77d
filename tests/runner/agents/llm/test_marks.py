"""Marks: numbers drawn on a copy of the screenshot, and elements selected by their number."""

import io

import lxml.html
import pytest
from PIL import Image

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Box, Observation
from stressweb.runner.agents.llm.answer import Unreadable
from stressweb.runner.agents.llm.marks import MOST, Marks

PAGE = """<html><body><h1>Lamps</h1><a href="/oslo">Oslo lamp</a><label for="n">Quantity</label><input id="n" value="2">
<label for="t">Wrap it</label><input id="t" type="checkbox" checked><select aria-label="Size"><option>S<option selected>L
</select><div draggable="true">Card</div><button disabled>Buy</button><a id="below" href="/x">Far below</a></body></html>"""
PLACES: dict[str, Box] = {
    "h1": (10, 10, 200, 30), "a": (10, 50, 80, 20), "input#n": (10, 80, 80, 20), "label[for=t]": (10, 110, 80, 20),
    "select": (10, 140, 80, 20), "div": (10, 170, 80, 20), "button": (10, 200, 80, 20), "#below": (10, 900, 80, 20),
}  # fmt: skip


def png(width: int = 320, height: int = 240) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(buffer, "PNG")
    return buffer.getvalue()


def observed(html: str = PAGE, places: dict[str, Box] = PLACES) -> Observation:
    root = lxml.html.document_fromstring(html)
    boxes = {root.cssselect(selector)[0]: box for selector, box in places.items()}
    return Observation(
        "http://toy.local/", html, [boxes.get(element) for element in root.iter("*")], screenshots=(png(),)
    )


def test_visible_controls_have_numbers() -> None:
    assert str(Marks(observed())).splitlines() == [
        '1: link "Oslo lamp"',
        '2: textbox "Quantity" = "2"',
        '3: checkbox "Wrap it" (on)',
        '4: combobox "Size" = "L"',
        '5: div "Card"',
        '6: button "Buy" (disabled)',
    ]


def test_the_numbers_are_drawn_on_a_copy() -> None:
    observation = observed()
    before = observation.screenshots[0]
    drawn = Image.open(io.BytesIO(Marks(observation).drawn()))
    assert observation.screenshots == (before,) == (png(),)
    assert drawn.size == (320, 240)
    white = (255, 255, 255)
    # The outline of the link, its middle, the tag above it, and the heading, which is no control.
    assert [drawn.getpixel(place) == white for place in ((90, 60), (50, 60), (12, 46), (10, 20))] == [
        False, True, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["mark=2", "2", " [2] ", "#2", "mark = 2"])
def test_an_element_is_named_by_its_number(written: str) -> None:
    action = Marks(observed()).named(Action(kind="FILL", selector=written, text="3"))
    assert action == Action(kind="FILL", selector='[id="n"]', text="3")


def test_a_box_that_is_not_drawn_is_pressed_by_its_label_and_ticked_by_itself() -> None:
    marks, root = Marks(observed()), lxml.html.document_fromstring(PAGE)
    press, tick = (
        marks.named(Action.model_validate({"kind": kind, "selector": "mark=3"})) for kind in ("CLICK", "CHECK")
    )
    assert root.cssselect(press.selector or "") == root.cssselect("label[for=t]")
    assert tick.selector == '[id="t"]'


def test_both_ends_of_a_drag_may_be_numbers_and_other_selectors_stay() -> None:
    marks = Marks(observed())
    assert marks.named(Action(kind="DRAG", selector="mark=5", to_selector="mark=2")).to_selector == '[id="n"]'
    plain = Action(kind="CLICK", selector='text="2"')
    assert marks.named(plain) is plain


@pytest.mark.parametrize("number", [0, 7, 9999])
def test_an_unknown_number_is_refused(number: int) -> None:
    with pytest.raises(Unreadable, match=f"there is no mark {number}; the marks are 1 to 6"):
        Marks(observed()).named(Action(kind="CLICK", selector=f"mark={number}"))


def test_the_number_of_marks_is_limited() -> None:
    html = "<html><body>" + "<a href='/'>x</a>" * (MOST + 5) + "</body></html>"
    elements = [*lxml.html.document_fromstring(html).iter("*")]
    boxes: list[Box | None] = [(0, 0, 9, 9) if element.tag == "a" else None for element in elements]
    marks = Marks(Observation("http://toy.local/", html, boxes, screenshots=(png(),)))
    assert len(str(marks).splitlines()) == MOST


def test_covered_elements_have_no_number() -> None:
    html = PAGE.replace("</body>", "<div role='dialog'><button id='no'>No</button></div></body>")
    dialog: dict[str, Box] = {"[role=dialog]": (0, 70, 200, 90), "#no": (10, 80, 40, 20)}
    places = {name: place for name, place in PLACES.items() if name != "div"} | dialog
    assert [line.partition(": ")[2] for line in str(Marks(observed(html, places))).splitlines()] == [
        'link "Oslo lamp"', 'button "Buy" (disabled)', 'button "No"',
    ]  # fmt: skip
