"""Swallowed actions are marked only where ledger and pages agree."""

from dataclasses import replace
from typing import Any

import pytest

from stressweb.log.ledger import Entry
from stressweb.log.recording import Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Dialog
from stressweb.report.pack import Limits, Pack
from stressweb.report.steps import steps
from stressweb.report.swallowed import no_effect
from tests.support.small_reports import recorded

PAGE = Shown("http://shop.test/", '<html><body><button class="b">Buy</button><p>0 in cart</p></body></html>')
CUE = replace(PAGE, html=PAGE.html.replace('class="b"', 'class="b outlined"'))
BUY = "button 'Buy'"


def entry(phase: str = "delivered", mode: str = "remap", element: str = BUY) -> Entry:
    return Entry.model_validate({"step": 1, "mode": mode, "phase": phase, "element": element})


def effect_note(
    *ledger: Entry,
    before: Shown = PAGE,
    after: Shown = PAGE,
    outcome: Outcome = Outcome(ok=True),  # noqa: B008
    **action: Any,
) -> str:
    done = Action.model_validate({"kind": "CLICK", "selector": "button", **action})
    step = StepRecord(after, done, outcome)
    return no_effect(StepRecord(before), step, ledger, ("remap", "failure"))


@pytest.mark.parametrize(
    ("ledger", "action", "text"),
    [
        ([entry()], {}, "clicked, no effect"),
        ([entry(mode="failure")], {}, "clicked, no effect"),
        ([entry(mode="failure"), entry(mode="failure")], {"click_count": 2}, "clicked, no effect"),
        ([entry(), entry("overcome"), entry(mode="failure")], {"click_count": 2}, "clicked, no effect"),
        ([entry()], {"kind": "PRESS", "key": "Enter"}, "pressed, no effect"),
        ([entry(mode="failure")], {"kind": "FILL", "text": "a"}, "filled in, no effect"),
        ([entry(mode="failure")], {"kind": "SELECT", "option": "a"}, "selected, no effect"),
    ],
)
def test_swallowed_actions_had_no_effect(ledger: list[Entry], action: dict[str, Any], text: str) -> None:
    assert effect_note(*ledger, **action) == text
    assert effect_note(*ledger, after=CUE, **action) == text


@pytest.mark.parametrize(
    ("ledger", "action"),
    [
        ([], {}),
        ([entry("planned")], {}),
        ([entry("met")], {}),
        ([entry(element="")], {}),
        ([entry(mode="popup")], {}),
        ([entry(mode="noise")], {}),
        ([entry(), entry("overcome")], {"click_count": 2}),
        ([entry(mode="failure"), entry("overcome", mode="failure")], {}),
        # One of the two presses had its effect.
        ([entry(mode="failure")], {"click_count": 2}),
        ([entry()], {"kind": "HOVER"}),
        ([entry()], {"kind": "DONE"}),
    ],
)
def test_other_actions_are_not_marked(ledger: list[Entry], action: dict[str, Any]) -> None:
    assert effect_note(*ledger, **action) == ""


@pytest.mark.parametrize(
    "after",
    [
        replace(PAGE, url="http://shop.test/cart"),
        replace(PAGE, html=PAGE.html.replace("0 in", "1 in")),
        replace(PAGE, html=PAGE.html.replace("</p>", "</p><input value='typed'>")),
        replace(PAGE, dialog=Dialog("alert", "Sure?")),
        replace(PAGE, tabs=("one", "two")),
    ],
)
def test_a_page_that_changed_is_an_effect(after: Shown) -> None:
    assert effect_note(entry(), after=after) == ""


def test_failed_actions_and_those_with_a_detail_are_not_marked() -> None:
    assert effect_note(entry(), outcome=Outcome(ok=False, reason="covered by")) == ""
    assert effect_note(entry(), outcome=Outcome(ok=True, detail="opened a tab")) == ""


def test_nodes_that_a_mode_added_are_no_effect() -> None:
    copy = f"<!--sw1-notes-->{PAGE.html}"
    before = Shown.of(PAGE.url, copy)
    hinted = Shown.of(PAGE.url, copy.replace("<p>", '<div sw1-kind="added">Selected</div><p>'))
    assert effect_note(entry(), before=before, after=hinted) == "clicked, no effect"
    strange = Shown.of(PAGE.url, copy.replace("<p>", "<div>Selected</div><p>"))
    assert effect_note(entry(), before=before, after=strange) == ""


def test_only_swallowed_steps_are_marked() -> None:
    _, record = recorded()
    moments = steps(record, None, Pack(Limits()), ("remap",)).moments
    assert [moment.no_effect for moment in moments] == ["", "clicked, no effect", "", ""]
    _, clean = recorded(condition="clean")
    assert not any(moment.no_effect for moment in steps(clean, None, Pack(Limits()), ("remap",)).moments)
