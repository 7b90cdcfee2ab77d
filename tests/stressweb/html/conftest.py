"""A tab whose pages are read from an isolated world."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from scripts.waited import IsolatedWorld
from tests.support.annotating import Tab


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Tab]:
    """A tab for all tests of a file, and the recorder's world in it."""
    context = browser.new_context()
    page = context.new_page()
    yield page, IsolatedWorld(page)
    context.close()
