"""A map of the town."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from stressweb.core.entity import Entity
from stressweb.sites.kit.data.town import HEIGHT, WIDTH, Cell, Town, town
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget
from stressweb.sites.kit.widgets.map import street_names
from stressweb.sites.kit.widgets.map.boxes import Box, Point, around, fits
from stressweb.sites.kit.widgets.map.ground import drawing, line


@dataclass(frozen=True)
class Scale:
    """Sizes of what stands on the map, in units of the map."""

    letter: float
    """Width of a letter of a name in the widest font."""
    edges: int
    heights: tuple[int, int]
    """Height of a name of one line and of two."""
    away: int
    """Distance from the middle of a pin to its name."""
    pin: int
    """Half the width of a pin."""
    district: float
    """Width of a letter of a district's name."""

    def width(self, letters: int) -> float:
        """Return the width of a name."""
        return letters * self.letter + self.edges

    def district_box(self, name: str, point: Point) -> Box:
        """Return the box of a district's name."""
        return around(point, len(name) * self.district + self.edges, self.heights[0])


_WIDE = Scale(letter=7.4, edges=10, heights=(24, 40), away=17, pin=14, district=7.4)
"""At desktop width, where a unit is about a pixel."""
_NARROW = Scale(letter=19.2, edges=17, heights=(42, 78), away=35, pin=30, district=18)
"""In a window of 390 pixels, where almost three units are a pixel."""


@dataclass(frozen=True)
class Spot:
    """A position of a name beside its pin."""

    side: str
    """Suffix of the CSS class for the position."""
    letters: int
    """Length of its longest line if it has two; 0 if it has one."""
    box: Box


QUIET = Spot("quiet", 0, (0, 0, 0, 0))
"""The position of a name for which there is no room."""


@dataclass(frozen=True)
class Pin:
    """A place on the map."""

    row: Entity
    number: int
    href: str
    spot: Spot
    """The position of the name at desktop width."""
    narrow: Spot
    """The position of the name in a narrow window."""
    point: Point

    @property
    def left(self) -> str:
        """Distance from the left edge, in percent of the map."""
        return _share(*self.point)[0]

    @property
    def top(self) -> str:
        """Distance from the upper edge, in percent of the map."""
        return _share(*self.point)[1]


class Map(Widget):
    """Streets, river and park, drawn as SVG, with places that are links.

    Each row is a place with a `name` and a `cell`, the column and row of its street corner, such as `3,4`. Names are
    shown beside the places where there is room, in one line or in two; on a narrow page that is about half of them. The
    other names are available to screen readers and as tooltips. Show the same rows in a list or in a field, too: the
    page must be usable without the map.
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
    beside: bool = False
    """Whether the next block stands beside the map where there is room."""

    def view(self, visit: Visit) -> Any:
        """Return the map's ground, its pins, and the line that connects places."""
        ground = town(visit.world.seed)
        rows = follow(self.row, visit.names)
        here = visit.say(self.here) if self.here else ""
        pins, mark = _pins(ground, rows, [self._href(visit, row) for row in rows], here)
        stops = [_cell(row) for row in follow(self.route, visit.names)] if self.route else []
        return {
            **drawing(visit.world.seed),
            "names": street_names.names(ground, *_boxes(ground, pins, mark)),
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


def _route(ground: Town, stops: Sequence[Cell]) -> str:
    """Return the line of the shortest route from each place to the next."""
    cells = stops[:1]
    for start, end in pairwise(stops):
        cells = [*cells, *ground.way(start, end)[1:]]
    return line(ground, cells) if len(cells) > 1 else ""


def _pins(ground: Town, rows: Sequence[Entity], hrefs: Sequence[str], here: str) -> tuple[list[Pin], Pin | None]:
    """Return the pins of places, and the mark with the text `here` unless that is empty."""
    points: list[Point] = [ground.point(_cell(row)) for row in rows]
    names = [row.name for row in rows]
    if here:
        points.append(_free_corner(ground, points))
        names.append(here)
    wide, narrow = (_spots(ground, names, points, scale) for scale in (_WIDE, _NARROW))
    pins = [
        Pin(row, index + 1, href, wide[index], narrow[index], points[index])
        for index, (row, href) in enumerate(zip(rows, hrefs, strict=True))
    ]
    return pins, Pin(Entity(name=here), 0, "", wide[-1], narrow[-1], points[-1]) if here else None


def _boxes(ground: Town, pins: Sequence[Pin], mark: Pin | None) -> Iterator[list[Box]]:
    """Yield the boxes of pins, their names and districts at desktop width, and those in a narrow window."""
    every = [*pins, *([mark] if mark else [])]
    for scale, spots in ((_WIDE, [pin.spot for pin in every]), (_NARROW, [pin.narrow for pin in every])):
        boxes = _fixed_boxes(ground, [pin.point for pin in every], scale)
        yield [*boxes, *(spot.box for spot in spots if spot is not QUIET)]


def _fixed_boxes(ground: Town, points: Sequence[Point], scale: Scale) -> list[Box]:
    """Return the boxes of pins and districts, which no name moves."""
    return [
        *(around(point, 2 * scale.pin, 2 * scale.pin) for point in points),
        *(scale.district_box(name, point) for name, point in ground.districts.items()),
    ]


def _free_corner(ground: Town, points: Sequence[Point]) -> Point:
    """Return the corner without a place that is nearest to the middle of the map."""
    free = {ground.point(cell) for cell in ground.corners} - {*points}
    return min(free, key=lambda point: (math.dist(point, (WIDTH / 2, HEIGHT / 2)), point))


def _spots(ground: Town, names: Sequence[str], points: Sequence[Point], scale: Scale) -> list[Spot]:
    """Return a position for each name, so that none overlaps another, a pin or a district; QUIET without room."""
    spots, used_boxes = [QUIET] * len(names), _fixed_boxes(ground, points, scale)
    choices = {
        index: [spot for spot in _choices(name, *point, scale) if fits(spot.box, used_boxes)]
        for index, (name, point) in enumerate(zip(names, points, strict=True))
    }
    while choices:
        # Names with few choices come first, so that others do not take them.
        index = min(choices, key=lambda index: (len(choices[index]), index))
        for spot in choices.pop(index)[:1]:
            spots[index] = spot
            choices = {
                other: [choice for choice in known if fits(choice.box, [spot.box])] for other, known in choices.items()
            }
    return spots


def _choices(name: str, x: float, y: float, scale: Scale) -> Iterator[Spot]:
    """Yield all positions of a name around a point, in one line and in two."""
    for letters, height in zip((0, _longest_half(name)), scale.heights, strict=True):
        width = scale.width(letters or len(name))
        above, below = y - scale.away - height, y + scale.away
        corners = {
            "right": (x + scale.away, y - height / 2),
            "left": (x - scale.away - width, y - height / 2),
            "below": (x - width / 2, below),
            "above": (x - width / 2, above),
            "below-start": (x - scale.pin, below),
            "below-end": (x + scale.pin - width, below),
            "above-start": (x - scale.pin, above),
            "above-end": (x + scale.pin - width, above),
        }
        for side, (left, top) in corners.items():
            yield Spot(side, letters, (left, top, left + width, top + height))


def _longest_half(name: str) -> int:
    """Return the length of the longer line if a name is broken into two as evenly as possible."""
    words = name.split(" ")
    halves = ((" ".join(words[:count]), " ".join(words[count:])) for count in range(1, len(words)))
    return min((max(map(len, half)) for half in halves), default=len(name))
