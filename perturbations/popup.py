"""Popup: a dialog interrupts an action or the load of a page."""

from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from perturbations.wordings import PopupText, dialog
from stressweb.core.draws import Seeds
from stressweb.html.page import Control, Page
from stressweb.plugins.perturbation import Instruction, Perturbation, PressAnswer, Rate, ScriptSettings, Stage, table

# A survey with four answers takes the most: 25 with its cue.
POOL = 32
"""Marks that the nodes of one dialog and its cue take."""


class Dress(BaseModel):
    """Class names by which the controls of a dialog look like those of the page."""

    model_config = ConfigDict(frozen=True)

    button: str
    input: str


class PopupDialog(PopupText, PressAnswer):
    """A dialog as popup.js builds it."""

    tokens: tuple[str, ...]
    """Marks for the nodes of the dialog and its cue, each used once."""
    dress: Dress


class LoadDialog(PopupDialog):
    """A dialog that is open from the load of the page."""

    attempt: int
    """How often the page was loaded before."""


class PopupSettings(ScriptSettings):
    """What popup.js reads: on one class of pages it asks about every press, on the other a load may open a dialog."""

    asks: bool = False
    load: LoadDialog | None = None


class Popup(Perturbation):
    """A modal dialog interrupts a press or the load of a page, and says how to continue.

    A draw divides the page templates into two classes: on one, loading the page opens the dialog; on the other,
    pressing a control does. Entering text never opens it. Delivered: a dialog was shown. Met: the same. Overcome: the
    agent gave the right answer, and the interrupted action went through. A wrong answer, Escape included, cancels the
    action and says so; after a page load the dialog stays open. Nothing is removed from the page, but it cannot be used
    while the dialog is open.
    """

    mode: ClassVar[str] = "popup"
    stage = Stage.EXECUTION
    severities = table(rate=(0.1, 0.2, 0.35, 0.42, 0.5))
    script = Path(__file__).with_suffix(".js")

    rate: Rate = 0.35
    """Share of presses, or of page loads, that a dialog interrupts."""

    def instruct(self, page: Page, seeds: Seeds) -> Instruction | None:
        """Tell the script whether to ask about presses, or which dialog to open at once."""
        if not _on_load(page, seeds):
            # Counts first presses only: how often the agent will press a control is not known yet.
            planned = sum(self.would_hit(page, control, 0, seeds) for control in page.controls)
            # At a rate of 0 every answer would be no, and each press would wait for a request to the proxy in vain.
            return Instruction(settings=PopupSettings(mode=self.mode, asks=self.rate > 0), planned=planned)
        load = None
        if self.would_greet(page, seeds):
            shown = _dialog(page, f"load {page.place}", page.loads, seeds)
            load = LoadDialog(**dict(shown), attempt=page.loads)
        return Instruction(settings=PopupSettings(mode=self.mode, load=load), planned=int(load is not None))

    def answer(self, page: Page, control: Control, attempt: int, seeds: Seeds) -> PopupDialog | None:
        """Return the dialog that a press opens, if it does."""
        return _dialog(page, control.key, attempt, seeds) if self.would_hit(page, control, attempt, seeds) else None

    def drawn(self, page: Page, control: Control | None, attempt: int, seeds: Seeds) -> float | None:
        """Return the draw of a press, or of a load, where the template of the page has dialogs there."""
        if control is None:
            # What scripts have drawn since is no load of the page.
            greets = not page.drawn and _on_load(page, seeds)
            return seeds.unit("popup load", page.place, attempt) if greets else None
        asks = control.pressed and not _on_load(page, seeds)
        return seeds.unit("popup", control.key, attempt) if asks else None

    def would_hit(self, page: Page, control: Control, attempt: int, seeds: Seeds) -> bool:
        """Return whether this press on the control opens a dialog."""
        drawn = self.drawn(page, control, attempt, seeds)
        return drawn is not None and drawn < self.rate

    def would_greet(self, page: Page, seeds: Seeds) -> bool:
        """Return whether this load of the page opens a dialog."""
        drawn = self.drawn(page, None, page.loads, seeds)
        return drawn is not None and drawn < self.rate


def _on_load(page: Page, seeds: Seeds) -> bool:
    return seeds.unit("popup class", page.place) < 0.5


def _dialog(page: Page, about: str, attempt: int, seeds: Seeds) -> PopupDialog:
    """Return a dialog drawn for an attempt, dressed like the page's own controls."""
    said = dialog(seeds.drawer("popup dialog")(f"{about} {attempt}"))
    dress = Dress(button=_dress(page, "button", "btn"), input=_dress(page, "input", "form-control"))
    # The same marks every time, because no two dialogs stand on a page at once.
    return PopupDialog(**dict(said), tokens=tuple(page.pool(POOL)), dress=dress)


def _dress(page: Page, tag: str, kind: str) -> str:
    """Return the classes of a `kind` that make a control of the page look as it does, wherever it stands."""
    dresses = (page.classes(one.element).split() for one in page.every_control if one.element.tag == tag)
    like = next((names for names in dresses if kind in names), [])
    return " ".join(name for name in like if name.startswith(kind))
