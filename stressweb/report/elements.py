"""The element that an action was aimed at, as a reader would say it, and where it stood on the page."""

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
"""The parameters that name an element, and the word that a reader sees in front of it."""
# A parsed page takes many times its text, and the steps of a report come one after the other.
_PAGES_KEPT = 16


class Element(NamedTuple):
    """One element that an action named."""

    parameter: str
    """The parameter of the action: a key of `TARGETS`."""
    label: str
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
            Element(parameter, element_label(view, element), getattr(step.action, parameter))
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


def _view(page: Shown) -> DomView | None:
    """Return a recorded page, parsed; None if it cannot be."""
    try:
        # Parsed here: most of its elements never become objects of Python.
        return DomView(Observation(page.url, page.html, page.boxes), document(page.html))
    # A recorded page may be anything, and a report that misses one name is better than none.
    except (LxmlError, ValueError):
        return None


def _first(view: DomView, selector: str) -> HtmlElement | None:
    """Return the first element that a CSS selector names; None if there is none, or if it is no plain CSS."""
    # Playwright takes more selectors than CSS has. Those are shown as the agent wrote them.
    return next(iter(by_css(view.root, selector)), None)
