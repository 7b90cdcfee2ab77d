"""Draws the diagram of the architecture for the docs site, without a script from another host.

The documents have the diagram in Mermaid's notation, which GitHub renders. Here each room is on its floor, below all
rooms that import it, and each arrow is a curve from a room to a room that it imports.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

_FENCE = re.compile(r"^```mermaid\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LETTER, _PADDING, _GAP = 7.6, 12, 14
"""Widths in pixels: of a letter, on either side of a name, and between rooms."""
_HEIGHT, _FLOOR = 30, 74
"""Heights in pixels: of a room, and of a floor with the arrows below it."""
_SWEEPS = 8
"""Number of passes that move rooms towards connected rooms."""

type Imports = Mapping[str, Sequence[str]]


class Place(NamedTuple):
    """The position of a room: the centre of its box, and the box's width."""

    x: float
    y: float
    width: float


def on_page_markdown(markdown: str, **others: Any) -> str:
    """Replace each diagram by a drawing."""
    return _FENCE.sub(lambda match: drawing(match["text"]), markdown)


def drawing(diagram: str) -> str:
    """Return a diagram as SVG; raises ValueError for a diagram without rooms."""
    imports, houses = read(diagram)
    places = placed(floors(imports, houses), imports)
    width = max(place.x + place.width / 2 for place in places.values()) + 1
    height = max(place.y for place in places.values()) + _HEIGHT / 2 + 1
    arrows = "".join(_arrow(places[room], places[other]) for room, others in imports.items() for other in others)
    boxes = "".join(_box(name, place, houses[name]) for name, place in places.items())
    label = escape("; ".join(f"{room} imports {', '.join(others)}" for room, others in imports.items() if others))
    picture = f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{label}">{arrows}{boxes}</svg>'
    return f'<div class="rooms" style="--rooms-width: {width:.0f}px">{picture}</div>'


def read(diagram: str) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the imports of each room, and the package of each room."""
    imports: dict[str, list[str]] = {}
    houses: dict[str, str] = {}
    house = ""
    for line in map(str.strip, diagram.splitlines()[1:]):
        if line.startswith("subgraph "):
            house = line.removeprefix("subgraph ")
        elif line == "end":
            house = ""
        elif "-->" in line:
            room, _, others = line.partition(" --> ")
            imports[room] = others.split(" & ")
        else:
            houses.update({name: house or name for name in line.split("; ")})
    if not houses:
        raise ValueError("the diagram has no rooms")
    return {name: imports.get(name, []) for name in houses}, houses


def floors(imports: Imports, houses: Mapping[str, str]) -> list[list[str]]:
    """Return the rooms by floor, the highest first; the longest path down from a room determines its floor."""
    depths: dict[str, int] = {}

    def depth(room: str) -> int:
        if room not in depths:
            depths[room] = 1 + max((depth(other) for other in imports[room]), default=-1)
        return depths[room]

    # Rooms without imports are on the lowest floor of their own package, not below other packages.
    lowest = {
        house: min(depth(room) for room in imports if houses[room] == house and imports[room])
        for house in {houses[room] for room in imports if imports[room]}
    }
    for room in imports:
        if not imports[room]:
            depths[room] = max(depths[room], lowest.get(houses[room], 0) - 1)
    levels = range(max(depths.values()), -1, -1)
    return [rooms for level in levels if (rooms := [room for room in imports if depths[room] == level])]


def placed(rows: Sequence[Sequence[str]], imports: Imports) -> dict[str, Place]:
    """Return the position of each room: the rooms of a floor side by side, near connected rooms."""
    joined = {
        room: {*others} | {above for above, below in imports.items() if room in below}
        for room, others in imports.items()
    }
    widest = max(map(_width, rows))
    places: dict[str, Place] = {}
    orders = [list(row) for row in rows]
    for floor, order in enumerate(orders):
        _place(order, floor, widest, places)
    for _ in range(_SWEEPS):
        for floor, order in enumerate(orders):
            order.sort(key=lambda room: _middle([places[other].x for other in joined[room]] or [places[room].x]))
            _place(order, floor, widest, places)
    return places


def _middle(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _place(order: Sequence[str], floor: int, widest: float, places: dict[str, Place]) -> None:
    # Distribute the free width of a floor between its rooms, so that arrows have space.
    space = (widest - _width(order)) / (len(order) + 1)
    x = space
    for room in order:
        width = _box_width(room)
        places[room] = Place(x + width / 2 + 1, floor * _FLOOR + _HEIGHT / 2 + 1, width)
        x += width + _GAP + space


def _width(row: Sequence[str]) -> float:
    return sum(map(_box_width, row)) + _GAP * (len(row) - 1)


def _box_width(room: str) -> float:
    return len(room) * _LETTER + 2 * _PADDING


def _arrow(start: Place, end: Place) -> str:
    top, bottom = start.y + _HEIGHT / 2, end.y - _HEIGHT / 2
    bend = (bottom - top) / 2
    return (
        f'<path d="M{start.x:.0f} {top:.0f}C{start.x:.0f} {top + bend:.0f} {end.x:.0f} {bottom - bend:.0f}'
        f' {end.x:.0f} {bottom:.0f}"/>'
    )


def _box(name: str, place: Place, house: str) -> str:
    x, y = place.x - place.width / 2, place.y - _HEIGHT / 2
    return (
        f'<g class="rooms-{escape(house)}"><rect x="{x:.0f}" y="{y:.0f}" width="{place.width:.0f}" height="{_HEIGHT}"'
        f' rx="4"/><text x="{place.x:.0f}" y="{place.y + 5:.0f}">{escape(name)}</text></g>'
    )
