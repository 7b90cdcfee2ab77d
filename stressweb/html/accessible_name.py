"""Role and accessible name of elements, a subset of WAI-ARIA and accname."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from lxml.html import HtmlElement

from stressweb.html.inner import has_inner, is_inner, scope, shadow_of, slotted

type Hidden = Callable[[HtmlElement], bool]

INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD])
"""Invisible characters: zero-width spaces and joiners, the byte order mark, the soft hyphen."""

_INVISIBLE = re.compile(f"[{''.join(map(chr, INVISIBLE))}]")

# Spelled out, because pages are also read without a browser: at the proxy, and for grading. A test compares roles and
# names with Chromium's.
_ROLES = {
    "article": "article", "aside": "complementary", "button": "button", "datalist": "listbox", "dd": "definition",
    "details": "group", "dialog": "dialog", "dt": "term", "fieldset": "group", "figure": "figure", "form": "form",
    "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
    "hr": "separator", "li": "listitem", "main": "main", "menu": "list", "meter": "meter", "nav": "navigation",
    "ol": "list", "optgroup": "group", "option": "option", "output": "status", "progress": "progressbar",
    "search": "search", "summary": "button", "table": "table", "tbody": "rowgroup", "td": "cell",
    "textarea": "textbox", "tfoot": "rowgroup", "th": "columnheader", "thead": "rowgroup", "tr": "row", "ul": "list",
}  # fmt: skip

_INPUTS = {
    "button": "button", "checkbox": "checkbox", "email": "textbox", "file": "button", "hidden": "", "image": "button",
    "number": "spinbutton", "password": "textbox", "radio": "radio", "range": "slider", "reset": "button",
    "search": "searchbox", "submit": "button", "tel": "textbox", "text": "textbox", "url": "textbox",
}  # fmt: skip

_NAMED_BY_CONTENT = frozenset((
    "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem", "option", "radio", "row",
    "rowheader", "switch", "tab", "tooltip", "treeitem",
))  # fmt: skip
_SECTIONING = frozenset(("article", "aside", "main", "nav", "section"))
_FIELDS = frozenset(("input", "select", "textarea", "meter", "progress", "output", "button"))
_VALUES = frozenset(("input", "select", "textarea"))
_SILENT = frozenset(("script", "style", "template", "noscript", "head", "frame-head", "datalist"))
# Without blanks around blocks, "Red" and "shoe" in two of them would be one word.
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "button", "caption", "dd", "details", "dialog", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "input", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "search", "section",
    "select", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
# Chromium's texts for buttons without a value.
_PRESS = {"submit": "Submit", "reset": "Reset", "image": "Submit"}


def clean(text: str) -> str:
    """Return `text` as it is seen: invisible characters removed, white space collapsed and trimmed."""
    # No invisible character is ASCII, and translating goes letter by letter: checking first takes a tenth of the time.
    if not text.isascii() and _INVISIBLE.search(text):
        text = text.translate(INVISIBLE)
    return " ".join(text.split())


def role(element: HtmlElement) -> str:
    """Return the ARIA role of an element, an explicit one first; "" without a role."""
    explicit = element.get("role")
    if explicit and (words := explicit.split()):
        return "" if words[0] in ("none", "presentation") else words[0].lower()
    tag = element.tag
    # In lxml the tag of a comment is a function.
    if not isinstance(tag, str):
        return ""
    special = _SPECIAL.get(tag)
    return special(element) if special else _ROLES.get(tag, "")


def name(element: HtmlElement) -> str:
    """Return the accessible name of one element; for many elements of a tree use one `Names`."""
    return Names(element.getroottree().getroot()).name(element)


class Names:
    """Accessible names and texts in one tree; ids and labels are looked up once.

    `hidden` returns whether the browser draws no box for an element. Without it only `hidden`, `aria-hidden="true"` and
    elements that are never drawn are excluded. The tree must not change.
    """

    def __init__(self, root: HtmlElement, hidden: Hidden | None = None) -> None:
        """Prepare for the tree under `root`."""
        self._root = root
        self._hidden = hidden

    def name(self, element: HtmlElement) -> str:
        """Return the accessible name of an element of the tree; "" without a name."""
        # In accname's order: references, label, own content, and the tooltip last.
        if referred := self._name_by_reference(element):
            return referred
        if label := clean(element.get("aria-label") or ""):
            return label
        return self._native(element) or clean(element.get("title") or element.get("placeholder") or "")

    def text(self, element: HtmlElement) -> str:
        """Return the text of an element, without the values of form fields, collapsed."""
        return clean("".join(self._pieces(element)))

    def labels(self, element: HtmlElement) -> list[HtmlElement]:
        """Return the `label` elements of a form field, in document order."""
        return self._labels.get(element, [])

    def labelled(self, label: HtmlElement) -> HtmlElement | None:
        """Return the form field of a `label` element."""
        # `for` takes precedence over a field inside the label, even if no element has this id.
        if (target := label.get("for")) is not None:
            return self._by_id(label, target)
        return next((field for field in label.iter(*_FIELDS) if field.get("type") != "hidden"), None)

    @cached_property
    def _deep(self) -> bool:
        """Whether the tree has shadow roots or frame documents."""
        return has_inner(self._root)

    @cached_property
    def _ids(self) -> dict[tuple[HtmlElement | None, str], HtmlElement]:
        elements: dict[tuple[HtmlElement | None, str], HtmlElement] = {}
        for element in self._root.xpath("descendant-or-self::*[@id]"):
            # For a duplicate id, browsers find the first element.
            elements.setdefault((scope(element) if self._deep else None, element.get("id")), element)
        return elements

    def _by_id(self, element: HtmlElement, identifier: str) -> HtmlElement | None:
        """Return the element with an id in the same root as another element."""
        return self._ids.get((scope(element) if self._deep else None, identifier))

    @cached_property
    def _labels(self) -> dict[HtmlElement, list[HtmlElement]]:
        labels: dict[HtmlElement, list[HtmlElement]] = {}
        for label in self._root.iter("label"):
            if (field := self.labelled(label)) is not None:
                labels.setdefault(field, []).append(label)
        return labels

    def _name_by_reference(self, element: HtmlElement) -> str:
        references = element.get("aria-labelledby")
        if not references:
            return ""
        targets = [self._by_id(element, reference) for reference in references.split()]
        return clean(" ".join(self._reference(target) for target in targets if target is not None))

    def _reference(self, element: HtmlElement) -> str:
        # `aria-labelledby` is not followed from here: accname allows one step, so that two elements may name each
        # other.
        return element.get("aria-label") or element.get("alt") or "".join(self._pieces(element))

    def _native(self, element: HtmlElement) -> str:
        tag = element.tag
        if tag in _FIELDS and (labels := self._labels.get(element)):
            # A hidden label still names a field without another one, as accname requires.
            drawn = [label for label in labels if not self._is_left_out(label)] or labels
            if text := clean(" ".join("".join(self._pieces(label)) for label in drawn)):
                return text
        if tag == "input":
            return self._input_name(element)
        if tag in ("img", "area"):
            return clean(element.get("alt") or "")
        if tag in ("fieldset", "table", "figure", "optgroup"):
            return self._name_by_caption(element, tag)
        return self.text(element) if role(element) in _NAMED_BY_CONTENT else ""

    def _input_name(self, element: HtmlElement) -> str:
        kind = (element.get("type") or "text").lower()
        if kind == "image" and (alt := clean(element.get("alt") or "")):
            return alt
        if kind == "file":
            return "Choose File" if element.get("multiple") is None else "Choose Files"
        if kind in ("submit", "reset", "button", "image"):
            value = element.get("value")
            # An empty value is a button without text; only a missing one gives the browser's text.
            return clean(_PRESS.get(kind, "") if value is None else value)
        return ""

    def _name_by_caption(self, element: HtmlElement, tag: str) -> str:
        if tag == "optgroup":
            return clean(element.get("label") or "")
        heading = next(element.iterchildren({"fieldset": "legend", "table": "caption"}.get(tag, "figcaption")), None)
        return "" if heading is None else self.text(heading)

    def _is_left_out(self, element: HtmlElement) -> bool:
        if element.tag in _SILENT and not is_inner(element):
            return True
        if element.get("aria-hidden") == "true" or element.get("hidden") is not None:
            return True
        return self._hidden is not None and self._hidden(element)

    def _pieces(self, element: HtmlElement) -> Iterator[str]:
        """Yield the texts in an element as drawn, with blanks around blocks."""
        if self._deep and (drawn := self._drawn_instead(element)):
            for node in drawn:
                if isinstance(node, str):
                    yield node
                elif not self._is_left_out(node):
                    yield from self._child(node)
            return
        if element.text:
            yield element.text
        for child in element:
            if child.tag == "br":
                yield " "
            elif isinstance(child.tag, str) and not self._is_left_out(child):
                yield from self._child(child)
            if child.tail:
                yield child.tail

    def _drawn_instead(self, element: HtmlElement) -> list[HtmlElement | str]:
        """Return the content that is drawn instead of an element's own: its shadow root, or the nodes of its slot."""
        if element.tag == "slot":
            return [*slotted(element)]
        shadow = shadow_of(element)
        return [] if shadow is None else [shadow]

    def _child(self, child: HtmlElement) -> Iterator[str]:
        block = child.tag in _BLOCKS
        if block:
            yield " "
        if child.tag == "img":
            yield child.get("aria-label") or child.get("alt") or ""
        elif child.get("aria-label") and role(child):
            yield child.get("aria-label")
        # A field's value is not part of a name: controls are found by name and draws depend on it, so typing must not
        # change it.
        elif child.tag not in _VALUES:
            yield from self._pieces(child)
        if block:
            yield " "


