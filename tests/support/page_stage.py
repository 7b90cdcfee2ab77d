"""The stage of the page's scripts: a tab on a site that inserts them, without a proxy."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from stressweb.plugins.rule import Rule
from tests.support.served import Served, Stage, serving
from tests.support.tabs import Set, open_tab


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


@pytest.fixture
def own_tab(browser: Browser) -> Iterator[Page]:
    """A tab of its own, for a test that replaces functions of the browser."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
