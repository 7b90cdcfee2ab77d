"""Chaos: blocks of the page are scaled, rotated, shifted and skewed, with other font sizes and margins."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar, cast

from lxml.html import HtmlElement
from pydantic import Field

from stressweb.core.draws import Seeds, units
from stressweb.html.accessible_name import clean
from stressweb.html.page import Control, Page
from stressweb.plugins.perturbation import Instruction, Perturbation, Rate, ScriptSettings, Stage, table

type Pixels = Annotated[float, Field(ge=0.0, le=200.0)]
type Degrees = Annotated[float, Field(ge=0.0, le=45.0)]
type Block = tuple[str, float, float, float, float, float, float, float]
"""Token, scale, rotation in degrees, shift in pixels (two), skew in degrees, factor of the font size, extra margin."""

_HOLDERS = frozenset((
    "article", "dd", "div", "dt", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "label", "li", "p", "span",
    "strong",
))  # fmt: skip
_TEXTS = frozenset(("blockquote", "dd", "dt", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6", "legend", "li", "p"))
_WHATS = ("scale", "rotate", "shift", "shift", "skew", "font", "margin")
"""What each number in the draw of a block does, as an injection is named; across and down are one."""
_NEUTRAL = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
"""The draw of a block that stays as it is."""
_LEVELS = 3
_WORDS = 160
"""Characters that may stand in the block of a target: a field and its label, not half a page."""


class ChaosSettings(ScriptSettings):
    """What chaos.js reads."""

    blocks: tuple[Block, ...]
    """The blocks of the page with what is drawn for them."""
    reach: Pixels
    """How far a block may be moved, in pixels."""


class Chaos(Perturbation):
    """Blocks of the page are scaled, rotated, shifted and skewed, and their font sizes and margins change.

    A block is a control with everything that belongs to it, or a text without a control. Delivered: the page moved
    blocks. Met: the agent acted on such a page. Overcome: never, since nothing has to be: a distortion is reduced, down
    to none if necessary, until the centre of every control lies inside the document and is neither cut off nor covered,
    and until buttons have at least 28 pixels, fields 24 and letters 9, unless they were smaller before. The document
    stays unchanged: all distortions come from style rules that no markup refers to.
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
    script = Path(__file__).with_suffix(".js")
    parts = (Path(__file__).with_name("reach.js"),)
    divisible = True

    shrink: Rate = 0.35
    """By how much of its size a block shrinks at most."""
    grow: Rate = 0.2
    """By how much of its size a block grows at most."""
    rotate: Degrees = 8
    """Rotation at most, in degrees to either side."""
    shift: Pixels = 20
    """Shift at most, in pixels to either side, across and down."""
    skew: Degrees = 4
    """Slant at most, in degrees to either side."""
    smaller: Rate = 0.2
    """By how much of its size a font shrinks at most."""
    larger: Rate = 0.1
    """By how much of its size a font grows at most."""
    margin: Pixels = 15
    """Extra space above a block at most, in pixels."""

    def instruct(self, page: Page, seeds: Seeds) -> Instruction | None:
        """Hand the page its blocks with what is drawn for them."""
        # At severity 0 every block would be drawn neutral, and the ledger would call them all planned.
        found = tuple(self._blocks(page, seeds)) if self._acts else ()
        settings = ChaosSettings(mode=self.mode, blocks=found, reach=self.shift)
        return Instruction(settings=settings, planned=len(found))

    def would_hit(self, page: Page, control: Control, attempt: int, seeds: Seeds) -> bool:
        """Return whether the page that the action is on is disturbed."""
        return self._acts and next(self._blocks(page, seeds), None) is not None

    @property
    def _acts(self) -> bool:
        return any(getattr(self, name) for name in type(self).model_fields)

    def _blocks(self, page: Page, seeds: Seeds) -> Iterator[Block]:
        draw = seeds.drawer("chaos")
        # What belongs to a control is found on the whole page, but only what is new since scripts drew on it is
        # disturbed.
        wanted = {node.element: node for node in page.nodes}
        for element, key in blocks(page):
            if element in wanted:
                drawn = self._drawn(units(draw(key)))
                # Asked once for both shifts: the answer is also taken down as an injection that fired.
                lets = {what: page.lets(what, wanted[element].key) for what in dict.fromkeys(_WHATS)}
                if any(lets.values()):
                    kept = (
                        one if lets[what] else none for what, one, none in zip(_WHATS, drawn, _NEUTRAL, strict=True)
                    )
                    yield cast("Block", (wanted[element].token, *kept))

    def _drawn(self, draws: tuple[float, ...]) -> tuple[float, float, float, float, float, float, float]:
        """Scale the same draws of a block to this severity."""
        # A draw lies between 0 and 1, so that twice the draw minus 1 reaches as far to either side.
        scale, rotate, across, down, skew, font, margin = draws[:7]
        return (
            round(1 - self.shrink + scale * (self.shrink + self.grow), 3),
            round((2 * rotate - 1) * self.rotate, 2),
            round((2 * across - 1) * self.shift, 1),
            round((2 * down - 1) * self.shift, 1),
            round((2 * skew - 1) * self.skew, 2),
            round(1 - self.smaller + font * (self.smaller + self.larger), 3),
            round(margin * self.margin, 1),
        )


def blocks(page: Page) -> Iterator[tuple[HtmlElement, str]]:
    """Yield the blocks of a page with their keys: targets with what belongs to them, then texts without any."""
    start = page.place
    # A form without a button counts as a control, but it is as large as all its fields; an option is shown by its list.
    targets = [control for control in page.every_control if control.element.tag not in ("form", "option")]
    # Counted upwards from the targets, once: looking down from every element would walk the page again and again.
    counts = Counter(above for control in targets for above in control.element.iterancestors())
    taken: set[HtmlElement] = set()
    for control in targets:
        block = _block(control.element, counts)
        # A target that holds other targets is no block: its distortion and theirs would add up beyond the severity.
        if counts[control.element] == 0 and block not in taken:
            taken.add(block)
            yield block, control.key
    for node in page.every_node:
        element = node.element
        if node.tag not in _TEXTS or counts[element] or not clean("".join(element.itertext())):
            continue
        if taken.isdisjoint((element, *element.iterancestors())):
            taken.add(element)
            # The key of a node does not name the place, as that of a control does.
            yield element, f"{start} {node.key}"


def _block(target: HtmlElement, counts: Counter[HtmlElement]) -> HtmlElement:
    """Return what belongs to a target and to no other: its label, the heading that it stands in, its list item."""
    block = target
    for _ in range(_LEVELS):
        above = block.getparent()
        if above is None or above.tag not in _HOLDERS or counts[above] != 1:
            break
        if above.tag in ("div", "form", "article") and len(clean("".join(above.itertext()))) > _WORDS:
            break
        block = above
    return block
