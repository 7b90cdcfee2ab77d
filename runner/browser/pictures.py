"""A small picture of the page for the report: the agent does not see it, and the page does not notice it."""

import asyncio
import base64
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from stressweb.log.pictures import QUALITY, SCALE

_PATIENCE_S = 2.0


async def take(session: CDPSession, width: int, height: int) -> bytes | None:
    """Return a JPEG of a tab's window, which has so many CSS pixels; None if it closes, or draws nothing for 2 s.

    `session` is one with the tab.
    """
    first: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    # The first frame of a screencast comes at once and is already scaled. A screenshot that the browser scales would
    # change the size of the screen that the page can read.
    size = {"maxWidth": round(width * SCALE), "maxHeight": round(height * SCALE)}

    def hear(frame: dict[str, Any]) -> None:
        if not first.done():
            first.set_result(frame["data"])

    session.on("Page.screencastFrame", hear)
    try:
        await session.send("Page.startScreencast", {"format": "jpeg", "quality": QUALITY, **size})
        await asyncio.wait([first], timeout=_PATIENCE_S)
        await session.send("Page.stopScreencast")
    except PlaywrightError:
        # The picture is for the report alone, so a tab that closes under it costs no episode.
        return None
    finally:
        session.remove_listener("Page.screencastFrame", hear)
    return base64.b64decode(first.result()) if first.done() else None
