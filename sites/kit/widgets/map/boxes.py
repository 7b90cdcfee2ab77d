"""Boxes of what stands on a map, so that nothing covers anything else."""

from collections.abc import Iterable

from stressweb.sites.kit.data.town import HEIGHT, WIDTH

type Point = tuple[float, float]
type Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def around(point: Point, width: float, height: float) -> Box:
    """Return the box of this size with a point in its middle."""
    x, y = point
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def fits(box: Box, used_boxes: Iterable[Box]) -> bool:
    """Return whether a box is on the map and overlaps no other."""
    left, top, right, low = box
    is_inside = left >= 0 and top >= 0 and right <= WIDTH and low <= HEIGHT
    return is_inside and all(
        right <= other_box[0] or left >= other_box[2] or low <= other_box[1] or top >= other_box[3]
        for other_box in used_boxes
    )
