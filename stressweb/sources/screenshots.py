"""The source of pictures of a page."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from playwright.async_api import Page

from stressweb.core.words import counted
from stressweb.sources.camera import Camera, packed
from stressweb.sources.part import Part

STILL = 4
"""Further pictures of a page that keeps changing."""
SHOTS = 3
"""Screenshots in an observation: the current one and the two before it."""


class Screenshots(Part):
    """Pictures of the viewport in PNG: the current one and the two before it."""

    name = field = "screenshots"
    shows = "pictures of it"

    def __init__(self) -> None:
        """Start without pictures."""
        self._shots: tuple[bytes, ...] = ()
        self._packed: dict[bytes, bytes] = {}
        """The last pictures, as taken and as shown."""
        self._camera: Camera | None = None

    async def taken(self, page: Page, read: Mapping[str, Any]) -> tuple[bytes, ...]:
        """Return the pictures, the newest first, all distinct."""
        # A cursor blinks, and Playwright hides it.
        shot = await still(page.screenshot) if read["caret"] else await self._quick(page)
        # Only different ones: the prompt promises the page before each of the last two actions that changed it.
        self._shots = distinct((shot, *self._shots))
        return self._shots

    async def _quick(self, page: Page) -> bytes:
        """Return a picture of a page without a cursor."""
        if self._camera is None or self._camera.page is not page:
            if self._camera is not None:
                await self._camera.close()
            self._camera = await Camera.of(page)
        picture = await still(self._camera.take)
        if picture not in self._packed:
            recent = list(self._packed.items())[1 - SHOTS :]
            # In a thread: it takes as long as the picture, and other episodes continue meanwhile.
            self._packed = {**dict(recent), picture: await asyncio.to_thread(packed, picture)}
        return self._packed[picture]

    def render(self, value: tuple[bytes, ...]) -> str:
        """Return the number of pictures; a model gets the pictures themselves apart from the text."""
        return counted(len(value), "picture")


async def still(take: Callable[[], Awaitable[bytes]]) -> bytes:
    """Return a picture of the viewport once two in a row are equal: decoding of images and hover effects may end some
    time after the document has settled."""
    before = await take()
    for _ in range(STILL):
        after = await take()
        if after == before:
            break
        before = after
    return before


def distinct(shots: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return the first three different pictures, the newest first."""
    return tuple(dict.fromkeys(shots))[:SHOTS]
