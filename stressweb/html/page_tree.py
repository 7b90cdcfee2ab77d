"""A page as JSON, from which a script in the browser draws it; converted from and to markup.

A text is a string, an element a list of its name, attributes and content. A shadow root comes first in its host's
content, as the element `template` with the attribute `shadowrootmode`, as in markup.
"""

from collections.abc import Iterator, Sequence
from html import escape
from html.parser import HTMLParser
from typing import Any

PAGE_TYPE = "application/vnd.page+json"
"""The media type of pages as JSON, in requests and answers."""
type Tree = str | list[Any]
"""A text, or name, attributes and content of an element."""

VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
_RAW = frozenset(("script", "style"))
# A parser drops the first end of line in these.
_TRIMMED = frozenset(("pre", "textarea"))
# Attribute names are lower case in HTML, but not these of SVG.
_SVG_NAMES = ("viewBox", "preserveAspectRatio", "pathLength", "textLength", "patternUnits")
_IN_SVG = {name.lower(): name for name in _SVG_NAMES}


def tree(markup: str) -> list[Any]:
    """Return the element `html` of a page; raises ValueError for an element that is not closed, or not open."""
    parser = PageParser()
    parser.feed(markup)
    parser.close()
    return parser.whole()


def markup(page: Sequence[Any]) -> str:
    """Return a page as markup, as a recorder would write it."""
    return f"<!DOCTYPE html>\n{''.join(_written(list(page)))}"


class PageParser(HTMLParser):
    """Reads markup in which every element is closed, as in our templates."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._roots: list[Tree] = []
        self.open: list[tuple[str, list[Tree]]] = [("", self._roots)]
        """Name and content of each open element, the outermost first, below a root without a name."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle the start of an element."""
        drawing = any(name == "svg" for name, _ in self.open) or tag == "svg"
        children: list[Tree] = []
        named = {_IN_SVG.get(name, name) if drawing else name: value or "" for name, value in attrs}
        self.open[-1][1].append([tag, named, children])
        if tag not in VOID:
            self.open.append((tag, children))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle a self-closing element."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of an element; raises ValueError if it is not the innermost."""
        name, _ = self.open.pop()
        if name != tag:
            raise ValueError(f"line {self.getpos()[0]}: {tag!r} ends where {name!r} is open")

    def handle_data(self, data: str) -> None:
        """Handle a text."""
        name, children = self.open[-1]
        if name in _TRIMMED and not children:
            data = data.removeprefix("\n")
        if data:
            children.append(data)

    def whole(self) -> list[Any]:
        """Return the outermost element."""
        if len(self.open) > 1:
            raise ValueError(f"{self.open[-1][0]!r} is not closed")
        elements = [root for root in self._roots if not isinstance(root, str)]
        if len(elements) != 1 or elements[0][0] != "html":
            raise ValueError(f"a page is one element html, and not {[element[0] for element in elements]}")
        return elements[0]


def _written(node: Tree, raw: bool = False) -> Iterator[str]:
    if isinstance(node, str):
        yield node if raw else escape(node, quote=False)
        return
    tag, attributes, children = node
    yield f"<{tag}"
    yield from (f' {name}="{escape(value)}"' for name, value in attributes.items())
    yield ">"
    if tag in VOID:
        return
    if tag in _TRIMMED and children and isinstance(children[0], str) and children[0].startswith("\n"):
        yield "\n"
    for child in children:
        yield from _written(child, tag in _RAW)
    yield f"</{tag}>"
