"""The accessibility tree."""

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Page

from runner.observations.part import Part

_TIMEOUT_MS = 2000


class Tree(Part):
    """The accessibility tree as text, in the form of Playwright's aria snapshots."""

    name = field = "tree"
    shows = "its accessibility tree"

    def taken(self, page: Page, read: Mapping[str, Any]) -> str:
        """Return the tree of the page's body."""
        return page.locator("body").aria_snapshot(timeout=_TIMEOUT_MS)

    def render(self, value: str) -> str:
        """Return the tree as it is."""
        return value
