"""The recorder's annotated copy of a page, read back: the site's tree, the states of its elements, and keys.

`copy.js` writes it: the document that the agent is shown, and in it what `notes.js` noted. Notes are attributes of
elements, and comments around texts; what their names begin with stands in the copy's first comment and nowhere else in
the page, so that no page can write a note.
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
# As in notes.js: nobody sees these, and nothing is noted where that is so.
_UNDRAWN = frozenset((
    "area", "base", "datalist", "frame-head", "head", "link", "meta", "noembed", "noframes", "noscript", "optgroup",
    "option", "param", "rp", "script", "source", "style", "template", "title", "track",
))  # fmt: skip
# Notes that say how something is; all others say that it is ours, was changed, or stands for a root.
_OF_THE_SITE = "disabled|hidden|key|mixed|modal|shown"
_DISABLED = frozenset(("button", "fieldset", "input", "optgroup", "option", "select", "textarea"))


class States(NamedTuple):
    """What a person sees or can do with an element, as the browser said it."""

    hidden: bool = False
    """It is not drawn, for whatever reason: attribute, style sheet, closed details."""
    inert: bool = False
    """It takes neither a click nor the focus: an element around it is inert, or a modal dialog of the site is open."""
    disabled: bool = False
    """Its own attribute or a fieldset around it disables it."""
    readonly: bool = False
    """What it holds can be read, but not changed."""
    open: bool = False
    """Details or a dialog, open."""
    modal: bool = False
    """A dialog that keeps all else from being used."""
    mixed: bool = False
    """A checkbox that is neither ticked nor not."""


class Annotated:
    """An annotated copy without its notes: what the site made, and what is known of it."""

    root: HtmlElement
    """The site's tree: what is ours is taken out, and what we changed is as the site wrote it."""
    states: dict[HtmlElement, States]
    """The states of each element of the tree, with what our wrappers do to it."""
    keys: dict[HtmlElement, str]
    """The keys of controls, where the copy has them."""
    wrappers: set[HtmlElement]
    """Our wrappers that stayed in the tree."""

    def __init__(
        self, text: str, keep: Callable[[HtmlElement], bool] = lambda wrapper: False, *, stated: bool = True
    ) -> None:
        """Read a copy; wrappers of ours stay in the tree if `keep` says so. Raises ValueError for another text.

        Unless `stated`, there are no states and keys, which take the most time: their notes must have been left out.
        """
        self._prefix, html = _parted(text)
        self.root = document(html)
        notes = self._taken(stated=stated)
        _forget_likes(self.root, notes)
        kinds = _kinds(notes)
        # States come first: what is ours may still hide, or disable, what is the site's.
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
        """Take all notes out of the tree, and restore its texts; return what is noted on elements, in their order."""
        prefix, start = self._prefix, len(self._prefix)
        for comment in [*self.root.iter(etree.Comment)]:
            content = comment.text or ""
            if content.startswith(prefix):
                name, _, value = content[start:].partition("=")
                # One text stands between the comment and the one that ends it.
                if name != "end":
                    comment.tail = unquote(value)
                comment.drop_tree()
        return _popped(self.root, prefix, stated=stated)


def _popped(root: HtmlElement, prefix: str, *, stated: bool) -> dict[HtmlElement, dict[str, str]]:
    """Take the notes off the elements of a tree; return them by name, in the order of the elements."""
    notes: dict[HtmlElement, dict[str, str]] = {}
    # Most elements bear no note, and asking each for its attributes costs an object.
    for element in _noted(prefix, stated=stated)(root):
        names = [name for name in element.attrib if name.startswith(prefix)]
        notes[element] = {name.removeprefix(prefix): element.attrib.pop(name) for name in names}
    return notes


@lru_cache
def _noted(prefix: str, *, stated: bool) -> Callable[[HtmlElement], Any]:
    """Return what finds the elements with notes; unless `stated`, roots, and those that are ours or were changed."""
    # Looking for three names takes less than half of the time. What else is noted of a change stands beside its kind.
    which = f"@*[starts-with(name(), '{prefix}')]" if stated else f"@{prefix}kind or @{prefix}text or @{prefix}root"
    return etree.XPath(f"descendant-or-self::*[{which}]")


def is_annotated(text: str) -> bool:
    """Return whether a text is an annotated copy; no document that a browser wrote out begins as one does."""
    return _HEAD.match(text) is not None


def site_tree(text: str) -> HtmlElement:
    """Return the site's tree of an annotated copy alone; raises ValueError for another text."""
    prefix, html = _parted(text)
    # Left out as text: most pages have no other notes, and then there is nothing to look for in the tree.
    left = re.sub(rf' {prefix}(?:{_OF_THE_SITE})="[^"]*"', "", html)
    if prefix not in left:
        return document(left)
    return Annotated(text[: -len(html)] + left, stated=False).root


