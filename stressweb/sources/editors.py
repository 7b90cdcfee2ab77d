"""The content of editors: Playwright's accessibility trees omit text that is not in a paragraph."""

import json
import re

from playwright.async_api import Frame, Page

_BOX = re.compile(r"^ *- '?textbox\b.*$", re.MULTILINE)
_EMPTY = re.compile(r""" *- (?:textbox(?: "(?:[^"\\]|\\.)*")?(?: \[[^\]]*\])*|'textbox(?:[^']|'')*')""")
_HELD_JS = "nodes => nodes.map(node => (node.isContentEditable ? node.innerText : ''))"


async def with_editors(text: str, document: Page | Frame) -> str:
    """Return the tree of a document, with the content of its editors as texts of their nodes."""
    boxes = [*_BOX.finditer(text)]
    if not any(_EMPTY.fullmatch(box[0]) for box in boxes):
        return text
    editor_texts = await document.locator("role=textbox").evaluate_all(_HELD_JS)
    # Without a certain assignment, no editor gets a content.
    if len(editor_texts) != len(boxes):
        return text
    parts, start = [], 0
    for box, content in zip(boxes, editor_texts, strict=True):
        if content.strip() and _EMPTY.fullmatch(box[0]):
            parts += [text[start : box.end()], ": ", json.dumps(" ".join(content.split()), ensure_ascii=False)]
            start = box.end()
    return "".join([*parts, text[start:]])
