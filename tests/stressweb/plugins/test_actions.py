"""Actions: required fields, refused values, and the words for outcomes."""

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from stressweb.plugins.actions import LONGEST, Action, Kind, Outcome

FULL: dict[str, Any] = {
    "selector": "#a",
    "to_selector": "#b",
    "text": "t",
    "files": ("n.txt",),
    "accept": True,
    "index": 0,
}
FULL |= {"key": "a", "keys": "Control+a", "url": "/", "option": "o", "x": 1, "y": 1, "to_x": 1, "to_y": 1}


SUFFICES: dict[str, set[str]] = {
    "NAVIGATE": {"url"}, "CLICK": {"selector"}, "TYPE": {"text"}, "FILL": {"selector", "text"}, "PRESS": {"key"},
    "HOTKEY": {"keys"}, "SCROLL": set(), "HOVER": {"x", "y"}, "SELECT": {"selector", "option"}, "CHECK": {"selector"},
    "UNCHECK": {"selector"}, "DRAG": {"selector", "to_x", "to_y"}, "UPLOAD": {"selector", "files"},
    "DIALOG": {"accept"}, "TAB": {"index"}, "CLOSE_TAB": set(), "WAIT": set(), "GO_BACK": set(), "GO_FORWARD": set(),
    "RELOAD": set(), "DONE": set(), "FAIL": set(),
}  # fmt: skip
"""The fields that are sufficient for an action of each kind."""


def test_every_kind_is_covered() -> None:
    assert SUFFICES.keys() == set(get_args(Kind))


@pytest.mark.parametrize("kind", SUFFICES)
def test_these_fields_are_sufficient_and_necessary(kind: str) -> None:
    fields = {name: FULL[name] for name in SUFFICES[kind]}
    assert Action.model_validate({"kind": kind, **fields}).model_dump(include=SUFFICES[kind]) == fields
    for missing in SUFFICES[kind]:
        rest = {name: field for name, field in fields.items() if name != missing}
        with pytest.raises(ValidationError, match=f"{kind} needs .*{missing}"):
            Action.model_validate({"kind": kind, **rest})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "CLICK"}, "CLICK needs a selector, or x and y"),
        ({"kind": "HOVER", "x": 1}, "HOVER needs a selector, or x and y"),
        ({"kind": "DRAG", "to_selector": "#b"}, "DRAG needs a selector, or x and y"),
        ({"kind": "DRAG", "selector": "#a", "to_x": 1}, "DRAG needs a to_selector, or to_x and to_y"),
        ({"kind": "UPLOAD", "files": ["a"], "y": 1}, "UPLOAD needs a selector, or x and y"),
        ({"kind": "UPLOAD", "selector": "#a", "files": []}, "at least 1 item"),
        ({"kind": "TAB", "index": -1}, "greater than or equal to 0"),
        ({"kind": "FLY"}, "Input should be"),
        ({"kind": "FILL", "selector": "#a", "text": "x" * (LONGEST + 1)}, "at most 200000 characters"),
        ({"kind": "CLICK", "selector": "a" * 20_001}, "at most 20000 characters"),
        ({"kind": "WAIT", "minutes": 1}, "Extra inputs"),
    ],
)
def test_refused_actions(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Action.model_validate(fields)


def test_a_dialog_may_be_dismissed_and_the_current_tab_closed() -> None:
    assert Action(kind="DIALOG", accept=False).accept is False
    assert Action(kind="CLOSE_TAB").index is None


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome(ok=True), "done"),
        (Outcome(ok=True, detail="opened tab 1"), "done; opened tab 1"),
        (Outcome(ok=False, reason="covered by", detail='alert "hello"'), 'failed: covered by alert "hello"'),
        (Outcome(ok=False, reason="timed out"), "failed: timed out"),
    ],
)
def test_the_words_for_an_outcome(outcome: Outcome, expected: str) -> None:
    assert str(outcome) == expected
