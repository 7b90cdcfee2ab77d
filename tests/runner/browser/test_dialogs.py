"""A call that a dialog interrupts is cancelled, and has no effect later."""

import asyncio
import time
from collections.abc import Awaitable

import pytest
from playwright.async_api import Page

from scripts.blocking import blocking
from stressweb.plugins.agent import Dialog
from stressweb.runner.browser.dialogs import Dialogs
from stressweb.runner.browser.interruption import Behind, Interrupted, asking, holding
from tests.support.waiting import until_async

WAITING = """<!DOCTYPE html><p id="said"></p><button id="later" disabled onclick="said.textContent += 'pressed'">Later</button>"""


async def open_page(page: Page) -> Dialogs:
    await page.set_content(WAITING)
    return Dialogs(page.context)


async def interrupted_by(dialogs: Dialogs, call: Awaitable[object]) -> Interrupted:
    """Make a call that a dialog interrupts; return the exception."""
    with pytest.raises(Interrupted) as raised:
        async with dialogs.interrupting():
            await call
    return raised.value


@blocking
async def test_a_running_call_is_cancelled_at_once(page: Page) -> None:
    dialogs = await open_page(page)
    started = time.monotonic()
    assert not isinstance(await interrupted_by(dialogs, page.evaluate("() => { alert('now'); return 1 }")), Behind)
    assert time.monotonic() - started < 2
    assert (dialogs.current, dialogs.news) == (Dialog("alert", "now"), ['opened alert "now"'])
    with pytest.raises(Behind):
        async with dialogs.interrupting():
            pytest.fail("no call may run behind a dialog")
    await dialogs.answer(None, accept=True)
    assert dialogs.current is None
    async with dialogs.interrupting():
        assert await page.evaluate("() => 2") == 2


@blocking
async def test_a_cancelled_click_has_no_effect_later(page: Page) -> None:
    dialogs = await open_page(page)
    await page.evaluate("() => { setTimeout(() => { alert('first'); later.disabled = false }, 100) }")
    await interrupted_by(dialogs, page.click("#later", timeout=10_000))
    await dialogs.answer(None, accept=True)
    await page.wait_for_function("() => !later.disabled")
    # A click that still waited would need two frames; wait for many more.
    await page.evaluate(
        "() => new Promise((done) => { let left = 30; requestAnimationFrame(function tick() { left-- ? requestAnimationFrame(tick) : done() }) })"
    )
    assert await page.inner_text("#said") == ""


async def ask(question: Awaitable[object]) -> None:
    with asking():
        await question


async def ask_and_hold(page: Page) -> None:
    # The dialog opens after the answer, however busy the machine is.
    await ask(page.evaluate("() => { setTimeout(() => alert('second'), 50) }"))
    with holding():
        await page.wait_for_timeout(5000)


@blocking
async def test_a_dialog_under_a_question_is_there_before_the_action(page: Page) -> None:
    """Before the answer to a question nothing has happened; after it, something may have."""
    dialogs = await open_page(page)
    await page.evaluate("() => { setTimeout(() => alert('first'), 50) }")
    assert isinstance(await interrupted_by(dialogs, ask(page.wait_for_timeout(5000))), Behind)
    await dialogs.answer(None, accept=True)
    interrupted = await interrupted_by(dialogs, ask_and_hold(page))
    assert not isinstance(interrupted, Behind)
    assert interrupted.held
    await dialogs.end()


@blocking
async def test_a_task_cancelled_from_outside_is_cancelled(page: Page) -> None:
    """Cancellation holds even if a dialog opens at the same moment."""
    dialogs = await open_page(page)

    async def waiting() -> None:
        async with dialogs.interrupting():
            await asyncio.sleep(60)

    task = asyncio.create_task(waiting())
    await asyncio.sleep(0)
    task.cancel()
    await page.evaluate("() => { setTimeout(() => alert('late'), 0) }")
    with pytest.raises(asyncio.CancelledError):
        await task
    await dialogs.end()


@blocking
async def test_outside_of_a_call_nothing_is_interrupted(page: Page) -> None:
    dialogs = await open_page(page)
    await page.evaluate("() => { setTimeout(() => alert('later'), 50) }")
    await until_async(lambda: dialogs.current is not None)
    assert dialogs.current == Dialog("alert", "later")
    await dialogs.end()


@blocking
async def test_a_long_message_is_cut(page: Page) -> None:
    dialogs = await open_page(page)
    await interrupted_by(dialogs, page.evaluate("() => alert('x'.repeat(5000))"))
    assert dialogs.current == Dialog("alert", "x" * 200)
    assert len(dialogs.news[0]) < 250
    await dialogs.end()


@blocking
async def test_at_the_end_every_dialog_is_dismissed_at_once(page: Page) -> None:
    dialogs = await open_page(page)
    await interrupted_by(
        dialogs, page.evaluate("() => { said.textContent = [confirm('a'), confirm('b'), prompt('c', 'd')].join() }")
    )
    await dialogs.end()
    await page.wait_for_function("() => said.textContent")
    assert await page.inner_text("#said") == "false,false,"
    assert dialogs.current is None


@blocking
async def test_a_dialog_closes_with_its_page(page: Page) -> None:
    dialogs = await open_page(page)
    await interrupted_by(dialogs, page.evaluate("() => confirm('stay?')"))
    await page.close()
    assert dialogs.current is None
