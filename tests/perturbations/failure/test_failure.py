"""Failure: one decision for each user action, by whatever path it comes."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.perturbations.toy_gestures import BY_PRESS, by_entry
from tests.support.toy import PAGE, Toy
from tests.support.toy_stage import Set, stage

# Whole episodes, unlike the other tests of this folder.
__all__ = ["stage"]

BY_ENTRY = by_entry(("lines", lambda page: page.type("textarea", "One\nTwo\nThree"), "note"))


@pytest.mark.sample(2)
@BY_ENTRY
def test_an_entry_fails_whole_and_once(stage: Set, entry: Callable[[Page], None], field: str) -> None:
    """However many events an entry has, it is one decision, and the field keeps its old value."""
    toy = stage("failure(rate=1)")
    before = toy.page.input_value(f"[name={field}]")
    entry(toy.page)
    assert toy.page.input_value(f"[name={field}]") == before
    assert len(toy.lines("delivered")) == 1


@pytest.mark.sample(1)
@BY_ENTRY
def test_an_entry_takes_effect_at_rate_zero(stage: Set, entry: Callable[[Page], None], field: str) -> None:
    """The machinery alone changes nothing."""
    toy = stage("failure@0")
    before = toy.page.input_value(f"[name={field}]")
    entry(toy.page)
    assert toy.page.input_value(f"[name={field}]") != before
    assert toy.lines("delivered") == []


def test_the_recorders_read_ends_an_entry(stage: Set) -> None:
    """Two TYPE actions in a row are two decisions; without a read between them they are one."""
    toy = stage("failure(rate=1)")
    toy.page.focus("#name")
    toy.page.keyboard.type("Ada")
    toy.page.keyboard.type("Ada")
    assert len(toy.lines("delivered")) == 1
    toy.read()
    toy.page.keyboard.type("Ada")
    assert [line.attempt for line in toy.lines("delivered")] == [0, 1]


@pytest.mark.sample(1)
@BY_ENTRY
def test_leaving_a_field_is_no_decision(stage: Set, entry: Callable[[Page], None], field: str) -> None:
    """The change event when a field loses focus, long after its entry was decided, uses up no attempt."""
    toy = stage("failure@0")
    entry(toy.page)
    toy.read()
    toy.page.click("h1")
    toy.page.focus("[name=word]")
    toy.read()
    assert [*toy.stress().attempts()["failure"].values()] == [1], field


@pytest.mark.sample(1)
@BY_PRESS
def test_a_press_fails_by_every_path(stage: Set, press: Callable[[Page], None]) -> None:
    """Mouse, keys and scripts meet the same decision, once."""
    toy = stage("failure(rate=1)")
    press(toy.page)
    toy.read()
    assert toy.posts() == []
    assert [line.element for line in toy.lines("delivered")] == ["button 'Save it'"]


def test_a_label_click_is_one_decision(stage: Set) -> None:
    """The click on a label and the resulting click on its box are the same action."""
    toy = stage("failure(rate=1)")
    toy.page.click("label:has(input)")
    assert not toy.page.is_checked("[name=agree]")
    assert len(toy.lines("delivered")) == 1
    calm = stage("failure@0")
    calm.page.click("label:has(input)")
    assert calm.page.is_checked("[name=agree]")


def test_attempts_survive_a_reload(stage: Set) -> None:
    """The proxy keeps the count: a reloaded page continues with the next draw."""
    toy = stage("failure(rate=1)")
    toy.page.click("#save")
    toy.page.reload()
    toy.page.click("#save")
    toy.page.reload()
    assert [line.attempt for line in toy.lines("delivered")] == [0, 1]


def test_a_retry_overcomes(stage: Set) -> None:
    """Every attempt has a draw of its own, so retries succeed, and the ledger notes when."""
    toy = stage("failure@3", stress=1)
    tries = 0
    while not toy.posts():
        tries += 1
        assert tries < 30
        toy.page.click("#save")
        toy.page.wait_for_load_state()
        toy.read()
    assert len(toy.lines("delivered")) == tries - 1
    assert len(toy.lines("overcome")) == (tries > 1)


EDITOR = Toy(
    PAGE.replace(
        "<textarea", '<div id="story" contenteditable role="textbox" aria-label="Story"><p>Once.</p></div>\n<textarea'
    )
)


def insert_words(page: Page) -> None:
    page.click("#story p")
    page.keyboard.insert_text("Ada and Bob")


EDITS: list[Callable[[Page], None]] = [
    lambda page: page.fill("#story", "Ada and Bob"),
    lambda page: page.type("#story", "Ada and Bob"),
    insert_words,
    lambda page: page.press("#story", "Enter"),
]


@pytest.mark.parametrize("edit", EDITS)
def test_an_entry_into_an_editor_fails_whole_and_once(stage: Set, edit: Callable[[Page], None]) -> None:
    toy = stage("failure(rate=1)", EDITOR)
    edit(toy.page)
    assert toy.page.inner_html("#story") == "<p>Once.</p>"
    assert len(toy.lines("delivered")) == 1


@pytest.mark.parametrize("edit", EDITS)
def test_an_entry_into_an_editor_takes_effect_at_rate_zero(stage: Set, edit: Callable[[Page], None]) -> None:
    toy = stage("failure@0", EDITOR)
    edit(toy.page)
    assert toy.page.inner_html("#story") != "<p>Once.</p>"
    assert toy.lines("delivered") == []


def test_a_script_that_lays_out_an_editor_is_no_entry(stage: Set) -> None:
    """Formatting by a script is no entry; an entry after it fails and leaves the script's formatting."""
    toy = stage("failure(rate=1)", EDITOR)
    toy.page.evaluate("document.querySelector('#story').focus(); document.execCommand('selectAll')")
    toy.page.evaluate("document.execCommand('bold')")
    assert toy.page.inner_html("#story") == "<p><b>Once.</b></p>"
    assert toy.lines("delivered") == []
    toy.page.keyboard.type("Ada")
    assert toy.page.inner_html("#story") == "<p><b>Once.</b></p>"
    assert len(toy.lines("delivered")) == 1
