"""Reads the recorder's annotated copy of a page: the site's tree, and the states and keys of its elements.

`copy.js` writes it: the document that the agent is shown, with the notes of `notes.js`. Notes are attributes of
elements, and comments around texts. The prefix of their names is in the copy's first comment and nowhere else in the
page, so that no page can forge a note.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from lxml import etree
from lxml.html import HtmlElement

from stressweb.html.canonical import document
from stressweb.html.inner import FRAME, SHADOW, is_inner

_HEAD = re.compile(r"<!--(sw[0-9]+-)notes-->")
# As in notes.js: elements that are never visible, so that they get no notes.
_UNDRAWN = frozenset((
    "area", "base", "datalist", "frame-head", "head", "link", "meta", "noembed", "noframes", "noscript", "optgroup",
    "option", "param", "rp", "script", "source", "style", "template", "title", "track",
))  # fmt: skip
# Notes about states; all others mark nodes that are ours, changed, or roots.
_OF_THE_SITE = "disabled|hidden|key|mixed|modal|shown"
_DISABLED = frozenset(("button", "fieldset", "input", "optgroup", "option", "select", "textarea"))


class States(NamedTuple):
    """Visible or usable states of an element, as reported by the browser."""

    hidden: bool = False
    """Not drawn, for any reason: attribute, style sheet, closed details."""
    inert: bool = False
    """Takes neither clicks nor focus: it is inside an inert element, or a modal dialog of the site is open."""
    disabled: bool = False
    """Disabled by its own attribute or by a fieldset."""
    readonly: bool = False
    """Its value can be read, but not changed."""
    open: bool = False
    """An open details element or dialog."""
    modal: bool = False
    """A dialog that blocks everything else."""
    mixed: bool = False
    """An indeterminate checkbox."""


class Annotated:
    """An annotated copy without its notes: the site's content and states."""

    root: HtmlElement
    """The site's tree, without our nodes and with our changes undone."""
    states: dict[HtmlElement, States]
    """The states of each element of the tree, including effects of our wrappers."""
    keys: dict[HtmlElement, str]
    """The keys of controls, if the copy has them."""
    wrappers: set[HtmlElement]
    """Our wrappers that stayed in the tree."""

    def __init__(
        self, text: str, keep: Callable[[HtmlElement], bool] = lambda wrapper: False, *, stated: bool = True
    ) -> None:
        """Read a copy; our wrappers stay in the tree if `keep` returns True. Raises ValueError for another text.

        Without `stated`, there are no states and keys, which take the most time: their notes must have been removed.
        """
        self._prefix, html = _split(text)
        self.root = document(html)
        notes = self._taken(stated=stated)
        _forget_likes(self.root, notes)
        kinds = _kinds_of_change(notes)
        # States come first: our nodes may hide or disable the site's.
        self.states = _states(self.root, notes) if stated else {}
        _restore(notes)
        self.wrappers = {element for element, kind in kinds.items() if kind == "wrapper" and keep(element)}
        for element, kind in kinds.items():
            if kind == "added":
                element.drop_tree()
            elif kind == "wrapper" and element not in self.wrappers:
                element.drop_tag()
        self.keys = {element: note["key"] for element, note in notes.items() if "key" in note}

    def _taken(self, *, stated: bool) -> dict[HtmlElement, dict[str, str]]:
        """Remove all notes from the tree, and restore its texts; return the notes of elements, in their order."""
        prefix, start = self._prefix, len(self._prefix)
        for comment in [*self.root.iter(etree.Comment)]:
            content = comment.text or ""
            if content.startswith(prefix):
                name, _, value = content[start:].partition("=")
                # There is one text between the comment and its end mark.
                if name != "end":
                    comment.tail = unquote(value)
                comment.drop_tree()
        return _pop_notes(self.root, prefix, stated=stated)


def _pop_notes(root: HtmlElement, prefix: str, *, stated: bool) -> dict[HtmlElement, dict[str, str]]:
    """Remove the notes of elements from a tree; return them by name, in the order of the elements."""
    notes: dict[HtmlElement, dict[str, str]] = {}
    # Most elements have no notes, and reading attributes creates an object for each.
    for element in _note_finder(prefix, stated=stated)(root):
        names = [name for name in element.attrib if name.startswith(prefix)]
        notes[element] = {name.removeprefix(prefix): element.attrib.pop(name) for name in names}
    return notes


@lru_cache
def _note_finder(prefix: str, *, stated: bool) -> Callable[[HtmlElement], Any]:
    """Return a finder for elements with notes; without `stated`, only for roots, and for our or changed elements."""
    # Searching for three names takes less than half of the time. Other notes of a change accompany its kind.
    which = f"@*[starts-with(name(), '{prefix}')]" if stated else f"@{prefix}kind or @{prefix}text or @{prefix}root"
    return etree.XPath(f"descendant-or-self::*[{which}]")


def is_annotated(text: str) -> bool:
    """Return whether a text is an annotated copy; no other document from a browser begins like one."""
    return _HEAD.match(text) is not None


