"""Where elements are."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import lxml.html
from playwright.sync_api import Page

from runner.observations.part import Part
from stressweb.plugins.agent import Box


class Boxes(Part):
    """The box of every element: x, y, width and height in CSS pixels of the viewport."""

    name = field = "boxes"
    shows = "the boxes of its elements in document order (number, x, y, width, height in pixels)"
    measured = True

    def taken(self, page: Page, read: Mapping[str, Any]) -> tuple[Box | None, ...]:
        """Return a box for each element of the document that was read."""
        return aligned(read["html"], read["tags"], read["boxes"])

    def render(self, value: Sequence[Box | None]) -> str:
        """Return a line for each element that is rendered: its number from 0, and its box."""
        return "\n".join(
            f"{at}: {' '.join(f'{side:g}' for side in box)}" for at, box in enumerate(value) if box is not None
        )


def aligned(html: str, tags: Sequence[str], boxes: Sequence[Sequence[float] | None]) -> tuple[Box | None, ...]:
    """Return one box per element of `html` as lxml parses it.

    The browser's tree and lxml's differ on odd markup; elements that only lxml sees have no box.
    """
    parsed = [element.tag.rpartition("}")[2].lower() for element in lxml.html.document_fromstring(html).iter("*")]
    measured = [None if box is None else (box[0], box[1], box[2], box[3]) for box in boxes]
    lower = [tag.lower() for tag in tags]
    if parsed == lower:
        return tuple(measured)
    fitted: list[Box | None] = [None] * len(parsed)
    # By default difflib ignores what comes often in a long sequence, and in a page that is nearly every tag.
    for block in SequenceMatcher(None, lower, parsed, autojunk=False).get_matching_blocks():
        fitted[block.b : block.b + block.size] = measured[block.a : block.a + block.size]
    return tuple(fitted)
