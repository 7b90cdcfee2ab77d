"""Tabs for the page's scripts, without a proxy."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from stressweb.plugins.rule import Rule
from tests.perturbations.page.served import BINDING, Served, Stage, serving

type Set = Callable[..., Stage]


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A tab shared by all tests of a file; they leave nothing behind."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def own_tab(browser: Browser) -> Iterator[Page]:
    """A tab of its own, for a test that replaces functions of the browser."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A context shared by all tests of a file; each has a site of its own."""
    shared_context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield shared_context
    shared_context.close()


@pytest.fixture
def stage(context: BrowserContext) -> Iterator[Set]:
    """Set the stage: `stage(failure(rate=0.5))`, with other fields of `Served` if need be."""
    opened: list[Served] = []
    with ExitStack() as stack:

        def set_stage(*rules: Rule, **others: Any) -> Stage:
            served = Served(rules=rules, **others)
            opened.append(served)
            served.base = stack.enter_context(serving(served))
            toy = Stage(context.new_page(), served)
            open_tab(toy, toy.page)
            return toy

        yield set_stage
        for page in context.pages:
            page.close()
        # An exception in our script lets the gesture pass, so a test might not notice it.
        faults = [report for served in opened for report in served.reports if report.event == "fault"]
        assert faults == []


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