def agents_copy(text: str) -> str:
    """Return the document that the agent was shown, exactly, from an annotated copy; raises ValueError."""
    prefix, html = _parted(text)
    return re.sub(rf' {prefix}[^\s=>]+="[^"]*"|<!--{prefix}[^>]*-->', "", html)


def agents_tree(text: str) -> tuple[HtmlElement, dict[HtmlElement, str]]:
    """Return the tree that the agent was shown, and the kind of each element that is ours or was changed by us.

    Raises ValueError for another text.
    """
    prefix, html = _parted(text)
    root = document(re.sub(rf"<!--{prefix}[^>]*-->", "", html))
    return root, _kinds(_popped(root, prefix, stated=True))


def agents_controls(text: str) -> tuple[HtmlElement, dict[HtmlElement, str]]:
    """Return the tree that the agent was shown, and the keys of the controls in it; raises ValueError."""
    prefix, html = _parted(text)
    root = document(re.sub(rf"<!--{prefix}[^>]*-->", "", html))
    notes = _popped(root, prefix, stated=True)
    return root, {element: note["key"] for element, note in notes.items() if "key" in note}


def _kinds(notes: dict[HtmlElement, dict[str, str]]) -> dict[HtmlElement, str]:
    return {element: note["kind"] for element, note in notes.items() if "kind" in note}


def _parted(text: str) -> tuple[str, str]:
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("this is no annotated copy: the comment that it begins with is missing")
    return head[1], text[head.end() :]


def _restore(notes: dict[HtmlElement, dict[str, str]]) -> None:
    """Put back what the site wrote on its elements."""
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
    """Take from templates of the page what would make them roots: only those that are noted are."""
    for element in root.iter("template"):
        if is_inner(element) and "root" not in notes.get(element, ()):
            element.attrib.pop(SHADOW, None)
            element.attrib.pop(FRAME, None)


def _page_of(element: HtmlElement) -> HtmlElement | None:
    """Return the document of a frame that an element stands in; None: the page itself."""
    return next((template for template in element.iterancestors("template") if template.get(FRAME) is not None), None)


def _states(root: HtmlElement, notes: dict[HtmlElement, dict[str, str]]) -> dict[HtmlElement, States]:
    """Return the states of each element, in document order."""
    modals = {element for element, note in notes.items() if "modal" in note and not _is_ours(element, notes)}
    # A modal dialog keeps what is in its own document from being used, and the frames there.
    held = {_page_of(modal) for modal in modals}
    pages: dict[HtmlElement, HtmlElement | None] = {}
    states: dict[HtmlElement, States] = {}
    nothing: dict[str, str] = {}
    # Of the elements so far: those that an attribute makes inert, and those that a modal dialog leaves usable.
    inert: set[HtmlElement] = set()
    usable: set[HtmlElement] = set()
    for element in root.iter(etree.Element):
        note, around, tag = notes.get(element, nothing), element.getparent(), element.tag
        page = None if around is None else pages.get(around)
        is_root = "root" in note
        if note.get("root") == "frame":
            frame, around, page = element.getprevious(), None, element
            # Of what stands around a frame, its document has this alone.
            if frame is not None and states[frame].inert:
                inert.add(element)
        pages[element] = page
        # Of what is in a root, the browser was asked without regard to what is around it.
        hidden = around is not None and not is_root and states[around].hidden
        # A modal dialog can be used wherever it stands.
        if element.get("inert") is not None or (around in inert and element not in modals):
            inert.add(element)
        if element in modals or around in usable:
            usable.add(element)
        undrawn = not is_root and (
            tag in _UNDRAWN or (tag == "input" and (element.get("type") or "").lower() == "hidden")
        )
        states[element] = States(
            hidden="hidden" in note or ((hidden or undrawn) and "shown" not in note),
            inert=element in inert or (page in held and element not in usable),
            disabled="disabled" in note or (tag in _DISABLED and element.get("disabled") is not None),
            readonly=tag in ("input", "textarea") and element.get("readonly") is not None,
            open=tag in ("details", "dialog") and element.get("open") is not None,
            modal="modal" in note,
            mixed="mixed" in note,
        )
    return states


def _is_ours(element: HtmlElement, notes: dict[HtmlElement, dict[str, str]]) -> bool:
    """Return whether an element is ours with all it holds, or stands in one."""
    return any(notes.get(ancestor, {}).get("kind") == "added" for ancestor in (element, *element.iterancestors()))


_SEEN = States()
