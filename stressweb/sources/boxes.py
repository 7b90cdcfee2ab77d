"""The source of element boxes."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import lxml.html
from playwright.async_api import Page

from stressweb.plugins.agent import Box
from stressweb.sources.part import Part


class Boxes(Part):
    """The box of every element: x, y, width and height in CSS pixels of the viewport."""

    name = field = "boxes"
    shows = "the boxes of its elements in document order (number, x, y, width, height in pixels)"
    measured = True

    async def taken(self, page: Page, read: Mapping[str, Any]) -> tuple[Box | None, ...]:
        """Return a box for each element of the document that was read."""
        return aligned(read["html"], read["tags"], read["boxes"])

    def render(self, value: Sequence[Box | None]) -> str:
        """Return a line for each element that is rendered: its number from 0, and its box."""
        return "\n".join(
            f"{number}: {' '.join(f'{side:g}' for side in box)}" for number, box in enumerate(value) if box is not None
        )


def aligned(html: str, tags: Sequence[str], boxes: Sequence[Sequence[float] | None]) -> tuple[Box | None, ...]:
    """Return one box per element of `html` as lxml parses it.

    The browser's tree and lxml's differ on odd markup; elements that only lxml sees have no box.
    """
    elements = list(lxml.html.document_fromstring(html).iter("*"))
    # A browser that runs scripts treats the content of a noscript element as text.
    texts = {
        element for noscript in elements if noscript.tag == "noscript" for element in noscript.iterdescendants("*")
    }
    places = [number for number, element in enumerate(elements) if element not in texts]
    parsed = [elements[number].tag.rpartition("}")[2].lower() for number in places]
    measured = [None if box is None else (box[0], box[1], box[2], box[3]) for box in boxes]
    lower = [tag.lower() for tag in tags]
    fitted: list[Box | None] = [None] * len(elements)
    for here, there, size in _matching(lower, parsed):
        for offset in range(size):
            fitted[places[there + offset]] = measured[here + offset]
    return tuple(fitted)


def _matching(tags: Sequence[str], parsed: Sequence[str]) -> Iterable[tuple[int, int, int]]:
    """Return the common runs of two sequences: start in the first, start in the second, and length."""
    if tags == parsed:
        return [(0, 0, len(tags))]
    # By default difflib ignores frequent elements of a long sequence, and in a page nearly every tag is frequent.
    return SequenceMatcher(None, tags, parsed, autojunk=False).get_matching_blocks()
