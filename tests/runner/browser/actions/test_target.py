"""How a target is found, and what is wrong with one that cannot be acted on."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from runner.browser.actions.target import Ended, Refused, find, state_of, wrong_with
from stressweb.plugins.actions import Outcome

pytestmark = pytest.mark.sample(3, "file")

PAGE = """<!DOCTYPE html><button id="one">Save it</button><button id="two">Save it</button><label for="off" id="label">Off</label>
<input id="off" disabled>"""
FINE = {"connected": True, "disabled": False, "visible": True, "cover": ""}


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("button", "one"),
        ("#two", "two"),
        ("text=Save it", "one"),
        ('role=button[name="Save it"s] >> nth=1', "two"),
        ('button:has-text("Save") >> nth=1', "two"),
        ("//button[2]", "two"),
    ],
)
def test_the_first_of_what_a_selector_names(show: Callable[[str], Page], selector: str, found: str) -> None:
    assert find(show(PAGE), selector).get_attribute("id") == found


@pytest.mark.parametrize(
    ("selector", "reason"),
    [
        ("#none", "not found"),
        ("role=link", "not found"),
        ("a[", "invalid"),
        ("nothing=like", "invalid"),
        ("role=", "invalid"),
    ],
)
def test_why_nothing_is_found(show: Callable[[str], Page], selector: str, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        find(show(PAGE), selector)
    assert refused.value.outcome.reason == reason
    assert selector in refused.value.outcome.detail


@pytest.mark.parametrize("selector", ["#one", "text=Save it"])
def test_what_an_element_must_be_is_looked_at_as_it_is_found(show: Callable[[str], Page], selector: str) -> None:
    page = show(PAGE)
    unseen, no_box, no_field = (Outcome(ok=False, reason="invalid", detail=why) for why in ("unseen", "no box", "no"))
    fine = {"visible": unseen, "!disabled": no_box, "!checkable": Outcome(ok=True)}
    assert find(page, selector, None, fine).get_attribute("id") == "one"
    with pytest.raises(Ended) as ended:
        find(page, selector, None, {"visible": unseen, "checkable": no_box, "editable": no_field})
    assert ended.value.outcome == no_box
    with pytest.raises(Ended) as ended:
        find(page, selector, None, {"!visible": Outcome(ok=True)})
    assert ended.value.outcome == Outcome(ok=True)
    with pytest.raises(Refused) as refused:
        find(page, "role=link", None, {"visible": unseen})
    assert refused.value.outcome.reason == "not found"


def test_a_label_is_as_disabled_as_its_field(show: Callable[[str], Page]) -> None:
    page = show(PAGE)
    assert state_of(find(page, "#label"))["disabled"]
    assert not state_of(find(page, "#one"))["disabled"]


@given(st.fixed_dictionaries({key: st.booleans() for key in FINE}))
def test_one_reason_is_given_the_gravest_first(wrong: dict[str, bool]) -> None:
    state: dict[str, Any] = {
        "connected": not wrong["connected"],
        "disabled": wrong["disabled"],
        "visible": not wrong["visible"],
        "cover": "dialog" if wrong["cover"] else "",
    }
    refused = wrong_with(state, "#a")
    reasons = {"connected": "detached", "disabled": "disabled", "visible": "not found", "cover": "covered by"}
    first = next((reasons[key] for key in FINE if wrong[key]), None)
    assert (None if refused is None else refused.outcome.reason) == first
