"""The source of the accessibility tree."""

from collections.abc import Mapping
from typing import Any

from playwright.async_api import Page

from stressweb.sources.frames import snapshot
from stressweb.sources.part import Part


class Tree(Part):
    """The accessibility tree as text, in the form of Playwright's aria snapshots."""

    name = field = "tree"
    shows = "its accessibility tree"
    written = True

    async def taken(self, page: Page, read: Mapping[str, Any]) -> str:
        """Return the tree of the page's body, with its frames."""
        return await snapshot(page, read["tree"])

    def render(self, value: str) -> str:
        """Return the tree unchanged."""
        return value
