"""Remap: some controls need a double click; a single click only selects them."""

from typing import ClassVar

from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.perturbations.remap.rule import RemapRule
from stressweb.plugins.perturbation import Perturbation, Rate, Stage, table


class Remap(Perturbation):
    """Some controls need a double click; a single click only selects them.

    Applies to links, buttons, check boxes, radio buttons and their labels. Delivered: the agent clicked a remapped
    control once, or pressed Enter or Space on it once, which only selected it. Met: the same. Overcome: the agent
    double-clicked the control, or pressed Enter or Space twice with no other user event in between. The page stays
    unchanged, except that the first attempt outlines the control.
    """

    mode: ClassVar[str] = "remap"
    stage = Stage.SEMANTIC
    swallows = True
    severities = table(share=(0.2, 0.5, 0.8, 0.9, 1.0))

    share: Rate = 0.8
    """Share of a page's controls that are remapped."""

    def rule(self, seeds: Seeds) -> RemapRule:
        """Return the settings of the page's draws, and the share."""
        # Keyed by the word "remap" instead of the mode, so that `remap_explicit` remaps the same controls.
        return RemapRule(mode=self.mode, rule=rule_words(seeds, "remap"), share=self.share)
