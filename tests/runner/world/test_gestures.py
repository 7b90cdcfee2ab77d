"""The effect of modes on a gesture is described in a sentence with mode, gesture and control."""

import pytest

from stressweb.core.conditions import parse
from stressweb.perturbations import MODES
from stressweb.plugins.rule import Control
from stressweb.runner.world.gestures import GestureLog, described, first_words

BUY, NAME = Control("k", "button", "Buy"), Control("n", "textbox", "Name")


@pytest.mark.parametrize(
    ("mode", "event", "control", "attempt", "expected"),
    [
        ("failure", "hit", BUY, 0, "This click on button 'Buy' was swallowed by failure@3."),
        ("failure", "hit", NAME, 0, "This entry into textbox 'Name' was swallowed by failure@3."),
        ("failure", "passed", BUY, 0, "failure@3 let this click on button 'Buy' pass."),
        ("failure", "passed", NAME, 1, "failure@3 let this entry into textbox 'Name' pass, attempt 2."),
        ("remap", "hit", BUY, 0, "remap@3: button 'Buy' needs a double click. A single click only selects it."),
        ("remap", "passed", BUY, 0, "remap@3: button 'Buy' got its double click."),
        ("remap_explicit", "passed", BUY, 0, "remap_explicit@3: button 'Buy' got its double click."),
        ("popup", "hit", BUY, 0, "popup@3 interrupted this click on button 'Buy'. Its dialog says how to go on."),
        ("popup", "hit", None, 0, "popup@3 interrupted the load of this page."),
        ("popup", "passed", BUY, 0, "The dialog of popup@3 is answered."),
        ("popup", "clear", BUY, 0, ""),
        ("own", "hit", BUY, 0, "own@3 disturbed this click on button 'Buy'."),
        ("own", "hit", None, 0, "own@3 disturbed this page."),
    ],
)
def test_a_decision_in_words(mode: str, event: str, control: Control | None, attempt: int, expected: str) -> None:
    assert described(mode, f"{mode}@3", event, control, attempt) == expected


def test_lines_have_numbers_and_pages_their_counts() -> None:
    (condition,) = parse("failure@2+noise@4", MODES)
    log = GestureLog(condition)
    log.decided("failure", "hit", BUY, 0)
    log.decided("failure", "clear", BUY, 0)
    log.decided("failure", "passed", BUY, 1)
    assert [(line.number, line.kind) for line in log.since(0)] == [(1, "held"), (2, "passed")]
    assert [line.text for line in log.since(1)] == ["failure@2 let this click on button 'Buy' pass, attempt 2."]
    log.loaded("/a")
    log.changed("noise", "/a", 7)
    log.changed("noise", "/a", 2)
    assert (dict(log.places("/a")), dict(log.places("/b"))) == ({"noise@4": 9}, {})
    # A reload is a new document.
    log.loaded("/a")
    assert dict(log.places("/a")) == {}


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("clean", "Under clean nothing is disturbed: every click and entry takes effect."),
        ("sham", "Under sham nothing is disturbed: every click and entry takes effect."),
        (
            "chaos@5",
            "chaos@5 changes pages and disturbs no click or entry. The number of changed places is shown above.",
        ),
        (
            "chaos@2+noise@5",
            (
                "chaos@2+noise@5 change pages and disturb no click or entry. The number of changed places is shown above."
                " With noise, this is about two seconds after a page has loaded."
            ),
        ),
        ("failure@5", "Click or type in the page above: what happens to each gesture is shown here."),
        ("remap@5+noise@5", "Click or type in the page above: what happens to each gesture is shown here."),
    ],
)
def test_first_words_before_any_gesture(label: str, expected: str) -> None:
    (condition,) = parse(label, MODES)
    assert first_words(condition) == expected
