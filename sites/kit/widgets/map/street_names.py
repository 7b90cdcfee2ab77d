"""Names of streets, river and park along their lines."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, cos, degrees, radians, sin

from stressweb.sites.kit.data.town import Street, Town
from stressweb.sites.kit.widgets.map.boxes import Box, Point, around, fits

type Name = tuple[str, str, str]
"""The text, the end of its CSS class, and its transform."""

_LETTER, _HEIGHT = 6.6, 15
"""Width of a letter and height of a line, in units of the map at desktop width."""
_SMALL = 2.6
"""How much larger a name is in units of the map where the window is narrow."""


def names(ground: Town, used_boxes: Sequence[Box], narrow_boxes: Sequence[Box]) -> list[Name]:
    """Return the names for which there is room; of the wide streets there is another one for narrow windows."""
    boxes, boxes_if_narrow, fitting = [*used_boxes], [*narrow_boxes], list[Name]()
    for street in sorted(ground.streets, key=lambda street: not street.wide):
        fitting += _first_fitting(street.name, _segments(ground, street), boxes, "wide" if street.wide else "side", 1)
    fitting += _first_fitting(ground.river, _along(ground.banks[1:-1]), boxes, "river", 1)
    middle = (ground.point(ground.lawn[1]), ground.point(ground.lawn[4]))
    lawn = ((middle[0][0] + middle[1][0]) / 2, (middle[0][1] + middle[1][1]) / 2, 0.0)
    fitting += _first_fitting(ground.park, [lawn], boxes, "park", 1)
    for street in ground.streets:
        if street.wide:
            fitting += _first_fitting(street.name, _segments(ground, street), boxes_if_narrow, "narrow", _SMALL)
    return fitting


def _first_fitting(
    text: str, places: Sequence[tuple[float, float, float]], boxes: list[Box], kind: str, scale: float
) -> Iterator[Name]:
    """Yield a name at the first place where it fits, and add its box."""
    width, height = len(text) * _LETTER * scale, _HEIGHT * scale
    for x, y, angle in places:
        across, down = abs(cos(radians(angle))), abs(sin(radians(angle)))
        box = around((x, y), width * across + height * down, width * down + height * across)
        if fits(box, boxes):
            boxes.append(box)
            yield text, kind, f"translate({x:.0f} {y:.0f})rotate({angle:.0f})"
            return


def _segments(ground: Town, street: Street) -> list[tuple[float, float, float]]:
    """Return the middles of the street's pieces between corners, those in the middle of the map first."""
    segments = [place for piece in street.pieces for place in _along([ground.point(cell) for cell in piece])]
    return segments[len(segments) // 3 :] + segments[: len(segments) // 3]


def _along(points: Sequence[Point]) -> list[tuple[float, float, float]]:
    """Return the middle between each two points, and the angle there, so that a text is not upside down."""
    return [
        ((x + u) / 2, (y + v) / 2, (degrees(atan2(v - y, u - x)) + 90) % 180 - 90)
        for (x, y), (u, v) in pairwise(points)
    ]  # fmt: skip
