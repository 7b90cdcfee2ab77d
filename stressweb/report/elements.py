"""The element that an action was aimed at, as a reader would say it, and where it stood on the page."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, cast

from cssselect import SelectorError
from lxml.cssselect import CSSSelector
from lxml.etree import LxmlError
from lxml.html import HtmlElement

from stressweb.html.accessible_name import role
from stressweb.html.canonical import document
from stressweb.log.recording import Shown, StepRecord
from stressweb.perception.dom_view import DomView
from stressweb.plugins.agent import Box, Observation

TARGETS = {"selector": "", "to_selector": "to"}
"""The parameters that name an element, and the word that a reader sees in front of it."""
_LONGEST_NAME = 80
_LONGEST_SELECTOR = 2000
# A sibling or :has() condition takes time that grows with the square of the page, or worse: a recording may come from
# a stranger.
_SLOW = re.compile(r"~(?!=)|:(?:has|contains)\(", re.IGNORECASE)
# A parsed page takes many times its text, and the steps of a report come one after the other.
_PAGES_KEPT = 16
_SELECTORS_KEPT = 1024


class Element(NamedTuple):
    """One element that an action named."""

    parameter: str
    """The parameter of the action: a key of `TARGETS`."""
    said: str
    """Role and accessible name: `link "Bags and Luggage"`."""
    selector: str

    @property
    def before(self) -> str:
        """The word in front of it; empty for the target itself."""
        return TARGETS[self.parameter]


class Finder:
    """Finds elements on recorded pages; a page that several steps show is parsed once."""

    def __init__(self) -> None:
        """Begin with no page."""
        # A cache of this object and not of the module: the pages go when the episode has been written.
        self._view = lru_cache(_PAGES_KEPT)(_view)

    def elements(self, before: StepRecord | None, step: StepRecord) -> tuple[Element, ...]:
        """Return the elements that the action of a step named, as far as the page before it has them."""
        return tuple(
            Element(parameter, said(view, element), getattr(step.action, parameter))
            for parameter, view, element in self._found(before, step)
        )

    def box(self, before: StepRecord | None, step: StepRecord) -> Box | None:
        """Return the recorded box of what a pointer hits of the target; None if it is not known."""
        for parameter, view, element in self._found(before, step):
            if parameter == "selector":
                return view.box(view.surface(element))
        return None

    def _found(self, before: StepRecord | None, step: StepRecord) -> Iterator[tuple[str, DomView, HtmlElement]]:
        # An action that found nothing aimed at nothing, even if our engine of selectors is more lenient.
        if before is None or step.action is None or (step.outcome and step.outcome.reason in ("not found", "invalid")):
            return
        for parameter in TARGETS:
            selector = getattr(step.action, parameter)
            view = self._view(before.page) if selector else None
            element = None if view is None else _first(view, selector)
            if view is not None and element is not None:
                yield parameter, view, element


class _View(DomView):
    """A recorded page as it is asked for a few elements: most of its elements never become objects of Python."""

    @staticmethod
    def _document(observation: Observation) -> HtmlElement:
        return document(observation.html)


def said(view: DomView, element: HtmlElement) -> str:
    """Return role and accessible name of an element; without them its tag and the text in it."""
    # Of an element with a role the text is not taken: a list or a table would be said with all that it holds.
    name = view.accessible_name(element) or ("" if role(element) else view.visible_text(element))
    short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"
    what = role(element) or str(element.tag)
    return f'{what} "{short}"' if short else what


def _view(page: Shown) -> DomView | None:
    """Return a recorded page, parsed; None if it cannot be."""
    try:
        return _View(Observation(page.url, page.html, page.boxes))
    # A recorded page may be anything, and a report that misses one name is better than none.
    except (LxmlError, ValueError):
        return None


def _first(view: DomView, selector: str) -> HtmlElement | None:
    """Return the first element that a CSS selector names; None if there is none, or if it is no plain CSS."""
    if len(selector) > _LONGEST_SELECTOR or _SLOW.search(selector):
        return None
    try:
        found = cast("list[HtmlElement]", _compiled(selector)(view.root))
    # Playwright takes more selectors than CSS has. Those are shown as the agent wrote them.
    except (SelectorError, LxmlError, ValueError, RecursionError):
        return None
    return found[0] if found else None


@lru_cache(_SELECTORS_KEPT)
def _compiled(selector: str) -> CSSSelector:
    # Compiling takes ten times as long as looking, and agents press the same things again and again.
    return CSSSelector(selector, translator="html")
