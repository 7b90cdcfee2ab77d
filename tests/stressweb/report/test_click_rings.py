"""Rings on the picture before a click, where the recording has its position."""

import struct
from dataclasses import replace
from typing import Any

import pytest

from stressweb.log.recording import Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.report.click_rings import Ring, click_ring, merged_rings
from stressweb.report.elements import Finder
from stressweb.report.pack import Limits, Pack
from stressweb.report.steps import steps
from tests.support.jpegs import jpeg
from tests.support.small_reports import PIXEL, recorded

HTML = "<html><body><button>Buy</button><input id='c' type='checkbox'><label for='c'>Gift</label></body></html>"


def picture(width: int = 1000, height: int = 500, more: bytes = b"") -> bytes:
    return PIXEL[:16] + struct.pack(">II", width, height) + PIXEL[24:] + more


def page(*boxes: tuple[float, float, float, float] | None, shot: bytes | None = None) -> Shown:
    """Return a page with the boxes of button, checkbox and label."""
    boxes_of_step = ((0.0, 0.0, 1000.0, 400.0),) * 2 if boxes else ()
    return Shown("http://shop.test/", HTML, picture() if shot is None else shot, boxes=(*boxes_of_step, *boxes))


def clicked(before: Shown, *, ok: bool = True, **action: Any) -> Ring | None:
    done = Action.model_validate({"kind": "CLICK", **action})
    step = StepRecord(Shown("http://shop.test/b", "<p>b</p>"), done, Outcome(ok=ok))
    return click_ring(StepRecord(before), 3, step, Finder())


BOX = (100.0, 200.0, 50.0, 20.0)


@pytest.mark.parametrize(
    ("before", "action", "place"),
    [
        (page(), {"x": 250, "y": 50}, (25.0, 10.0)),
        (page(shot=picture(500, 100)), {"x": 250, "y": 50}, (50.0, 50.0)),
        (page(shot=jpeg(500, 250)), {"x": 250, "y": 50}, (25.0, 10.0)),
        (page(BOX, None, None), {"selector": "button"}, (12.5, 42.0)),
        (page(BOX, None, None), {"selector": "button", "x": 1, "y": 1}, (12.5, 42.0)),
        (page(None, None, BOX), {"selector": "#c"}, (12.5, 42.0)),
    ],
)
def test_a_ring_is_at_the_position_of_the_click(
    before: Shown, action: dict[str, Any], place: tuple[float, float]
) -> None:
    assert clicked(before, **action) == Ring(*place, steps=(3,))


@pytest.mark.parametrize(
    ("before", "action"),
    [
        (replace(page(), screenshot=None), {"x": 250, "y": 50}),
        (page(), {"selector": "button"}),
        (page(None, None, None), {"selector": "button"}),
        (page(BOX, None, None), {"selector": "text=Buy"}),
        (page(BOX, None, None), {"selector": "#gone"}),
        (page(BOX, None, None), {"selector": "#gone", "x": 1, "y": 1}),
        (page((100.0, 490.0, 50.0, 20.0), None, None), {"selector": "button"}),
        (page((100.0, -30.0, 50.0, 20.0), None, None), {"selector": "button"}),
        (page(), {"x": 1000, "y": 50}),
        (page(), {"x": -1, "y": 50}),
        (page(shot=b"no picture"), {"x": 1, "y": 1}),
        (page(), {"x": 250, "y": 50, "ok": False}),
        (page(), {"x": 250, "y": 50, "kind": "HOVER"}),
    ],
)
def test_without_a_known_position_there_is_no_ring(before: Shown, action: dict[str, Any]) -> None:
    assert clicked(before, **action) is None


def test_clicks_at_one_place_are_one_ring() -> None:
    rings = merged_rings([Ring(1, 2, (1,)), Ring(3, 4, (2,)), Ring(1, 2, (5,))])
    assert rings == (Ring(1, 2, (1, 5)), Ring(3, 4, (2,)))
    assert [ring.label for ring in rings] == ["clicks of steps 1, 5", "click of step 2"]


def test_the_ring_is_on_the_picture_of_the_page_that_was_clicked() -> None:
    _, record = recorded()
    click = Action(kind="CLICK", x=250, y=50)
    first, second = page(shot=picture(more=b"1")), page(shot=picture(more=b"2"))
    pages_and_actions = [(first, None), (first, click), (second, click), (second, click), (second, Action(kind="DONE"))]
    record.steps = [StepRecord(shown_page, action, Outcome(ok=True)) for shown_page, action in pages_and_actions]
    moments = steps(record, None, Pack(Limits())).moments
    assert [moment.picture is not None for moment in moments] == [True, False, True, False, False]
    assert [[ring.steps for ring in moment.rings] for moment in moments] == [[(1, 2)], [], [(3,)], [], []]
