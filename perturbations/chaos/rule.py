"""Settings of chaos.js, and the draws that a page makes for its blocks."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, SkipValidation

from stressweb.core.injections import AllowedInjections
from stressweb.perturbations.page.bundles import bundle
from stressweb.plugins.perturbation import Rate
from stressweb.plugins.rule import Control, Narrowing, Rule

PARAMETERS = ("scale", "rotate", "shift", "shift", "skew", "font", "margin")
"""The parameter of each number in a block's draw, as injections name it; both axes of a shift share one."""
_NEUTRAL = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)

type Amount = Annotated[float, Field(ge=0.0)]


class ChaosRule(Rule):
    """Settings of chaos.js. Injections are named by parameter and key of a block: `scale shop /cart link ...`."""

    script = bundle("chaos")
    by_attempt = False

    shrink: Rate
    """Largest reduction of a block's size, as a share of it."""
    grow: Rate
    """Largest increase of a block's size, as a share of it."""
    rotate: Amount
    """Largest rotation to either side, in degrees."""
    shift: Amount
    """Largest shift along each axis in either direction, in pixels."""
    skew: Amount
    """Largest skew to either side, in degrees."""
    smaller: Rate
    """Largest reduction of a font's size, as a share of it."""
    larger: Rate
    """Largest increase of a font's size, as a share of it."""
    margin: Amount
    """Largest extra margin above a block, in pixels."""
    # Not validated, as in `Narrowing`.
    strengths: Annotated[dict[str, float] | None, SkipValidation] = None
    """Strength of each block's distortion in an earlier episode, 0 to 1, by the block's key; None: the page fits it."""
    tells: bool = False
    """Whether the page reports the strength of each block's distortion."""

    def narrowed(self, allowed: AllowedInjections, template: str, step: int) -> Self:
        """Return the rule for a document loaded in a step of a search for a cause; `template`: that of its path."""
        narrowing = Narrowing.of_places(allowed, self.mode, template, step)
        strengths = _strengths_of_page(allowed, template)
        return self.model_copy(update={"allowed": narrowing, "strengths": strengths, "tells": True})

    def places(self, strengths: Mapping[str, float]) -> list[tuple[str, str]]:
        """Return a parameter and a key for each distortion with a strength above 0."""
        blocks = [key for key, strength in strengths.items() if strength]
        return [
            (parameter, key)
            for key in blocks
            for parameter in dict.fromkeys(PARAMETERS)
            if self.lets(f"{parameter} {key}", 0)
        ]

    @property
    def acts(self) -> bool:
        """Whether the rule can distort anything; if not, the page is not even measured."""
        sizes = (self.shrink, self.grow, self.smaller, self.larger, self.margin)
        return any((*sizes, self.rotate, self.shift, self.skew))

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether the page is distorted: every action on a distorted page meets this."""
        return self.acts

    def distortion(self, key: str) -> tuple[float, ...]:
        """Return the distortion that the page draws for a block, before it is reduced.

        Scale, rotation in degrees, horizontal and vertical shift in pixels, skew in degrees, font size factor, extra
        margin in pixels.
        """
        scale, rotate, across, down, skew, font, margin = (self.drawn(key, 0, lane) for lane in range(len(PARAMETERS)))
        # A draw lies between 0 and 1; twice the draw minus 1 lies between -1 and 1.
        drawn = (
            1 - self.shrink + scale * (self.shrink + self.grow),
            (2 * rotate - 1) * self.rotate,
            (2 * across - 1) * self.shift,
            (2 * down - 1) * self.shift,
            (2 * skew - 1) * self.skew,
            1 - self.smaller + font * (self.smaller + self.larger),
            margin * self.margin,
        )
        parameters = zip(PARAMETERS, drawn, _NEUTRAL, strict=True)
        return tuple(amount if self.lets(f"{what} {key}", 0) else neutral for what, amount, neutral in parameters)


def _strengths_of_page(allowed: AllowedInjections, path_template: str) -> dict[str, float] | None:
    """Return the strengths of an earlier episode for the blocks of a page; None if the page must fit them itself."""
    strengths_by_place = allowed.given_strengths
    if strengths_by_place is None:
        return None
    return {key: strength for (template, key), strength in strengths_by_place.items() if template == path_template}
