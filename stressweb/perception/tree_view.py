"""Reads a page by its accessibility tree alone, like a user of a screen reader."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import lxml.html
import yaml
from lxml import etree
from lxml.html import HtmlElement

from stressweb.html.accessible_name import clean, role
from stressweb.html.inner import FRAMES
from stressweb.perception.dom_view import ROWS, DomView, fit
from stressweb.plugins.agent import Observation

_HEAD = re.compile(r'(?P<role>[\w-]+)(?: (?P<name>"(?:[^"\\]|\\.)*"))?(?P<states>(?: \[[^\]]*\])*)')
_STATE = re.compile(r" \[(\w+)(?:=([^\]]*))?\]")
# lxml rejects these characters, and a page may use any of them in a name.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {
    "checkbox": "input", "combobox": "input", "link": "a", "listbox": "select", "option": "option", "radio": "input",
    "searchbox": "input", "slider": "input", "spinbutton": "input", "switch": "input", "textbox": "input",
}  # fmt: skip
_SPOKEN = frozenset(("button", "img", "menuitem", "tab"))
"""Further roles, beside those of `_TAGS`, with a name and no other text."""
_HOLDS = 4
"""Rank of a name that contains the words; every fit of `dom_view.fit` is closer."""

_FRAME = "iframe"
_SUMMARY = "data-summary"
"""Marks the button of a `details` element, for which the tree has only the words and no role."""

type _Tree = Any
"""The content of a snapshot node: a text, or a list of texts and of mappings from a node to its content."""


class TreeView(DomView):
    """One observation, known only by its URL and its accessibility tree.

    The tree, in the form of Playwright's aria snapshots, is converted to a small document: one element per node, with
    role, name, state and value. It has no styling and no microdata: elements belong to the item whose name precedes
    them in the nearest part of the tree.
    """

    @staticmethod
    def _document(observation: Observation) -> HtmlElement:
        root: HtmlElement = lxml.html.document_fromstring("<html><body></body></html>")
        # The base loader reads every value as a text: a button called "No" or "12" must remain one. Its C version is
        # ten times as fast, but missing where PyYAML was built without libyaml.
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        written = yaml.load(_ILLEGAL.sub("", observation.tree), loader)  # noqa: S506  texts only
        _add_nodes(root.find("body"), written or [])
        return root

    def value(self, element: HtmlElement) -> str:
        """Return the current value of a field; for an editor, all of its words."""
        return clean(" ".join(element.itertext())) if len(element) else super().value(element)

    def reads(self, element: HtmlElement, value: str) -> bool:
        """Whether a field holds `value`; the tree collapses white space."""
        return clean(self.value(element)) == clean(value)

    def takes_files(self, element: HtmlElement) -> bool:
        """Whether the element may be a file field: in the tree it is a button like others."""
        return role(element) == "button"

    def files(self, element: HtmlElement) -> tuple[str, ...]:
        """Return the file names listed after a file field: the tree does not show its value."""
        behind = next((sibling for sibling in element.itersiblings() if role(sibling) in ("list", "button")), None)
        listed = () if behind is None or role(behind) != "list" else behind.iter()
        return tuple(self.names.text(node) for node in listed if role(node) == "listitem")

    def selector(self, element: HtmlElement) -> str:
        """Return a selector of Playwright's role engine: role, name, and the number among equal ones.

        Elements in a frame are searched in the document of that frame.
        """
        element_role, called, frame = role(element), self._exact_name(element), _frame_of(element)
        if _folds(element) and (group := element.getparent()) is not None:
            return f"{self.selector(group)} >> summary"
        # Without a name, Playwright counts all elements of the role.
        alike = [
            control
            for control, kind in self._controls
            if kind == element_role
            and called in ("", self._exact_name(control))
            and _frame_of(control) is frame
            and not _folds(control)
        ]
        name = f"[name={json.dumps(called, ensure_ascii=False)}s]" if called else ""
        return f"{self._way_into(frame)}role={element_role}{name} >> nth={alike.index(element)}"

    def _way_into(self, frame: HtmlElement | None) -> str:
        """Return the prefix of selectors for elements in a frame; empty for the page itself."""
        if frame is None:
            return ""
        parent_frame = _frame_of(frame)
        siblings = [node for node in self.root.iter() if node.get("role") == _FRAME and _frame_of(node) is parent_frame]
        return (
            f"{self._way_into(parent_frame)}{FRAMES} >> nth={siblings.index(frame)} >> internal:control=enter-frame >> "
        )

    def style_signature(self, element: HtmlElement) -> str:
        """Return nothing: the tree has no styling."""
        return ""

    @cached_property
    def style_counts(self) -> Counter[str]:
        """Empty, because the tree has no styling."""
        return Counter()

    @staticmethod
    def _exact_name(element: HtmlElement) -> str:
        """Return the name exactly as in the tree, because it is used to find the element again."""
        # Not the accessible name, which lacks zero-width characters.
        return element.get("aria-label") or element.get("title") or ""

    def _within(self, matches: list[HtmlElement], on: str) -> list[HtmlElement]:
        """Return the matches that belong to the item called `on`."""
        for named in self._named_elements(on):
            # A name is often a link within a heading, and the next item begins with a heading as well.
            title = next((node for node in (named, *named.iterancestors()) if role(node) == "heading"), named)
            nearby = self._not_of_others(matches, named)
            for holder in (named, *named.iterancestors()):
                descendants = [node for node in nearby if self.inside(node, holder)]
                if not descendants:
                    continue
                before, after = self._around(title, holder, descendants)
                if after:
                    return after
                # What stands under another heading belongs to that one, even if it is the only match.
                own = before if role(title) == "heading" else descendants
                if len(own) == 1 or (own and role(holder) in ROWS):
                    return own
                break
        return []

    def _around(
        self, title: HtmlElement, holder: HtmlElement, matches: list[HtmlElement]
    ) -> tuple[list[HtmlElement], list[HtmlElement]]:
        """Return the matches before every title in `holder`, and those between `title` and the next one."""
        start = self._order[title]
        after = start + sum(1 for _ in title.iter())
        others = [self._order[node] for node in holder.iter() if _alike(node, title) and node not in matches]
        first = min((start, *others))
        end = min((position for position in others if position >= after), default=len(self._order))
        return (
            [node for node in matches if self._order[node] < first],
            [node for node in matches if start <= self._order[node] < end],
        )

    def _named_elements(self, on: str) -> list[HtmlElement]:
        """Return the elements called `on`, the best fit first; then those that contain it."""
        # Headings first: an item usually has its name as a heading, and menus that lead to it do not.
        ranked = [
            (rank, role(node) != "heading", position, node)
            for node, position in self._order.items()
            if (rank := self._rank(node, on)) is not None
        ]
        return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:-1])]

    def _rank(self, element: HtmlElement, on: str) -> int | None:
        words = [word for word in (self._exact_name(element), element.text) if word]
        ranks = [rank for word in words if (rank := fit(word, on)) is not None]
        return min(ranks, default=_HOLDS if any(_bare(on) in _bare(word) for word in words) else None)

    @cached_property
    def _order(self) -> dict[HtmlElement, int]:
        return {element: position for position, element in enumerate(self.root.iter())}


def _alike(element: HtmlElement, title: HtmlElement) -> bool:
    """Whether an element begins a similar section: the same role, or a heading of the same or a higher level."""
    if role(title) == "heading" and role(element) == "heading":
        # Levels are single digits, so comparing them as text is correct.
        return bool(element.get("aria-level", "") <= title.get("aria-level", ""))
    return element is not title and role(element) == role(title)


def _bare(text: str) -> str:
    return clean(text).replace(" ", "").casefold()


def _folds(element: HtmlElement) -> bool:
    """Whether an element is the button of a `details` element, which has no role in the tree."""
    return element.get(_SUMMARY) is not None


def _frame_of(element: HtmlElement) -> HtmlElement | None:
    """Return the frame that contains a node."""
    return next((ancestor for ancestor in element.iterancestors() if ancestor.get("role") == _FRAME), None)


def _add_nodes(parent: HtmlElement, tree: _Tree) -> None:
    """Add the nodes of a tree to the document, below `parent`."""
    if isinstance(tree, str):
        _say(parent, tree)
        return
    for node in tree:
        # In YAML a bare node is a text, and a node with content a mapping with one key.
        for head, children in node.items() if isinstance(node, Mapping) else [(node, "")]:
            # Properties such as /url are written like children.
            if head.startswith("/"):
                parent.set({"url": "href"}.get(head[1:], head[1:]), children)
            # A separate element, so that several texts of a node keep their order among its other children.
            elif head == "text" and parent.tag != "input":
                etree.SubElement(parent, "div").text = children
            elif head == "text":
                _say(parent, children)
            else:
                element = _element(parent, head, children)
                _add_nodes(element, children)
                if head == "group":
                    _button_of(element)


def _button_of(group: HtmlElement) -> None:
    """Turn the first part of an unnamed group into the button that opens and closes it."""
    first = group[0] if len(group) and group[0].get("role") is None else None
    text = group.text if first is None else first.text
    if text:
        button = etree.Element("div", {"role": "button", "aria-label": text, _SUMMARY: ""})
        group.text = None
        if first is not None:
            group.remove(first)
        group.insert(0, button)


def _say(parent: HtmlElement, text: str) -> None:
    """Store the text of a node: a field's value, or else its content."""
    if not text:
        return
    if parent.tag == "input":
        parent.set("value", text)
    else:
        parent.text = text


