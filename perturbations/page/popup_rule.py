"""What popup.js is told, and which dialogs the page will open by it."""

from pathlib import Path
from typing import ClassVar

from perturbations.page.dialogs import CATALOGUE, Dialog, dialog
from perturbations.page.rules import Rule
from stressweb.plugins.perturbation import Rate

_FOLDER = Path(__file__).parent


class PopupRule(Rule):
    """What popup.js reads.

    A draw divides the page templates into two classes: on one, a load of the page may open a dialog; on the other, a
    press on a control may. The key of all loads of a template is `load_key`: the page counts loads, and reports them,
    under it, just as it counts the attempts at a control under the control's key.
    """

    script = _FOLDER / "popup.js"
    parts: ClassVar[tuple[Path, ...]] = (
        CATALOGUE,
        _FOLDER / "dialog_words.js",
        _FOLDER / "dialog_look.js",
        _FOLDER / "dialog_box.js",
    )

    rate: Rate
    """Share of presses, or of page loads, that a dialog interrupts: those whose draw is below it."""
    place: str
    """The page's site and path template, as its controls' keys begin."""

    @property
    def load_key(self) -> str:
        """What loads of the page are drawn, counted and reported by."""
        return f"load {self.place}"

    @property
    def on_load(self) -> bool:
        """Whether loads of the page open dialogs; otherwise presses do."""
        return self.drawn(f"class {self.place}") < 0.5

    def hits(self, key: str, attempt: int) -> bool:
        """Return whether an attempt to press a control opens a dialog; it must be a control that is pressed."""
        return not self.on_load and self._opens(key, attempt)

    def greets(self, attempt: int) -> bool:
        """Return whether a load of the page opens a dialog; `attempt` counts the loads before."""
        return self.on_load and self._opens(self.load_key, attempt)

    def dialog(self, key: str, attempt: int) -> Dialog:
        """Return the dialog of an attempt at a control, or of a load by `load_key`, if it opens one."""
        return dialog(lambda lane: self.drawn(key, attempt, lane))

    def _opens(self, key: str, attempt: int) -> bool:
        return self.drawn(key, attempt) < self.rate and self.lets(key, attempt)
