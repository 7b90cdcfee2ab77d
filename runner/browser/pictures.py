"""A small picture of the page for the report: the agent does not see it, and the page does not notice it."""

import asyncio
import base64
import time
from typing import Any

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.log.pictures import QUALITY, SCALE

_PATIENCE_S = 2.0
_POLL_MS = 2


async def take(page: Page, session: CDPSession, width: int, height: int) -> bytes | None:
    """Return a JPEG of a tab's window, which has so many CSS pixels; None if it closes, or draws nothing for 2 s.

    `session` is one with the tab.
    """
    frames: list[dict[str, Any]] = []
    # The first frame of a screencast comes at once and is already scaled. A screenshot that the browser scales would
    # change the size of the screen that the page can read.
    size = {"maxWidth": round(width * SCALE), "maxHeight": round(height * SCALE)}

    # Playwright does not accept a method of a built-in type, such as `frames.append`, as a listener.
    def hear(frame: dict[str, Any]) -> None:
        frames.append(frame)

    session.on("Page.screencastFrame", hear)
    try:
        await session.send("Page.startScreencast", {"format": "jpeg", "quality": QUALITY, **size})
        deadline = time.monotonic() + _PATIENCE_S
        while not frames and time.monotonic() < deadline:
            await asyncio.sleep(_POLL_MS / 1000)
        await session.send("Page.stopScreencast")
    except PlaywrightError:
        # The picture is for the report alone, so a tab that closes under it costs no episode.
        return None
    finally:
        session.remove_listener("Page.screencastFrame", hear)
    return base64.b64decode(frames[0]["data"]) if frames else None
