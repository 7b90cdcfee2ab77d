"""What a document holds beside its elements' content, as a copy writes it: shadow roots, and documents of frames.

A shadow root is a `template` element with the attribute `shadowrootmode`, the first child of its host, as HTML has it.
The document of a frame is a `template` element with the attribute `framedocument` right behind its frame; what `html`,
`head` and `body` are in it is called `frame-html`, `frame-head` and `frame-body`, since no parser leaves these in the
middle of a document.
"""

from collections.abc import Iterator

from lxml.html import HtmlElement

SHADOW, FRAME = "shadowrootmode", "framedocument"
"""The attributes by which templates of roots and of frames are known."""
FRAMES = 'iframe:visible:not([aria-hidden="true"]):not([aria-hidden="true"] *)'
"""Playwright's selector of the frames that an accessibility tree has a node for, in the same order."""


def is_inner(element: HtmlElement) -> bool:
    """Return whether an element stands for a shadow root or for the document of a frame."""
    return element.tag == "template" and (element.get(SHADOW) is not None or element.get(FRAME) is not None)


def has_inner(root: HtmlElement) -> bool:
    """Return whether there is a shadow root or the document of a frame below an element."""
    return any(is_inner(template) for template in root.iter("template"))


def scope(element: HtmlElement) -> HtmlElement | None:
    """Return the root that an element stands in, within which ids hold; None: the document itself."""
    return next((template for template in element.iterancestors("template") if is_inner(template)), None)


def shadow_of(host: HtmlElement) -> HtmlElement | None:
    """Return the shadow root of an element, which is drawn in the place of what it holds; None if it has none."""
    first = next(iter(host), None)
    return first if first is not None and first.tag == "template" and first.get(SHADOW) is not None else None


def slotted(slot: HtmlElement) -> Iterator[HtmlElement | str]:
    """Yield what a slot shows of what its host holds: elements and texts, in order; nothing: it shows its own."""
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
