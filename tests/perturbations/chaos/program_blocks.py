"""Blocks of a document by an independent program with another parser, to compare with blocks.js."""

from collections import Counter
from collections.abc import Iterator

from lxml.html import HtmlElement

from stressweb.html.accessible_name import clean
from tests.support.program_page import Page

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
HOLDERS = frozenset(
    ("article", "dd", "div", "dt", "figure", "form", "label", "li", "p", "span", "strong", *HEADINGS)
)  # fmt: skip
TEXTS = frozenset(("blockquote", "dd", "dt", "figcaption", "legend", "li", "p", *HEADINGS))
SILENT = ("script", "style", "template", "noscript")


def blocks(page: Page) -> Iterator[tuple[HtmlElement, str]]:
    """Yield the blocks of a page with their keys: controls with their surroundings, then texts without controls."""
    targets = [control for control in page.controls if control.element.tag not in ("form", "option")]
    counts = Counter(above for control in targets for above in control.element.iterancestors())
    taken: set[HtmlElement] = set()
    for control in targets:
        block = _block(control.element, counts)
        if counts[control.element] == 0 and block not in taken:
            taken.add(block)
            yield block, control.key
    for node in page.nodes:
        element = node.element
        if node.tag not in TEXTS or counts[element] or not _text(element):
            continue
        if taken.isdisjoint((element, *element.iterancestors())):
            taken.add(element)
            yield element, f"{page.place} {node.key}"


def _block(target: HtmlElement, counts: Counter[HtmlElement]) -> HtmlElement:
    block = target
    for _ in range(3):
        above = block.getparent()
        if above is None or above.tag not in HOLDERS or counts[above] != 1:
            break
        if above.tag in ("div", "form", "article") and len(_text(above)) > 160:
            break
        block = above
    return block


def _text(element: HtmlElement) -> str:
    # Without comments and code, which are not visible.
    silent = " or ".join(f"ancestor::{tag}" for tag in SILENT)
    return clean("".join(element.xpath(f".//text()[not({silent})]")))
