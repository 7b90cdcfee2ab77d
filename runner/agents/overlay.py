"""Dialogs in front of a page: the browser's, or the page's own."""

from stressweb.perception.dom_view import DomView
from stressweb.perception.selectors import target_of
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation


class Overlay:
    """The dialogs in front of a page."""

    def __init__(self, observation: Observation) -> None:
        """Look for dialogs."""
        self._native = observation.dialog is not None
        self._page = DomView(observation)
        self._dialogs = self._page.dialogs()

    @property
    def is_open(self) -> bool:
        """Whether any dialog is open."""
        return self._native or bool(self._dialogs)

    def is_target(self, action: Action) -> bool:
        """Whether an action targets a dialog, as far as the observation shows."""
        if action.kind == "DIALOG":
            return self._native
        page = self._page
        boxes = ((element, page.box(element)) for element in page.root.iter("*"))
        target = target_of(action, page.root, page.names, boxes)
        return target is not None and any(page.inside(target, dialog) for dialog in self._dialogs)
