"""Tabs to run the page's scripts in, without a proxy."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A tab for all tests of a file: they leave nothing behind."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def own_tab(browser: Browser) -> Iterator[Page]:
    """A tab of its own, for a test that spoils what scripts have."""
    context = browser.new_context()
    yield context.new_page()
    context.close()
