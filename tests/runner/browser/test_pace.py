"""Timeouts: the agent's failure on a machine that keeps up, an infrastructure error on a slow one."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import ElementHandle
from playwright.sync_api import Browser, Page

from scripts.waited import Observer, check_pace, perform
from stressweb.core.browser_program import find_browser, launch_args
from stressweb.core.errors import InfrastructureError
from stressweb.core.process_tree import descendants_of
from stressweb.plugins.actions import Action, Outcome
from stressweb.runner.browser.actions import perform as performing
from stressweb.runner.browser.actions.target import find
from tests.runner.small_site import SmallSite
from tests.support.machine_pace import frames_take, slow_targets_have

pytestmark = pytest.mark.sample(1, "file")

MOVING = """<!DOCTYPE html><style>button { animation: go 0.3s linear infinite alternate }
@keyframes go { to { transform: translateX(300px) } }</style><button id="b">Go</button>"""


def test_a_machine_that_keeps_up_is_not_slow_and_the_check_leaves_nothing_open(page: Page) -> None:
    browser = page.context.browser
    assert browser is not None
    before = browser.contexts
    check_pace(page, "nothing")
    assert browser.contexts == before


def test_a_target_that_never_stands_still_is_the_agents(show: Callable[[str], Page]) -> None:
    outcome = perform(show(MOVING), Action(kind="CLICK", selector="#b"))
    assert outcome == Outcome(ok=False, reason="timed out", detail="#b")


COUNTING = "<input id=b onclick='this.dataset.clicks = 1 + +(this.dataset.clicks ?? 0)'>"
GESTURES = pytest.mark.parametrize(
    "action",
    [{"kind": "CLICK"}, {"kind": "HOVER"}, {"kind": "FILL", "text": "x"}],
    ids=lambda action: action["kind"],
)
STOPPED = pytest.mark.parametrize("which", ["--type=renderer", "--remote-debugging-pipe"])
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="stops processes that it finds in /proc")
type Stop = Callable[[str, float], Page]


@pytest.fixture
def stop(browser: Browser) -> Iterator[Stop]:
    """Open a page in a separate browser, and stop one of its processes for some seconds once a target is found."""
    with ExitStack() as stack:

        def open_and_stop(which: str, seconds: float) -> Page:
            before = descendants_of(os.getpid())
            second_browser = browser.browser_type.launch(executable_path=str(find_browser().path), args=launch_args())
            stack.callback(second_browser.close)
            page = second_browser.new_page()
            page.set_content(COUNTING)
            pids = [member.pid for member in descendants_of(os.getpid()) - before if which in command_of(member.pid)]
            assert pids
            stack.enter_context(stopped(pids, seconds))
            return page

        yield open_and_stop


@pytest.mark.sample(1, "stopped")
@linux
@STOPPED
@GESTURES
def test_a_browser_that_answers_late_is_waited_for(stop: Stop, action: dict[str, str], which: str) -> None:
    """After a pause of the browser the action still happens, exactly once."""
    page = stop(which, 2.5)
    assert perform(page, Action.model_validate({**action, "selector": "#b"})) == Outcome(ok=True)
    page.wait_for_timeout(200)
    assert page.evaluate("[b.dataset.clicks ?? '0', b.value]") == [
        "1" if action["kind"] == "CLICK" else "0",
        action.get("text", ""),
    ]


@pytest.mark.sample(1, "stopped")
@linux
@STOPPED
@GESTURES
def test_a_browser_that_does_not_answer_is_ours(
    stop: Stop, action: dict[str, str], which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser that misses the time limit is no failure of the agent."""
    slow_targets_have(monkeypatch, 500.0)
    page = stop(which, 4)
    with pytest.raises(InfrastructureError, match="the browser did not answer in 2 seconds"):
        perform(page, Action.model_validate({**action, "selector": "#b"}))


@contextmanager
def stopped(pids: list[int], seconds: float) -> Iterator[None]:
    """Stop processes once the target of an action is found, and continue them later."""

    async def find_and_stop(*arguments: Any) -> ElementHandle:
        handle = await find(*arguments)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        return handle

    def continue_all() -> None:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    go_on = threading.Timer(seconds, continue_all)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(performing, "find", find_and_stop)
        go_on.start()
        yield
        go_on.join()


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def test_on_a_slow_machine_a_target_has_more_time(show: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch) -> None:
    page = show(MOVING)
    frames_take(monkeypatch, 1.0)
    slow_targets_have(monkeypatch, 10_000.0)
    page.evaluate("setTimeout(() => { b.style.animation = 'none' }, 2000)")
    assert perform(page, Action(kind="CLICK", selector="#b")) == Outcome(ok=True)
    # Long enough for the browser to answer on any machine, because no answer is no outcome.
    slow_targets_have(monkeypatch, 1500.0)
    page.evaluate("() => { b.style.animation = '' }")
    assert perform(page, Action(kind="CLICK", selector="#b")).reason == "timed out"


def test_a_page_that_does_not_settle_on_a_slow_machine_is_ours(
    show: Callable[[str], Page], small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = show("<!DOCTYPE html><p>here</p>")
    small_site.busy = lambda: 1  # type: ignore[method-assign]
    assert "here" in Observer().settled(page, small_site, 0.2).html
    frames_take(monkeypatch, 1.0)
    with pytest.raises(InfrastructureError, match="too slow: the page timed out"):
        Observer().settled(page, small_site, 0.2)
