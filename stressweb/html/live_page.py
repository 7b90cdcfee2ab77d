"""A page as its own scripts have drawn it since it was served: what is new on it, and what that is called."""

from lxml.html import HtmlElement

from stressweb.html.canonical import site_tree
from stressweb.html.page import Page


class Drawn(Page):
    """A page of the agent's browser whose scripts added elements that bear no mark.

    `nodes` and `controls` are the new ones only. Names, ordinals and keys are those of a clean page that stands as
    this one does, so that the same control has the same key whenever and in whatever order it was drawn.
    """

    drawn = True

    def __init__(self, html: str, path: str, before: Page, number: str) -> None:
        """Read the live document at `path` that `before` has become.

        Its unmarked elements bear an attribute of the name `number`, which counts them from 0; `before` gives the
        marks, from the same stream as its own.
        """
        # These come before the constructor of Page, which reads the document and marks its elements.
        self._before = before
        self._number = number
        self.tokens: dict[int, str] = {}
        """The new marks, by the numbers of the elements."""
        super().__init__(html, before.site, path, before.marks, before.document, before.hosts)
        self.named_elsewhere = before.named_elsewhere
        fresh = set(self.tokens.values())
        # The whole page was read to get the ordinals right, but only what is new may be disturbed: the rest already is.
        self.nodes = [node for node in self.every_node if node.token in fresh]
        self.controls = [control for control in self.every_control if control.token in fresh]
        # The next drawing must find these marks, or it would take the elements for new ones again.
        before.known.update(fresh)

    def token(self) -> str:
        """Return a fresh mark of the document that was served."""
        return self._before.token()

    def pool(self, size: int) -> list[str]:
        """Return the marks for nodes of ours that the served document has."""
        return self._before.pool(size)

    def classes(self, element: HtmlElement) -> str:
        """Return the classes of an element of the site as it wrote them."""
        return " ".join(name for name in (element.get("class") or "").split() if name not in self._before.known)

    def _parsed(self, html: str) -> HtmlElement:
        # Our own nodes are left out before anything is counted: they would move the ordinals that are part of keys.
        return site_tree(html, self.marks.key)

    def _mark(self, element: HtmlElement) -> str:
        """Return the mark of an element: the one that it was served with, or a new one."""
        # Taken off while it is read, so that it is no attribute of the element to anything that comes after.
        number = element.attrib.pop(self._number, None)
        if number is None:
            return next((name for name in (element.get("class") or "").split() if name in self._before.known), "")
        return self.tokens.setdefault(int(number), self._before.token())
