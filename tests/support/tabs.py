"""Tabs for the page's scripts, without a proxy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page

from tests.support.served import BINDING, Served, Stage

type Set = Callable[..., Stage]


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A tab shared by all tests of a file; they leave nothing behind."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def open_tab(stage: Stage, page: Page) -> None:
    """Open the first page in a tab, and store its reports."""
    served = stage.served
    page.set_default_timeout(5000)
    session = page.context.new_cdp_session(page)
    session.on("Runtime.bindingCalled", lambda called: served.take(called["payload"]))
    session.send("Runtime.enable")
    if served.binding == BINDING:
        session.send("Runtime.addBinding", {"name": BINDING})
    # The parser must have finished when the test begins.
    page.goto(served.base)


@contextmanager
def routed(browser: Browser, served: Served) -> Iterator[tuple[Page, list[str]]]:
    """Yield a tab with pages at http://toy.test/ without a server, and the reports that its browser takes."""
    texts: list[str] = []
    context = browser.new_context()
    tab = context.new_page()
    tab.route("http://toy.test/", lambda route: route.fulfill(body=served.document("/"), content_type="text/html"))
    session = context.new_cdp_session(tab)
    session.on("Runtime.bindingCalled", lambda called: texts.append(called["payload"].partition(" ")[2]))
    session.send("Runtime.enable")
    session.send("Runtime.addBinding", {"name": BINDING})
    yield tab, texts
    context.close()
