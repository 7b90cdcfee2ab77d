"""Swallowed actions: said so where ledger and pages agree, and nowhere else."""

from dataclasses import replace
from typing import Any

import pytest

from stressweb.html.marks import Kind
from stressweb.log.ledger import Entry
from stressweb.log.recording import Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Dialog
from stressweb.report.pack import Limits, Pack
from stressweb.report.steps import steps
from stressweb.report.swallowed import no_effect
from tests.stressweb.html.marking import tokens
from tests.stressweb.report.small_reports import recorded

KEY = bytes(range(32))
PAGE = Shown("http://shop.test/", '<html><body><button class="b">Buy</button><p>0 in cart</p></body></html>')
CUE = replace(PAGE, html=PAGE.html.replace('class="b"', 'class="b outlined"'))
BUY = "button 'Buy'"


def entry(phase: str = "delivered", mode: str = "remap", element: str = BUY) -> Entry:
    return Entry.model_validate({"step": 1, "mode": mode, "phase": phase, "element": element})


def said(*ledger: Entry, after: Shown = PAGE, outcome: Outcome = Outcome(ok=True), **action: Any) -> str:  # noqa: B008
    done = Action.model_validate({"kind": "CLICK", "selector": "button", **action})
    step = StepRecord(after, done, outcome)
    return no_effect(StepRecord(PAGE), step, ledger, ("remap", "failure"), KEY)


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
def test_what_a_mode_swallowed_had_no_effect(ledger: list[Entry], action: dict[str, Any], text: str) -> None:
    assert said(*ledger, **action) == text
    assert said(*ledger, after=CUE, **action) == text


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
        # The first press of the two got through.
        ([entry(mode="failure")], {"click_count": 2}),
        ([entry()], {"kind": "HOVER"}),
        ([entry()], {"kind": "DONE"}),
    ],
)
def test_what_was_not_swallowed_is_not_called_so(ledger: list[Entry], action: dict[str, Any]) -> None:
    assert said(*ledger, **action) == ""


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
    assert said(entry(), after=after) == ""


def test_a_failure_and_what_the_browser_did_besides_stay_as_they_are() -> None:
    assert said(entry(), outcome=Outcome(ok=False, reason="covered by")) == ""
    assert said(entry(), outcome=Outcome(ok=True, detail="opened a tab")) == ""


def test_what_a_mode_added_to_the_page_is_no_effect() -> None:
    (token,) = tokens(KEY, 0, Kind.ADDED, 1)
    hinted = replace(PAGE, html=PAGE.html.replace("<p>", f'<div class="{token}">Selected</div><p>'))
    assert said(entry(), after=hinted) == "clicked, no effect"
    strange = replace(PAGE, html=PAGE.html.replace("<p>", '<div class="other">Selected</div><p>'))
    assert said(entry(), after=strange) == ""


def test_steps_say_it_where_it_was_swallowed_and_only_there() -> None:
    _, record = recorded()
    moments = steps(record, None, Pack(Limits()), ("remap",)).moments
    assert [moment.no_effect for moment in moments] == ["", "clicked, no effect", "", ""]
    _, clean = recorded(condition="clean")
    assert not any(moment.no_effect for moment in steps(clean, None, Pack(Limits()), ("remap",)).moments)