def _element(parent: HtmlElement, head: str, children: _Tree) -> HtmlElement:
    """Return a new element for a node; a combobox with a list of options becomes a select."""
    match = _HEAD.fullmatch(head)
    # Unknown nodes are still content of the page.
    if match is None:
        element = etree.SubElement(parent, "div")
        element.text = head
        return element
    node_role = match["role"]
    tag = _TAGS.get(node_role, "div")
    # The tree calls selects and editable fields comboboxes alike; only a select lists its options. Twelve characters
    # contain the role of a node, bare or in a mapping, and little of its name.
    if node_role == "combobox" and isinstance(children, list) and any("option" in str(node)[:12] for node in children):
        tag = "select"
    # Suggestions of a field are beside it: not a select, which would be a value of the page.
    elif node_role == "listbox" and any(option_list.get("aria-expanded") for option_list in parent):
        tag = "div"
    element = etree.SubElement(parent, tag, role=node_role)
    if match["name"]:
        _name(element, node_role, json.loads(match["name"]), children)
    for state, value in _STATE.findall(match["states"]):
        if state in ("checked", "disabled", "selected") and value in ("", "true"):
            element.set(state, "")
        elif state == "level":
            element.set("aria-level", value)
        elif state == "expanded" and node_role == "combobox" and value in ("", "true"):
            element.set("aria-expanded", "true")
    return element


def _name(element: HtmlElement, node_role: str, name: str, children: _Tree) -> None:
    """Name an element so that the name is read once: as its label, or beside its content."""
    if node_role in _TAGS or node_role in _SPOKEN:
        element.set("aria-label", name)
        if node_role == "option":
            element.text = name
    elif children:
        element.set("title", name)
    else:
        element.set("title", name)
        element.text = name
