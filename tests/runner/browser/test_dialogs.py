"""A call behind a dialog is given up, and what was given up is not done later."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from runner.browser.dialogs import Dialogs
from runner.browser.interruption import Behind, Interrupted
from stressweb.plugins.agent import Dialog

WAITING = """<!DOCTYPE html><p id="said"></p><button id="later" disabled onclick="said.textContent += 'pressed'">Later</button>"""


def test_the_call_under_way_is_given_up_at_once(show: Callable[[str], Page]) -> None:
    page = show(WAITING)
    dialogs = Dialogs(page.context)
    begun = time.monotonic()
    with pytest.raises(Interrupted), dialogs.interrupting():
        page.evaluate("() => { alert('now'); return 1 }")
    assert time.monotonic() - begun < 2
    assert dialogs.current == Dialog("alert", "now")
    assert dialogs.news == ['opened alert "now"']
    with pytest.raises(Behind), dialogs.interrupting():
        pytest.fail("nothing is to be done behind a dialog")
    dialogs.answer(None, accept=True)
    assert dialogs.current is None
    with dialogs.interrupting():
        assert page.evaluate("() => 2") == 2


def test_a_click_that_was_given_up_does_not_come_later(show: Callable[[str], Page]) -> None:
    page = show(WAITING)
    dialogs = Dialogs(page.context)
    page.evaluate("() => { setTimeout(() => { alert('first'); later.disabled = false }, 100) }")
    with pytest.raises(Interrupted), dialogs.interrupting():
        page.click("#later", timeout=10_000)
    dialogs.answer(None, accept=True)
    page.wait_for_function("() => !later.disabled")
    # Two frames are what a click that still waited would need, and many more are given.
    page.evaluate(
        "() => new Promise((done) => { let left = 30; requestAnimationFrame(function tick() { left-- ? requestAnimationFrame(tick) : done() }) })"
    )
    assert page.inner_text("#said") == ""


def test_outside_of_a_call_nothing_is_interrupted(show: Callable[[str], Page]) -> None:
    page = show(WAITING)
    dialogs = Dialogs(page.context)
    page.evaluate("() => { setTimeout(() => alert('later'), 50) }")
    deadline = time.monotonic() + 5
    while dialogs.current is None and time.monotonic() < deadline:
        page.wait_for_timeout(10)
    assert dialogs.current == Dialog("alert", "later")
    dialogs.end()


def test_a_long_message_is_cut(show: Callable[[str], Page]) -> None:
    page = show(WAITING)
    dialogs = Dialogs(page.context)
    with pytest.raises(Interrupted), dialogs.interrupting():
        page.evaluate("() => alert('x'.repeat(5000))")
    assert dialogs.current == Dialog("alert", "x" * 200)
    assert len(dialogs.news[0]) < 250
    dialogs.end()


def test_at_the_end_every_dialog_is_dismissed_at_once(show: Callable[[str], Page]) -> None:
    page = show(WAITING)
    dialogs = Dialogs(page.context)
    with pytest.raises(Interrupted), dialogs.interrupting():
        page.evaluate("() => { said.textContent = [confirm('a'), confirm('b'), prompt('c', 'd')].join() }")
    dialogs.end()
    page.wait_for_function("() => said.textContent")
    assert page.inner_text("#said") == "false,false,"
    assert dialogs.current is None


def test_a_dialog_goes_with_its_page(show: Callable[[str], Page]) -> None:
    page = show(WAITING)
    dialogs = Dialogs(page.context)
    with pytest.raises(Interrupted), dialogs.interrupting():
        page.evaluate("() => confirm('stay?')")
    page.close()
    assert dialogs.current is None
