"""What lies over a page: a dialog of the browser, or dialogs of the page."""

from lxml.html import HtmlElement

from stressweb.perception.dom_view import DomView
from stressweb.perception.selectors import named
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation


class Overlay:
    """The dialogs in front of one page."""

    def __init__(self, observation: Observation) -> None:
        """Look for dialogs."""
        self._native = observation.dialog is not None
        self._page = DomView(observation)
        self._dialogs = self._page.dialogs()

    @property
    def there(self) -> bool:
        """Whether there is any."""
        return self._native or bool(self._dialogs)

    def is_target(self, action: Action) -> bool:
        """Whether an action is about a dialog and nothing else, as far as the page tells."""
        if action.kind == "DIALOG":
            return self._native
        page = self._page
        named_elements = named(page.root, page.names, action.selector) if action.selector else []
        element = next(iter(named_elements), None) if action.selector else self._at(action)
        return element is not None and any(self._page.inside(element, dialog) for dialog in self._dialogs)

    def _at(self, action: Action) -> HtmlElement | None:
        """Return what stands at the coordinates of an action, if elements were measured: the last and innermost."""
        at = None
        for element in self._page.root.iter("*"):
            box = self._page.box(element)
            if box and action.x is not None and action.y is not None:
                left, top, width, height = box
                if left <= action.x < left + width and top <= action.y < top + height:
                    at = element
        return at
