"""Takes a small picture of the page for the report, without the agent or the page noticing."""

import asyncio
import base64
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from stressweb.log.pictures import QUALITY, SCALE

_PATIENCE_S = 2.0


async def take(session: CDPSession, width: int, height: int) -> bytes | None:
    """Return a JPEG of a tab; None if it closes, or draws nothing for 2 s.

    `session` is a CDP session of the tab; `width` and `height` are the window's size in CSS pixels.
    """
    first: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    # The first frame of a screencast comes at once, already scaled. Scaling a screenshot would change the screen size
    # that the page can read.
    size = {"maxWidth": round(width * SCALE), "maxHeight": round(height * SCALE)}

    def take_frame(frame: dict[str, Any]) -> None:
        if not first.done():
            first.set_result(frame["data"])

    session.on("Page.screencastFrame", take_frame)
    try:
        await session.send("Page.startScreencast", {"format": "jpeg", "quality": QUALITY, **size})
        await asyncio.wait([first], timeout=_PATIENCE_S)
        await session.send("Page.stopScreencast")
    except PlaywrightError:
        # The picture is only for the report, so a closed tab must not fail the episode.
        return None
    finally:
        session.remove_listener("Page.screencastFrame", take_frame)
    return base64.b64decode(first.result()) if first.done() else None
