"""The target element of an action: its label, and its position on the page."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lxml.etree import LxmlError
from lxml.html import HtmlElement

from stressweb.html.canonical import document
from stressweb.log.recording import Shown, StepRecord
from stressweb.perception.dom_view import DomView
from stressweb.perception.element_label import element_label
from stressweb.perception.selectors import by_css
from stressweb.plugins.agent import Box, Observation

TARGETS = {"selector": "", "to_selector": "to"}
"""Parameters that name an element, and the word before it."""
# A parsed page is much larger than its text, and the steps of a report are processed in order.
_PAGES_KEPT = 16


class Element(NamedTuple):
    """An element that an action named."""

    parameter: str
    """The parameter of the action: a key of `TARGETS`."""
    label: str
    """Role and accessible name: `link "Bags and Luggage"`."""
    selector: str

    @property
    def before(self) -> str:
        """The word before it; "" for the target itself."""
        return TARGETS[self.parameter]


class Finder:
    """Finds elements on recorded pages; a page in several steps is parsed once."""

    def __init__(self) -> None:
        """Start without pages."""
        # A cache of this object and not of the module: pages are freed after the episode.
        self._view = lru_cache(_PAGES_KEPT)(_view)

    def elements(self, before: StepRecord | None, step: StepRecord) -> tuple[Element, ...]:
        """Return the elements named by a step's action, if the page before it has them."""
        return tuple(
            Element(parameter, element_label(view, element), getattr(step.action, parameter))
            for parameter, view, element in self._found(before, step)
        )

    def box(self, before: StepRecord | None, step: StepRecord) -> Box | None:
        """Return the recorded box of the target's clickable element; None if unknown."""
        for parameter, view, element in self._found(before, step):
            if parameter == "selector":
                return view.box(view.surface(element))
        return None

    def _found(self, before: StepRecord | None, step: StepRecord) -> Iterator[tuple[str, DomView, HtmlElement]]:
        # An action that found nothing has no target, even if our selector engine is more lenient.
        if before is None or step.action is None or (step.outcome and step.outcome.reason in ("not found", "invalid")):
            return
        for parameter in TARGETS:
            selector = getattr(step.action, parameter)
            view = self._view(before.page) if selector else None
            element = None if view is None else _first(view, selector)
            if view is not None and element is not None:
                yield parameter, view, element


def _view(page: Shown) -> DomView | None:
    """Return a recorded page, parsed; None if that fails."""
    try:
        # Parsed here, because most of its elements never become Python objects.
        return DomView(Observation(page.url, page.html, page.boxes), document(page.html))
    # A recorded page may be anything, and a report without one name is better than none.
    except (LxmlError, ValueError):
        return None


def _first(view: DomView, selector: str) -> HtmlElement | None:
    """Return the first element for a CSS selector; None without a match, or if it is not plain CSS."""
    # Playwright supports further selectors, which are shown as the agent wrote them.
    return next(iter(by_css(view.root, selector)), None)
