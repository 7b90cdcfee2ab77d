"""A small server for pages that a test writes."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from tests.runner.small_site import SmallSite


@pytest.fixture
def small_site() -> Iterator[SmallSite]:
    site = SmallSite()
    yield site
    site.close()


@pytest.fixture
def show(page: Page, small_site: SmallSite) -> Callable[[str], Page]:
    """Serve a document at / and open it."""

    def _show(html: str) -> Page:
        small_site.pages["/"] = html
        page.goto(small_site.url)
        return page

    return _show
