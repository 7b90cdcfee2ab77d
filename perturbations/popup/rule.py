"""Settings of popup.js, and the dialogs that a page opens with them."""

from stressweb.perturbations.page.bundles import bundle
from stressweb.perturbations.popup.dialogs import Dialog, dialog
from stressweb.plugins.perturbation import Rate
from stressweb.plugins.rule import Control, Rule, subject


class PopupRule(Rule):
    """Settings of popup.js.

    A draw divides the page templates into two classes: in one, loading a page may open a dialog; in the other, pressing
    a control may. Presses are drawn by the control's key, loads by the page's site and path template.
    """

    script = bundle("popup")

    rate: Rate
    """Share of presses, or of page loads, that a dialog interrupts: those whose draw is below it."""

    def on_load(self, page: str) -> bool:
        """Return whether loads of a page open dialogs, not presses; `page` is its site and path template."""
        return self.drawn(f"class {page}") < 0.5

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw for a press or a load; None if it never opens a dialog on pages of this template."""
        if self.on_load(page) != (control is None) or (control is not None and not control.pressed):
            return None
        return self.drawn(_key(control, page), attempt)

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether this press, or this load of the page, opens a dialog."""
        drawn = self.decides(control, page, attempt)
        return drawn is not None and drawn < self.rate and self.lets(subject(control, page), attempt)

    def dialog(self, control: Control | None, page: str, attempt: int) -> Dialog:
        """Return the dialog that a press, or a load of the page, opens if it is interrupted."""
        return dialog(lambda lane: self.drawn(_key(control, page), attempt, lane))


def _key(control: Control | None, page: str) -> str:
    return f"load {page}" if control is None else control.key
