"""Finds the target of an action on a recorded page: by selectors, such as CSS, and by coordinates."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import cast

from cssselect import SelectorError
from lxml.cssselect import CSSSelector
from lxml.etree import LxmlError
from lxml.html import HtmlElement

from stressweb.html.accessible_name import Names, clean, role
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Box

_LONGEST = 2000
# A sibling or :has() condition takes quadratic time or worse, and recordings may be untrusted.
_SLOW = re.compile(r"~(?!=)|:(?:has|contains)\(", re.IGNORECASE)
_COMPILED_KEPT = 1024
_NTH = re.compile(r"(?P<of>.*?)\s*>>\s*nth=(?P<nth>\d+)\s*", re.DOTALL)
_HAS_TEXT = re.compile(r"""(?P<css>.*?):has-text\(\s*(?P<quote>["'])(?P<text>.*)(?P=quote)\s*\)""", re.DOTALL)
_TEXT = re.compile(r"""text=\s*(?:(?P<quote>["'])(?P<exact>.*)(?P=quote)|(?P<loose>.*))""", re.DOTALL)
_ROLE = re.compile(
    r"""role=(?P<role>\w+)(?:\[\s*name\s*=\s*(?P<quote>["'])(?P<name>.*)(?P=quote)\s*i?\s*\])?""", re.DOTALL
)


def by_css(root: HtmlElement, selector: str) -> list[HtmlElement]:
    """Return the elements for a CSS selector, in document order; none if it is not plain CSS, or a slow one."""
    if len(selector) > _LONGEST or _SLOW.search(selector):
        return []
    try:
        return cast("list[HtmlElement]", _compile(selector)(root))
    except (SelectorError, LxmlError, ValueError, RecursionError):
        return []


def elements_for_selector(root: HtmlElement, names: Names, selector: str) -> list[HtmlElement]:
    """Return the elements for a selector, in document order, as far as it is supported.

    Supported are CSS, and of Playwright's selectors `text=`, `role=` with a name, a CSS selector with `:has-text()`,
    and `>> nth=` after any of them.
    """
    if len(selector) > _LONGEST:
        return []
    if with_number := _NTH.fullmatch(selector):
        return elements_for_selector(root, names, with_number["of"])[int(with_number["nth"]) :][:1]
    if (by_role := _ROLE.fullmatch(selector)) is not None:
        return [
            element
            for element in root.iter("*")
            if role(element) == by_role["role"] and by_role["name"] in (None, names.name(element))
        ]
    if (by_text := _TEXT.fullmatch(selector)) is not None:
        return _smallest_with_text(root, names, by_text["exact"], by_text["loose"])
    if (with_text := _HAS_TEXT.fullmatch(selector)) is not None:
        wanted_text = clean(with_text["text"]).casefold()
        candidates = by_css(root, with_text["css"] or "*")
        return [element for element in candidates if wanted_text in names.text(element).casefold()]
    return by_css(root, selector)


def target_of(
    action: Action, root: HtmlElement, names: Names, boxes_in_document_order: Iterable[tuple[HtmlElement, Box | None]]
) -> HtmlElement | None:
    """Return the target of an action: the first match of its selector, or the element at its coordinates.

    `boxes_in_document_order` are the elements of the page with their boxes, None for elements that are not rendered.
    At a position, the last element counts, which is the innermost. None if there is no such element.
    """
    if action.selector:
        return next(iter(elements_for_selector(root, names, action.selector)), None)
    if action.x is None or action.y is None:
        return None
    innermost = None
    for element, box in boxes_in_document_order:
        if box and box[0] <= action.x < box[0] + box[2] and box[1] <= action.y < box[1] + box[3]:
            innermost = element
    return innermost


def _smallest_with_text(root: HtmlElement, names: Names, exact: str | None, loose: str | None) -> list[HtmlElement]:
    """Return the elements that contain a text, without those that contain a smaller one."""
    wanted_text = clean(exact if exact is not None else loose or "")

    def contains_text(element: HtmlElement) -> bool:
        text = names.text(element) or clean(element.get("value") or "" if element.tag == "input" else "")
        return text == wanted_text if exact is not None else wanted_text.casefold() in text.casefold()

    containing_elements = [element for element in root.iter("*") if contains_text(element)]
    their_ancestors = {holder for element in containing_elements for holder in element.iterancestors()}
    return [element for element in containing_elements if element not in their_ancestors]


@lru_cache(_COMPILED_KEPT)
def _compile(selector: str) -> CSSSelector:
    # Compiling takes ten times as long as searching, and agents press the same controls repeatedly.
    return CSSSelector(selector, translator="html")
