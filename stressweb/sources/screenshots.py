"""Pictures of a page."""

from collections.abc import Mapping
from typing import Any

from playwright.async_api import Page

from stressweb.core.words import counted
from stressweb.sources.part import Part

STILL = 4
"""Pictures after the first that are taken of a page that keeps changing."""
SHOTS = 3
"""Screenshots that an observation holds: the current one and the two before it."""


class Screenshots(Part):
    """Pictures of the viewport in PNG: the current one and the two before it."""

    name = field = "screenshots"
    shows = "pictures of it"

    def __init__(self) -> None:
        """Have no picture yet."""
        self._shots: tuple[bytes, ...] = ()

    async def taken(self, page: Page, read: Mapping[str, Any]) -> tuple[bytes, ...]:
        """Return the pictures, the newest first, all distinct."""
        # Only different ones: the prompt promises the page before each of the last two actions that changed it.
        self._shots = distinct((await still(page), *self._shots))
        return self._shots

    def render(self, value: tuple[bytes, ...]) -> str:
        """Return how many pictures there are; a model gets the pictures themselves apart from the text."""
        return counted(len(value), "picture")


async def still(page: Page) -> bytes:
    """Return a picture of the viewport once two in a row are the same: pictures are decoded, and what lies under the
    mouse changes its colour, some time after the document has settled."""
    before = await page.screenshot()
    for _ in range(STILL):
        after = await page.screenshot()
        if after == before:
            break
        before = after
    return before


def distinct(shots: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the first three different pictures, the newest first."""
    return tuple(dict.fromkeys(shots))[:SHOTS]
