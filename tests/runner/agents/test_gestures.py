import lxml.html
import pytest

from stressweb.perception.dom_view import DomView
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Box, Observation
from stressweb.plugins.steps import Step
from stressweb.runner.agents.gestures import ByCoordinates, BySelector, ByTree, Gesture, pick


def reading(html: str, box: Box = (10, 100, 80, 20)) -> DomView:
    root = lxml.html.document_fromstring(html)
    return DomView(Observation(url="http://shop.test/", html=html, boxes=[box for _ in root.iter("*")]))


def test_a_click_comes_before_any_other_gesture() -> None:
    assert pick(0, None) == "once"


def test_a_control_that_shows_no_sign_is_not_doubled_while_loss_is_likely() -> None:
    assert [pick(tries, None) for tries in range(6)] == ["once", "key", "key", "key", "once", "key"]
    assert "twice" not in [pick(tries, None) for tries in range(15)]
    assert pick(15, None) == "twice"


def test_a_marked_control_is_doubled_and_then_given_two_keys_in_a_row() -> None:
    assert [pick(tries, 1) for tries in range(1, 8)] == ["twice"] * 4 + ["key"] * 2 + ["twice"]


def test_the_tree_pointer_uses_the_keyboard_and_sometimes_clicks() -> None:
    picked = [ByTree().pick(tries, None) for tries in range(20)]
    assert picked[:2] == ["key", "key"]
    assert picked.index("once") == 6
    assert picked.index("twice") == 15


BUTTON = "<button id=b>Buy</button>"
FIELD = "<input id=b aria-label=Name value='{}'>"
PRESS = Step(verb="press", target="Buy")
ENTER = Step(verb="enter", target="Name", value="Ann")


@pytest.mark.parametrize(
    ("html", "step", "gesture", "expected"),
    [
        (BUTTON, PRESS, "once", Action(kind="CLICK", selector='[id="b"]')),
        (BUTTON, PRESS, "twice", Action(kind="CLICK", selector='[id="b"]', click_count=2)),
        (BUTTON, PRESS, "key", Action(kind="PRESS", selector='[id="b"]', key="Enter")),
        (FIELD, ENTER, "key", Action(kind="FILL", selector='[id="b"]', text="Ann")),
        (
            "<input type=checkbox id=b aria-label=On>",
            Step(verb="tick", target="On"),
            "key",
            Action(kind="PRESS", selector='[id="b"]', key="Space"),
        ),
        (
            "<select id=b aria-label=Size><option> Extra\u200b large</select>",
            Step(verb="choose", target="Size", value="extra large"),
            "twice",
            Action(kind="SELECT", selector='[id="b"]', option="Extra large"),
        ),
    ],
)
def test_by_selector(html: str, step: Step, gesture: Gesture, expected: Action) -> None:
    page = reading(html)
    element = page.root.get_element_by_id("b")
    assert BySelector().do(page, step, element, gesture) == [expected]
    assert BySelector().aim(page, element) is None


@pytest.mark.parametrize(
    ("html", "step", "gesture", "expected"),
    [
        (BUTTON, PRESS, "once", [Action(kind="CLICK", x=50, y=110)]),
        (BUTTON, PRESS, "twice", [Action(kind="CLICK", x=50, y=110, click_count=2)]),
        (BUTTON, PRESS, "key", [Action(kind="PRESS", key="Enter")]),
        (FIELD.format(""), ENTER, "once", [Action(kind="TYPE", x=50, y=110, text="Ann")]),
        (
            FIELD.format("Bob"),
            ENTER,
            "once",
            [Action(kind="CLICK", x=50, y=110, click_count=3), Action(kind="TYPE", text="Ann")],
        ),
        (
            FIELD.format("Bob"),
            Step(verb="enter", target="Name", value=""),
            "once",
            [Action(kind="CLICK", x=50, y=110, click_count=3), Action(kind="PRESS", key="Delete")],
        ),
        (
            "<textarea id=b>Bob</textarea>",
            ENTER,
            "once",
            [
                Action(kind="CLICK", x=50, y=110),
                Action(kind="HOTKEY", keys="Control+a"),
                Action(kind="TYPE", text="Ann"),
            ],
        ),
    ],
)
def test_by_coordinates(html: str, step: Step, gesture: Gesture, expected: list[Action]) -> None:
    page = reading(html)
    assert ByCoordinates().do(page, step, page.root.get_element_by_id("b"), gesture) == expected


def test_coordinates_bring_a_target_into_view_and_stop_where_nothing_moves() -> None:
    pointer = ByCoordinates()
    page = reading(BUTTON, (10, 1500, 80, 20))
    button = page.root.get_element_by_id("b")
    assert pointer.aim(page, button) == Action(kind="SCROLL", delta=1190)
    assert pointer.aim(page, button) is None
    nearby_page = reading(BUTTON)
    assert pointer.aim(nearby_page, nearby_page.root.get_element_by_id("b")) is None


def test_coordinates_do_not_scroll_again_and_again_at_the_end_of_a_page() -> None:
    """A scroll between two keys would separate them, and keys could not open a link at the very bottom."""
    pointer = ByCoordinates()
    last = reading(BUTTON, (10, 740, 80, 20))
    button = last.root.get_element_by_id("b")
    assert pointer.aim(last, button) == Action(kind="SCROLL", delta=430)
    assert [pointer.aim(last, button) for _ in range(3)] == [None] * 3
    # After the target was in view once, a reload scrolls to it again.
    nearby_page = reading(BUTTON)
    assert pointer.aim(nearby_page, nearby_page.root.get_element_by_id("b")) is None
    assert pointer.aim(last, button) is not None


def test_coordinates_turn_the_wheel_beside_the_number_that_they_entered() -> None:
    pointer = ByCoordinates()
    form = reading("<label>Name <input id=b type=number></label>")
    pointer.do(form, ENTER, form.root.get_element_by_id("b"), "once")
    lower_page = reading(BUTTON, (10, 1500, 80, 20))
    assert pointer.aim(lower_page, lower_page.root.get_element_by_id("b")) == Action(
        kind="SCROLL", delta=1190, x=4, y=320
    )
