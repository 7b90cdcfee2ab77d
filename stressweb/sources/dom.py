"""The source of the live document."""

import re
from collections.abc import Mapping
from typing import Any

import lxml.html
from lxml import etree
from playwright.async_api import Page

from stressweb.html.inner import is_inner
from stressweb.sources.part import Part

LEFT_OUT = ("script", "style", "noscript", "template", "svg", "link", "meta", "base")
"""Elements without content to read or to act on: a document is shown without them."""


class Dom(Part):
    """The live document in HTML, with live form values written in; every agent gets it."""

    name = "dom"
    field = "html"
    shows = "its document in HTML"

    async def taken(self, page: Page, read: Mapping[str, Any]) -> str:
        """Return the document that was read."""
        return str(read["html"])

    def render(self, value: str) -> str:
        """Return the document without elements that have no content, and with white space collapsed."""
        root = lxml.html.document_fromstring(value)
        # A list, because the tree changes during the loop.
        for element in list(root.iter(*LEFT_OUT, etree.Comment)):
            # Roots and frames contain drawn content. `drop_tree` keeps the text that follows.
            if not is_inner(element):
                element.drop_tree()  # type: ignore[attr-defined]
        for element in root.iter("*"):
            # In these two, white space is content.
            if element.tag not in ("textarea", "pre"):
                element.text = _collapsed(element.text)
            element.tail = _collapsed(element.tail)
        return str(lxml.html.tostring(root, encoding="unicode")).strip()


def _collapsed(text: str | None) -> str | None:
    return None if text is None else re.sub(r"[ \t\r\n\f]+", " ", text)
