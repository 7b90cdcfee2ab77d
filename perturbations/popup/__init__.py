"""Popup: a dialog interrupts an action or the load of a page."""

from typing import ClassVar

from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.perturbations.popup.rule import PopupRule
from stressweb.plugins.perturbation import Perturbation, Rate, Stage, table


class Popup(Perturbation):
    """A modal dialog interrupts a press or the load of a page, and says how to continue.

    On some kinds of page, loading a page may open a dialog; on the others, pressing a control may. Chance decides which
    kinds these are. Entering text never opens a dialog, and a frame that is too small for it gets none. Delivered: a
    dialog was shown. Met: the same. Overcome: the agent gave the right answer, and the interrupted action was carried
    out. A wrong answer, Escape included, cancels the action, and a line on the page says so; after a page load the
    dialog says so and stays open. Nothing is removed from the page, but it cannot be used while the dialog is open.
    """

    mode: ClassVar[str] = "popup"
    stage = Stage.EXECUTION
    severities = table(rate=(0.1, 0.2, 0.35, 0.42, 0.5))

    rate: Rate = 0.35
    """Share of presses or page loads that a dialog interrupts."""

    def rule(self, seeds: Seeds) -> PopupRule:
        """Return the settings of the page's draws, and the rate."""
        return PopupRule(mode=self.mode, rule=rule_words(seeds, "popup"), rate=self.rate)
