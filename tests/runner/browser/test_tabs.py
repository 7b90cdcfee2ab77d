"""Tabs are numbered in the order of opening, in whatever way they open and close."""

import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, BrowserContext

from scripts.waited import Tabs
from tests.runner.small_site import SmallSite
from tests.support.waiting import deadline

pytestmark = pytest.mark.sample(2, "file")

PAGE = """<!DOCTYPE html><title>home</title><a id="blank" href="/blank" target="_blank">a</a>
<a id="opener" href="/blank" target="_blank" rel="opener">a</a><form action="/blank" target="_blank"><button id="form">b</button></form>
<button id="script" onclick="window.open('/blank', '_blank', 'noopener')">c</button>
<button id="gone" onclick="window.open('/blank').close()">d</button><a id="named" href="/blank" target="other">e</a>"""


@pytest.fixture
def start(browser: Browser, small_site: SmallSite) -> Callable[[], tuple[BrowserContext, Tabs]]:
    small_site.pages |= {"/": PAGE, "/blank": "<!DOCTYPE html><title>blank</title>"}

    def _start() -> tuple[BrowserContext, Tabs]:
        context = browser.new_context()
        tabs = Tabs(context)
        tabs.current.goto(small_site.url)
        tabs.follow(deadline())
        return context, tabs

    return _start


@pytest.mark.parametrize("way", ["#blank", "#opener", "#form", "#script", "#named"])
def test_a_tab_is_followed_however_it_was_opened(
    start: Callable[[], tuple[BrowserContext, Tabs]], small_site: SmallSite, way: str
) -> None:
    context, tabs = start()
    tabs.current.click(way, no_wait_after=True)
    assert tabs.follow(deadline()).url.startswith(f"{small_site.url}/blank")
    assert (tabs.index, tabs.news) == (1, ["opened tab 1"])
    context.close()


def test_a_tab_that_closes_at_once_is_not_waited_for(start: Callable[[], tuple[BrowserContext, Tabs]]) -> None:
    context, tabs = start()
    tabs.current.click("#gone")
    started = time.monotonic()
    assert tabs.follow(time.monotonic() + 2).url.endswith("/")
    assert time.monotonic() - started < 2.5
    assert tabs.index == 0
    context.close()


OPEN, SWITCH, CLOSE = "open", "switch", "close"


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from([OPEN, OPEN, SWITCH, CLOSE]), st.integers(0, 4)), max_size=6))
def test_tabs_are_numbered_as_they_were_opened(
    start: Callable[[], tuple[BrowserContext, Tabs]], small_site: SmallSite, moves: Sequence[tuple[str, int]]
) -> None:
    context, tabs = start()
    expected, current, opened = ["0"], "0", 0
    tabs.current.goto(f"{small_site.url}/?0")
    for move, number in moves:
        index = number % len(expected)
        if move == OPEN:
            opened += 1
            tabs.current.evaluate("(url) => { window.open(url) }", f"{small_site.url}/?{opened}")
            expected.append(current := str(opened))
        elif move == SWITCH:
            tabs.switch(index)
            current = expected[index]
        elif len(expected) > 1:
            tabs.close(index)
            closed = expected.pop(index)
            current = expected[-1] if closed == current else current
        page = tabs.follow(deadline())
        page.wait_for_url(f"**/?{current}")
        assert page == tabs.current
        assert [title.rpartition("?")[2] for title in tabs.titles()] == expected
        assert expected[tabs.index] == current
    context.close()
