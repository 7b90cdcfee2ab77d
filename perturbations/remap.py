"""Remap: selected controls answer to a double click; a single click only selects them."""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from stressweb.core.draws import Seeds, units
from stressweb.html.page import Control, Page
from stressweb.plugins.perturbation import Instruction, Perturbation, Rate, ScriptSettings, Stage, table


class RemapSettings(ScriptSettings):
    """What remap.js reads."""

    tokens: tuple[str, ...]
    """The controls that are remapped."""


class Remap(Perturbation):
    """Selected controls need a double click; a single click only selects them.

    Applies to links, buttons, check boxes, radio buttons and their labels. Delivered: the agent used a gesture that
    only selected a remapped control. Met: the same. Overcome: the agent double-clicked the control, or pressed Enter or
    Space twice with no other user event in between. The page stays unchanged, except that the first attempt outlines
    the control.
    """

    mode: ClassVar[str] = "remap"
    stage = Stage.SEMANTIC
    swallows = True
    severities = table(share=(0.2, 0.5, 0.8, 0.9, 1.0))
    script = Path(__file__).with_suffix(".js")
    by_attempt = False

    share: Rate = 0.8
    """Share of a page's controls that are remapped."""

    def instruct(self, page: Page, seeds: Seeds) -> Instruction | None:
        """Name the remapped controls of a page."""
        # Keyed by this word and not by `mode`, so that `remap_explicit` remaps the same controls.
        draw = seeds.drawer("remap")
        tokens = tuple(control.token for control in page.controls if self._chosen(control, draw))
        return Instruction(settings=RemapSettings(mode=self.mode, tokens=tokens), planned=len(tokens))

    def drawn(self, page: Page, control: Control | None, attempt: int, seeds: Seeds) -> float | None:
        """Return the draw of a control, the same for every attempt."""
        if control is None or not control.pressed:
            return None
        return units(seeds.drawer("remap")(control.key))[0]

    def would_hit(self, page: Page, control: Control, attempt: int, seeds: Seeds) -> bool:
        """Return whether the control is remapped; every gesture on it is met."""
        return self._chosen(control, seeds.drawer("remap"))

    def _chosen(self, control: Control, draw: Callable[[str], bytes]) -> bool:
        return control.pressed and units(draw(control.key))[0] < self.share
