"""A tab's navigation is known before its request reaches the server."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from scripts.waited import Loading
from tests.runner.small_site import SmallSite
from tests.support.waiting import until

PAGE = """<a id=link href="/slow">go</a><a id=anchor href="#here">there</a><a id=script href="javascript:void 0">no</a>
<form action="/slow"><button id=form>send</button></form>
<form onsubmit="return false"><button id=kept>keep</button></form>
<button id=frame onclick="document.body.append(Object.assign(document.createElement('iframe'), {src: '/slow'}))">f</button>"""


@pytest.fixture
def page(browser_page: Page, small_site: SmallSite) -> Iterator[Page]:
    """A page with a link to a slow page, which waits until the gate opens."""
    small_site.pages |= {"/": PAGE, "/slow": "<p>arrived</p>"}
    browser_page.goto(small_site.url)
    small_site.gate.clear()
    yield browser_page
    small_site.gate.set()


@pytest.mark.parametrize("control", ["link", "form", "frame"])
def test_a_navigation_is_known_from_the_gesture_to_its_end(page: Page, small_site: SmallSite, control: str) -> None:
    loading = Loading(page.context.new_cdp_session(page))
    assert not loading.navigating()
    page.locator(f"#{control}").click(no_wait_after=True)
    until(loading.navigating, lambda: page.wait_for_timeout(5))
    small_site.gate.set()
    until(lambda: not loading.navigating(), lambda: page.wait_for_timeout(5))


@pytest.mark.parametrize("control", ["anchor", "script", "kept"])
def test_controls_that_lead_nowhere_do_not_load(page: Page, control: str) -> None:
    loading = Loading(page.context.new_cdp_session(page))
    page.locator(f"#{control}").click(no_wait_after=True)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert not loading.navigating()
