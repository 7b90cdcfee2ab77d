"""A map of the town."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from stressweb.core.entity import Entity
from stressweb.sites.kit.data.town import HEIGHT, WIDTH, Cell, Town, town
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget

_LETTER, _EDGES = 7.4, 10
"""Width of a letter of a name in the widest font, and of its edges, in units of the map at desktop width."""
_HEIGHTS = (24, 40)
"""Height of a name of one line and of two."""
_AWAY = 17
"""Distance from the middle of a pin to its name."""
_PIN = 14
_INSET = 9
"""Distance from the middle of a street to the houses beside it."""


type Point = tuple[float, float]
type Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True)
class Spot:
    """A position of a name beside its pin."""

    side: str
    """Suffix of the CSS class for the position."""
    letters: int
    """Length of its longest line if it has two; 0 if it has one."""
    box: Box


@dataclass(frozen=True)
class Pin:
    """A place on the map."""

    row: Entity
    number: int
    href: str
    spot: Spot | None
    """The position of the name; None if there is no room for it."""
    left: str
    top: str
    """Its position, in percent of the map."""


class Map(Widget):
    """Streets, river and park, drawn as SVG, with places that are links.

    Each row is a place with a `name` and a `cell`, the column and row of its street corner, such as `3,4`. Names are
    shown beside the places where there is room, in one line or in two. On a narrow page a place shows only its pin;
    its name is available to screen readers and as a tooltip. Show the same rows in a list or in a field, too: the page
    must be usable without the map.
    """

    widget: Literal["map"]
    label: Label
    """Label key of the map's name."""
    row: str
    """Path of the places."""
    path: Template = ""
    """Template of the path of a place's link; without it, places are not links."""
    route: str = ""
    """Path of the places that a line connects along the streets."""
    here: Label = ""
    """Label key of a mark at a corner without a place; it shows where people are."""
    numbered: bool = False
    """Whether pins show numbers, for a page that lists the places with their numbers."""
    width: Literal["full", "half"] = "full"

    def view(self, visit: Visit) -> Any:
        """Return the map's ground, its pins, and the line that connects places."""
        ground = town(visit.world.seed)
        rows = follow(self.row, visit.names)
        here = visit.say(self.here) if self.here else ""
        pins, mark = _pins(ground, rows, [self._href(visit, row) for row in rows], here)
        stops = [_cell(row) for row in follow(self.route, visit.names)] if self.route else []
        return {
            "ground": ground,
            "blocks": list(_blocks(ground)),
            "avenues": list(_avenues(ground)),
            "bridges": list(_bridges(ground)),
            "lawn": _lawn(ground),
            "river": _curve(ground.banks),
            "route": _route(ground, stops),
            "districts": [(name, *_share(x, y)) for name, (x, y) in ground.districts.items()],
            "pins": pins,
            "mark": mark,
            "size": (WIDTH, HEIGHT),
        }

    def _href(self, visit: Visit, row: Entity) -> str:
        return visit.fill(self.path, {**visit.names, "row": row}) if self.path else ""


def _cell(row: Entity) -> Cell:
    column, _, line = row.cell.partition(",")
    return int(column), int(line)


def _share(x: float, y: float) -> tuple[str, str]:
    return f"{100 * x / WIDTH:.2f}%", f"{100 * y / HEIGHT:.2f}%"


def _avenues(ground: Town) -> Iterator[str]:
    """Yield the segments of wide streets; the outermost ones extend beyond the map."""
    for street in ground.streets:
        axis = 0 if street.pieces[0][0][1] == street.pieces[-1][-1][1] else 1
        for index, piece in enumerate(street.pieces if street.wide else ()):
            before = [_neighbour(piece[0], axis, -1)] if index == 0 else []
            after = [_neighbour(piece[-1], axis, 1)] if index == len(street.pieces) - 1 else []
            yield _line(ground, [*before, *piece, *after])


def _neighbour(cell: Cell, axis: int, step: int) -> Cell:
    return (cell[0] + step, cell[1]) if axis == 0 else (cell[0], cell[1] + step)


def _line(ground: Town, cells: Sequence[Cell]) -> str:
    return "M" + " L".join("{} {}".format(*ground.point(cell)) for cell in cells)


def _route(ground: Town, stops: Sequence[Cell]) -> str:
    """Return the line of the shortest route from each place to the next."""
    cells = stops[:1]
    for start, end in pairwise(stops):
        cells = [*cells, *ground.way(start, end)[1:]]
    return _line(ground, cells) if len(cells) > 1 else ""


def _curve(points: Sequence[tuple[int, int]]) -> str:
    """Return a curve through the midpoints between points, with the points as control points."""
    first, *rest = points
    drawn = "M{} {}".format(*first)
    for (x, y), (u, v) in pairwise(rest):
        drawn += f" Q{x} {y} {(x + u) // 2} {(y + v) // 2}"
    return drawn + " L{} {}".format(*points[-1])


def _blocks(ground: Town) -> Iterator[tuple[str, int]]:
    """Yield the outline of each block of houses, and one of three shades."""
    # Add one block on each side, because the town extends beyond the map.
    for c, r in sorted({(c + x, r + y) for c, r in ground.corners for x in (0, -1) for y in (0, -1)}):
        corners = [(c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1)]
        yield _inner_points([ground.point(cell) for cell in corners]), (c * 5 + r * 3) % 3


