"""Typed results of XPath expressions."""

from typing import cast

from lxml.html import HtmlElement


def elements(node: HtmlElement, path: str) -> list[HtmlElement]:
    """Return the elements for an expression."""
    return cast("list[HtmlElement]", node.xpath(path))


def strings(node: HtmlElement, path: str) -> list[str]:
    """Return the attributes or texts for an expression."""
    return cast("list[str]", node.xpath(path))
