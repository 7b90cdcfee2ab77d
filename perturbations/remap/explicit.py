"""Explicit remap: remap, with an instruction on the page."""

from typing import ClassVar

from stressweb.core.draws import Seeds, pick
from stressweb.perturbations.remap import Remap
from stressweb.perturbations.remap.rule import RemapRule

HINTS = (
    "Please note: on this page some links and buttons need a double click. A single click only selects them.",
    "Some links and buttons here work by double click only; the first click selects them.",
    "A tip: double-click a link or a button if one click only outlines it. Some of them need it.",
    "On this site a single click may only select a link or a button. A double click opens or presses it.",
    "Not every link or button here reacts to one click: those that get outlined want a double click.",
    "Good to know: one click selects, two open. This is how some of the links and buttons here work.",
    "If nothing seems to happen when you click a link or a button, click it twice quickly: some need a double click.",
    "We have changed how some controls work: a single click selects them, and a double click activates them.",
    "Some buttons and links on this page are opened by a double click. Clicking once just highlights them.",
    "To prevent unwanted clicks, some links and buttons only act when you double-click them.",
    "Click twice in a row where one click is not enough: some links and buttons here want a double click.",
    "Attention: links and buttons here may have to be double-clicked, because one click may only mark them.",
)


class RemapExplicit(Remap):
    """Some controls need a double click, and an instruction at the top of the page says so.

    The same seeds remap the same controls as under `remap`.
    """

    mode: ClassVar[str] = "remap_explicit"

    def rule(self, seeds: Seeds) -> RemapRule:
        """Return the settings of the page's draws, and the instruction if any control can be remapped."""
        # Under `sham` nothing is remapped, and a false instruction would itself disturb the agent.
        hint = pick(HINTS, seeds.world, seeds.stress, seeds.task, "remap hint") if self.share else ""
        return super().rule(seeds).model_copy(update={"hint": hint})
