"""Frames whose documents are read with their page: those of its own origin, at any depth."""

import re
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Locator, Page

from stressweb.html.inner import FRAMES
from stressweb.sources.editors import with_editors

_TIMEOUT_MS = 2000
_FRAME = re.compile(r"^( *)- iframe((?: \[[^\]]*\])*)$", re.MULTILINE)
_IS_READ_JS = "() => { try { return !!top.document; } catch { return false; } }"


async def is_read(frame: Frame) -> bool:
    """Return whether the document of a frame is read with its page; raises PlaywrightError."""
    # Evaluated in the frame itself: a document at `about:blank` may be of any origin.
    return bool(await frame.evaluate(_IS_READ_JS))


async def snapshot(page: Page, written: Mapping[str, Any] | None = None) -> str:
    """Return the accessibility tree of a page's body, with those of its frames below their nodes.

    `written` is the result of aria.js; without it, Playwright is asked.
    """
    text = written["text"] if written else await page.locator("body").aria_snapshot(timeout=_TIMEOUT_MS)
    if not written or written["edited"]:
        text = await with_editors(text, page)
    return text if len(page.frames) == 1 else await _filled(text, page.locator(FRAMES))


async def _filled(text: str, frames: Locator) -> str:
    nodes = [*_FRAME.finditer(text)]
    # Without a certain assignment, no frame gets a tree.
    if not nodes or len(nodes) != await frames.count():
        return text
    frame_texts = [await _frame_text(frames.nth(number)) for number in range(len(nodes))]
    parts, start = [], 0
    for node, frame_text in zip(nodes, frame_texts, strict=True):
        parts.append(text[start : node.end()])
        start = node.end()
        if frame_text:
            indent = node[1] + "  "
            parts.append(":\n" + "\n".join(indent + line for line in frame_text.split("\n")))
    return "".join([*parts, text[start:]])


async def _frame_text(element: Locator) -> str:
    """Return the tree of the document in a frame; "" if it is not read."""
    try:
        handle = await element.element_handle(timeout=_TIMEOUT_MS)
        frame = await handle.content_frame()
        if frame is None or not await is_read(frame):
            return ""
        text = await with_editors(await frame.locator("body").aria_snapshot(timeout=_TIMEOUT_MS), frame)
        return await _filled(text, frame.locator(FRAMES))
    # A frame may load another document meanwhile.
    except PlaywrightError:
        return ""
