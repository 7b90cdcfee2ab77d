"""Inner documents in a copy's markup: shadow roots, and documents of frames.

A shadow root is a `template` element with the attribute `shadowrootmode`, the first child of its host, as in HTML. The
document of a frame is a `template` element with the attribute `framedocument` right after its frame; its `html`, `head`
and `body` are called `frame-html`, `frame-head` and `frame-body`, because parsers remove these from the middle of a
document.
middle of a document.
"""

from collections.abc import Iterator

from lxml.html import HtmlElement

SHADOW, FRAME = "shadowrootmode", "framedocument"
"""The attributes that mark templates of roots and of frames."""
FRAMES = 'iframe:visible:not([aria-hidden="true"]):not([aria-hidden="true"] *)'
"""Playwright's selector of the frames that an accessibility tree has nodes for, in the same order."""


def is_inner(element: HtmlElement) -> bool:
    """Return whether an element stands for a shadow root or for the document of a frame."""
    return element.tag == "template" and (element.get(SHADOW) is not None or element.get(FRAME) is not None)


def has_inner(root: HtmlElement) -> bool:
    """Return whether an element contains a shadow root or a frame document."""
    return any(is_inner(template) for template in root.iter("template"))


def scope(element: HtmlElement) -> HtmlElement | None:
    """Return the root that contains an element, in which ids are unique; None for the document itself."""
    return next((template for template in element.iterancestors("template") if is_inner(template)), None)


def shadow_of(host: HtmlElement) -> HtmlElement | None:
    """Return the shadow root of an element, which is drawn instead of its content; None if it has none."""
    first = next(iter(host), None)
    return first if first is not None and first.tag == "template" and first.get(SHADOW) is not None else None


def slotted(slot: HtmlElement) -> Iterator[HtmlElement | str]:
    """Yield the host's nodes that a slot shows, in order; if there are none, it shows its own content."""
    root = scope(slot)
    host = None if root is None or root.get(SHADOW) is None else root.getparent()
    if root is None or host is None:
        return
    wanted = slot.get("name") or ""
    for child in host:
        if child is not root and isinstance(child.tag, str) and (child.get("slot") or "") == wanted:
            yield child
        if not wanted and child.tail:
            yield child.tail