def _input_role(element: HtmlElement) -> str:
    return _INPUTS.get((element.get("type") or "text").lower(), "textbox")


def _select_role(element: HtmlElement) -> str:
    # A select with several rows is drawn as a list, with another role and other keys.
    several = element.get("multiple") is not None or (element.get("size") or "1") not in ("0", "1")
    return "listbox" if several else "combobox"


def _image_role(element: HtmlElement) -> str:
    # An empty alt marks a decorative picture; a missing one says nothing.
    return "" if element.get("alt") == "" else "img"


def _region_role(element: HtmlElement) -> str:
    return "region" if element.get("aria-label") or element.get("aria-labelledby") else ""


def _header_role(element: HtmlElement) -> str:
    return _landmark(element, {"header": "banner", "footer": "contentinfo"}[element.tag])


def _landmark(element: HtmlElement, landmark: str) -> str:
    # The header of an article is not the page's.
    return "" if any(above.tag in _SECTIONING for above in element.iterancestors()) else landmark


def _link_role(element: HtmlElement) -> str:
    return "link" if element.get("href") is not None else ""


def _head_cell_role(element: HtmlElement) -> str:
    return "rowheader" if element.get("scope") in ("row", "rowgroup") else "columnheader"


_SPECIAL: dict[str, Callable[[HtmlElement], str]] = {
    "a": _link_role, "area": _link_role, "footer": _header_role, "header": _header_role, "img": _image_role,
    "input": _input_role, "section": _region_role, "select": _select_role, "th": _head_cell_role,
}  # fmt: skip
