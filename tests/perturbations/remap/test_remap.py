"""Remap: the effects of a click, two clicks, a double click and keys, and the outline."""

import re

import pytest

from tests.support.toy_stage import Set

pytestmark = pytest.mark.sample(4, "file")


def test_two_single_clicks_are_two_selections(stage: Set) -> None:
    """Two CLICK actions never add up to a double click."""
    toy = stage("remap@5")
    for _ in range(2):
        toy.page.click("#save")
    toy.read()
    assert toy.posts() == []
    assert [entry.element for entry in toy.lines("delivered")] == ["button 'Save it'"] * 2


def test_a_double_click_acts_exactly_once(stage: Set) -> None:
    """The second click passes natively, and the form is sent once."""
    toy = stage("remap@5")
    toy.page.fill("#name", "Ada")
    toy.page.dblclick("#save")
    toy.arrived()
    assert toy.posts() == ["name=Ada&day=&size=one&note="]
    assert [entry.element for entry in toy.lines("overcome")] == ["button 'Save it'"]


def test_a_triple_click_acts_once(stage: Set) -> None:
    """Only the second click of a run acts; the third selects again."""
    toy = stage("remap@5")
    toy.page.click("label:has(input)", click_count=3)
    assert toy.page.is_checked("[name=agree]")


@pytest.mark.parametrize("target", ["[name=agree]", "label:has(input)"])
def test_a_box_and_its_label_are_one_control(stage: Set, target: str) -> None:
    """A label click is one action, decided for the label's box."""
    toy = stage("remap@5")
    toy.page.click(target)
    assert not toy.page.is_checked("[name=agree]")
    toy.page.dblclick(target)
    assert toy.page.is_checked("[name=agree]")
    assert {entry.element for entry in toy.lines("delivered")} == {"checkbox 'Agree'"}


def test_coordinates_and_control_click(stage: Set) -> None:
    """A click by coordinates, or with a modifier, is decided like any other."""
    toy = stage("remap@5")
    box = toy.page.locator("text=Alpha page").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    toy.page.mouse.click(*middle)
    toy.page.click("text=Alpha page", modifiers=["Control"])
    toy.page.click("text=Alpha page", button="middle")
    assert len(toy.page.context.pages) == 1
    assert toy.page.url == "http://toy.test/"
    toy.page.mouse.dblclick(*middle)
    toy.page.wait_for_url("**/alpha")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_second_key_press_acts(stage: Set, key: str) -> None:
    """Enter or Space twice acts; another user event in between starts anew."""
    toy = stage("remap@5")
    toy.page.focus("#save")
    toy.page.keyboard.press(key)
    toy.page.keyboard.press("Shift")
    toy.page.keyboard.press(key)
    toy.read()
    assert toy.posts() == []
    toy.page.keyboard.press(key)
    toy.arrived()
    assert len(toy.posts()) == 1


@pytest.mark.parametrize("field", ["#name", "[name=word]"])
def test_enter_in_a_field(stage: Set, field: str) -> None:
    """Implicit submission is a press of the button, or of the form where it has no button."""
    toy = stage("remap@5")
    toy.page.fill(field, "x")
    toy.page.press(field, "Enter")
    toy.read()
    assert toy.posts() == []
    toy.page.press(field, "Enter")
    toy.arrived()
    assert len(toy.posts()) == 1


@pytest.mark.parametrize("script", ["document.querySelector('#save').click()", "document.forms[0].requestSubmit()"])
def test_no_way_around_by_script(stage: Set, script: str) -> None:
    """A press by a script is decided like a press by a user."""
    toy = stage("remap@5")
    toy.page.evaluate(script)
    toy.read()
    assert toy.posts() == []


def test_the_first_try_shows(stage: Set) -> None:
    """A click that only selects shows an outline, and changes no markup."""
    toy = stage("remap@5")
    before, markup = toy.page.screenshot(), toy.read()
    toy.page.click("#save")
    assert toy.page.screenshot() != before
    assert toy.page.evaluate("getComputedStyle(document.querySelector('#save')).outlineStyle") == "solid"
    assert toy.read() == markup


def test_an_ordinary_control_acts_twice_on_a_double_click(stage: Set) -> None:
    """A double click on a control that is not remapped acts twice."""
    toy = stage("remap@0")
    toy.page.dblclick("[name=agree]")
    assert not toy.page.is_checked("[name=agree]")
    assert toy.lines("delivered") == []


def test_what_is_remapped_at_a_severity_is_remapped_at_every_higher_one(stage: Set) -> None:
    """One draw for each control is compared with the share of every severity."""
    planned = []
    for severity in range(6):
        toy = stage(f"remap@{severity}")
        toy.read()
        planned.append(next(entry.count for entry in toy.episode.perturber.entries if entry.phase == "planned"))
    assert planned == sorted(planned)
    assert (planned[0], planned[5]) == (0, 5)


def test_the_explicit_mode_says_so_and_remaps_the_same(stage: Set) -> None:
    """The instruction is in the DOM, the accessibility tree and the picture from the first page on."""
    plain, explicit = stage("remap@3"), stage("remap_explicit@3")
    assert re.search("double.click|twice", explicit.page.locator("body").aria_snapshot())
    assert not re.search("double.click|twice", plain.page.locator("body").aria_snapshot())
    assert explicit.page.locator("body > p").first.bounding_box() is not None
    plain.read()
    explicit.read()
    counts = [next(e.count for e in toy.episode.perturber.entries if e.phase == "planned") for toy in (plain, explicit)]
    # The instruction itself is one more disturbance.
    assert counts[0] + 1 == counts[1]
    assert not explicit.page.evaluate("document.querySelector('script')")
