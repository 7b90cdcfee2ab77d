"""Noise: the page shows the same text with more nodes, split texts, renamed ids, and decoys."""

from typing import ClassVar

from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.perturbations.noise.rule import NoiseRule, restored
from stressweb.plugins.perturbation import Perturbation, Rate, Stage, table


class Noise(Perturbation):
    """Adds spans, comments, decoys, duplicates, zero-width characters and meaningless classes, and renames ids.

    Delivered: the page changed in some places. Met: the agent acted on a changed page. Overcome: never, because the
    text stays readable in the same order, and every control of the site can still be pressed. Decoys do nothing; their
    names combine words of the page's own controls, but never equal the name of one. Content that the page's scripts add
    later is changed as well.
    """

    mode: ClassVar[str] = "noise"
    stage = Stage.PERCEPTION
    severities = table(density=(0.1, 0.2, 0.35, 0.5, 0.7))

    density: Rate = 0.35
    """Share of the possible places that an operator changes; the same for every operator."""

    def rule(self, seeds: Seeds) -> NoiseRule:
        """Return the settings of the page's draws, and the density."""
        return NoiseRule(mode=self.mode, rule=rule_words(seeds, "noise"), density=self.density)

    def restore(self, value: str) -> str:
        """Remove the characters that noise may have inserted into a submitted name or value."""
        return restored(value)
