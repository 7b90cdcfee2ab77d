"""Chaos: blocks of the page are scaled, rotated, shifted and skewed, with other font sizes and margins."""

from typing import Annotated, ClassVar

from pydantic import Field

from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.perturbations.chaos.rule import ChaosRule
from stressweb.plugins.perturbation import Perturbation, Rate, Stage, table

type Pixels = Annotated[float, Field(ge=0.0, le=200.0)]
type Degrees = Annotated[float, Field(ge=0.0, le=45.0)]


class Chaos(Perturbation):
    """Blocks of the page are scaled, rotated, shifted and skewed, and their font sizes and margins change.

    A block is a control with everything that belongs to it, or a text without a control. Delivered: the page distorted
    blocks. Met: the agent acted on such a page. Overcome: never, because every control stays usable: its centre lies
    inside the document and is neither clipped nor covered. Buttons keep at least 28 pixels, fields 24 and letters 9, or
    their original size if that was smaller. The markup stays unchanged: the distortions are animations, which no markup
    and no style sheet shows.
    """

    mode: ClassVar[str] = "chaos"
    stage = Stage.PERCEPTION
    severities = table(
        shrink=(0.25, 0.3, 0.35, 0.475, 0.6),
        grow=(0.05, 0.125, 0.2, 0.3, 0.4),
        rotate=(3, 5.5, 8, 11.5, 15),
        shift=(8, 14, 20, 27.5, 35),
        skew=(2, 3, 4, 6, 8),
        smaller=(0.12, 0.16, 0.2, 0.3, 0.4),
        larger=(0.03, 0.065, 0.1, 0.3, 0.5),
        margin=(8, 11.5, 15, 22.5, 30),
    )

    shrink: Rate = 0.35
    """Largest reduction of a block's size, as a share of it."""
    grow: Rate = 0.2
    """Largest increase of a block's size, as a share of it."""
    rotate: Degrees = 8
    """Largest rotation to either side, in degrees."""
    shift: Pixels = 20
    """Largest shift along each axis in either direction, in pixels."""
    skew: Degrees = 4
    """Largest skew to either side, in degrees."""
    smaller: Rate = 0.2
    """Largest reduction of a font's size, as a share of it."""
    larger: Rate = 0.1
    """Largest increase of a font's size, as a share of it."""
    margin: Pixels = 15
    """Largest extra margin above a block, in pixels."""

    def rule(self, seeds: Seeds) -> ChaosRule:
        """Return the settings of the page's draws."""
        return ChaosRule(mode=self.mode, rule=rule_words(seeds, "chaos"), **self.model_dump())