def _inner_points(points: Sequence[tuple[int, int]]) -> str:
    (left, top), (right, up), (east, down), (west, low) = points
    corners = (left + _INSET, top + _INSET), (right - _INSET, up + _INSET), (east - _INSET, down - _INSET)
    return "M" + " L".join(f"{x} {y}" for x, y in (*corners, (west + _INSET, low - _INSET))) + "Z"


def _lawn(ground: Town) -> str:
    a, b, c, d, e, f = (ground.point(cell) for cell in ground.lawn)
    inset = [(*a, 1, 1), (*b, 0, 1), (*c, -1, 1), (*f, -1, -1), (*e, 0, -1), (*d, 1, -1)]
    return "M" + " L".join(f"{x + u * _INSET} {y + v * _INSET}" for x, y, u, v in inset) + "Z"


def _bridges(ground: Town) -> Iterator[str]:
    """Yield the road segments that cross the river."""
    upright = ground.banks[0][1] < 0
    axis = 0 if upright else 1
    edge = next(cell[axis] for cell in ground.corners if _is_outside(ground, cell, axis))
    for here in ground.corners:
        for there in ground.roads[here]:
            if here[axis] == edge - 1 and there[axis] == edge:
                yield _line(ground, (here, there))


def _is_outside(ground: Town, cell: Cell, axis: int) -> bool:
    """Return whether a corner is beyond the river, seen from the upper left."""
    across = ground.banks[cell[1 - axis] + 1]
    return ground.point(cell)[axis] > across[axis]


def _pins(ground: Town, rows: Sequence[Entity], hrefs: Sequence[str], here: str) -> tuple[list[Pin], Pin | None]:
    """Return the pins of places, and the mark with the text `here` unless that is empty."""
    points: list[Point] = [ground.point(_cell(row)) for row in rows]
    names = [row.name for row in rows]
    if here:
        points.append(_free_corner(ground, points))
        names.append(here)
    used_boxes = [_around(point, 2 * _PIN, 2 * _PIN) for point in points]
    used_boxes += [_around(point, _width(len(name)), _HEIGHTS[0]) for name, point in ground.districts.items()]
    spots = _spots(names, points, used_boxes)
    pins = [
        Pin(row, number, href, spots[number - 1], *_share(*points[number - 1]))
        for number, (row, href) in enumerate(zip(rows, hrefs, strict=True), start=1)
    ]
    return pins, Pin(Entity(name=here), 0, "", spots[-1], *_share(*points[-1])) if here else None


def _free_corner(ground: Town, points: Sequence[Point]) -> Point:
    """Return the corner without a place that is nearest to the middle of the map."""
    free = {ground.point(cell) for cell in ground.corners} - {*points}
    return min(free, key=lambda point: (math.dist(point, (WIDTH / 2, HEIGHT / 2)), point))


def _spots(names: Sequence[str], points: Sequence[Point], used_boxes: Sequence[Box]) -> list[Spot | None]:
    """Return a position for each name, so that none overlaps another or a used box; None where there is no room."""
    spots: list[Spot | None] = [None] * len(names)
    choices = {
        index: [spot for spot in _choices(name, *point) if _fits(spot.box, used_boxes)]
        for index, (name, point) in enumerate(zip(names, points, strict=True))
    }
    while choices:
        # Names with few choices come first, so that others do not take them.
        index = min(choices, key=lambda index: (len(choices[index]), index))
        for spot in choices.pop(index)[:1]:
            spots[index] = spot
            choices = {
                other: [choice for choice in known if _fits(choice.box, [spot.box])] for other, known in choices.items()
            }
    return spots


def _choices(name: str, x: float, y: float) -> Iterator[Spot]:
    """Yield all positions of a name around a point, in one line and in two."""
    for letters, height in zip((0, _longest_half(name)), _HEIGHTS, strict=True):
        width = _width(letters or len(name))
        above, below = y - _AWAY - height, y + _AWAY
        corners = {
            "right": (x + _AWAY, y - height / 2),
            "left": (x - _AWAY - width, y - height / 2),
            "below": (x - width / 2, below),
            "above": (x - width / 2, above),
            "below-start": (x - _PIN, below),
            "below-end": (x + _PIN - width, below),
            "above-start": (x - _PIN, above),
            "above-end": (x + _PIN - width, above),
        }
        for side, (left, top) in corners.items():
            yield Spot(side, letters, (left, top, left + width, top + height))


def _width(letters: int) -> float:
    return letters * _LETTER + _EDGES


def _longest_half(name: str) -> int:
    """Return the length of the longer line if a name is broken into two as evenly as possible."""
    words = name.split(" ")
    halves = ((" ".join(words[:count]), " ".join(words[count:])) for count in range(1, len(words)))
    return min((max(map(len, half)) for half in halves), default=len(name))


def _around(point: Point, width: float, height: float) -> Box:
    x, y = point
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _fits(box: Box, used_boxes: Iterable[Box]) -> bool:
    left, top, right, low = box
    is_inside = left >= 0 and top >= 0 and right <= WIDTH and low <= HEIGHT
    return is_inside and all(
        right <= other_box[0] or left >= other_box[2] or low <= other_box[1] or top >= other_box[3]
        for other_box in used_boxes
    )