def site_tree(text: str) -> HtmlElement:
    """Return only the site's tree of an annotated copy; raises ValueError for another text."""
    prefix, html = _split(text)
    # Removed as text: most pages have no other notes, and then the tree need not be searched.
    site_html = re.sub(rf' {prefix}(?:{_OF_THE_SITE})="[^"]*"', "", html)
    if prefix not in site_html:
        return document(site_html)
    return Annotated(text[: -len(html)] + site_html, stated=False).root


def html_for_agent(text: str) -> str:
    """Return the document exactly as the agent was shown it, from an annotated copy; raises ValueError."""
    prefix, html = _split(text)
    return re.sub(rf' {prefix}[^\s=>]+="[^"]*"|<!--{prefix}[^>]*-->', "", html)


def agents_tree(text: str) -> tuple[HtmlElement, dict[HtmlElement, str]]:
    """Return the tree that the agent was shown, and the kind of each element that is ours or changed.

    Raises ValueError for another text.
    """
    prefix, html = _split(text)
    root = document(re.sub(rf"<!--{prefix}[^>]*-->", "", html))
    return root, _kinds_of_change(_pop_notes(root, prefix, stated=True))


def agents_controls(text: str) -> tuple[HtmlElement, dict[HtmlElement, str]]:
    """Return the tree that the agent was shown, and the keys of the controls in it; raises ValueError."""
    prefix, html = _split(text)
    root = document(re.sub(rf"<!--{prefix}[^>]*-->", "", html))
    notes = _pop_notes(root, prefix, stated=True)
    return root, {element: note["key"] for element, note in notes.items() if "key" in note}


def _kinds_of_change(notes: dict[HtmlElement, dict[str, str]]) -> dict[HtmlElement, str]:
    return {element: note["kind"] for element, note in notes.items() if "kind" in note}


def _split(text: str) -> tuple[str, str]:
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("this is no annotated copy: the comment that it begins with is missing")
    return head[1], text[head.end() :]


def _restore(notes: dict[HtmlElement, dict[str, str]]) -> None:
    """Restore the site's attributes and texts."""
    for element, note in notes.items():
        for name, value in note.items():
            kind, _, attribute = name.partition("-")
            if kind == "was":
                element.set(attribute, value)
            elif kind == "new":
                element.attrib.pop(attribute, None)
            elif name == "text":
                element.text = value


def _forget_likes(root: HtmlElement, notes: dict[HtmlElement, dict[str, str]]) -> None:
    """Remove the attributes of roots from templates of the page: only noted ones are roots."""
    for element in root.iter("template"):
        if is_inner(element) and "root" not in notes.get(element, ()):
            element.attrib.pop(SHADOW, None)
            element.attrib.pop(FRAME, None)


def _page_of(element: HtmlElement) -> HtmlElement | None:
    """Return the frame document that contains an element; None for the page itself."""
    return next((template for template in element.iterancestors("template") if template.get(FRAME) is not None), None)


def _states(root: HtmlElement, notes: dict[HtmlElement, dict[str, str]]) -> dict[HtmlElement, States]:
    """Return the states of each element, in document order."""
    modals = {element for element, note in notes.items() if "modal" in note and not _is_ours(element, notes)}
    # A modal dialog blocks its own document, and the frames there.
    modal_pages = {_page_of(modal) for modal in modals}
    pages: dict[HtmlElement, HtmlElement | None] = {}
    states: dict[HtmlElement, States] = {}
    nothing: dict[str, str] = {}
    # Of the elements so far: those that an attribute makes inert, and those that a modal dialog leaves usable.
    inert: set[HtmlElement] = set()
    usable: set[HtmlElement] = set()
    for element in root.iter(etree.Element):
        note, parent, tag = notes.get(element, nothing), element.getparent(), element.tag
        page = None if parent is None else pages.get(parent)
        is_root = "root" in note
        if note.get("root") == "frame":
            frame, parent, page = element.getprevious(), None, element
            # Elements around a frame affect its document only by being inert.
            if frame is not None and states[frame].inert:
                inert.add(element)
        pages[element] = page
        # The browser reported the states inside a root independently of its surroundings.
        hidden = parent is not None and not is_root and states[parent].hidden
        # A modal dialog is usable wherever it is.
        if element.get("inert") is not None or (parent in inert and element not in modals):
            inert.add(element)
        if element in modals or parent in usable:
            usable.add(element)
        undrawn = not is_root and (
            tag in _UNDRAWN or (tag == "input" and (element.get("type") or "").lower() == "hidden")
        )
        states[element] = States(
            hidden="hidden" in note or ((hidden or undrawn) and "shown" not in note),
            inert=element in inert or (page in modal_pages and element not in usable),
            disabled="disabled" in note or (tag in _DISABLED and element.get("disabled") is not None),
            readonly=tag in ("input", "textarea") and element.get("readonly") is not None,
            open=tag in ("details", "dialog") and element.get("open") is not None,
            modal="modal" in note,
            mixed="mixed" in note,
        )
    return states


def _is_ours(element: HtmlElement, notes: dict[HtmlElement, dict[str, str]]) -> bool:
    """Return whether an element is ours, or inside one of ours."""
    return any(notes.get(ancestor, {}).get("kind") == "added" for ancestor in (element, *element.iterancestors()))


_SEEN = States()
