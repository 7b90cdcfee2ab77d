"""What an XPath expression finds, with the type that the caller knows it to have."""

from typing import cast

from lxml.html import HtmlElement


def elements(node: HtmlElement, path: str) -> list[HtmlElement]:
    """Return the elements that an expression finds."""
    return cast("list[HtmlElement]", node.xpath(path))


def strings(node: HtmlElement, path: str) -> list[str]:
    """Return the attributes or texts that an expression finds."""
    return cast("list[str]", node.xpath(path))
