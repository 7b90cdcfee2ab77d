"""The ground of a town's map as lines of SVG: blocks, houses, park, river, bridges and avenues."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from stressweb.core import draws
from stressweb.sites.kit.data.town import Cell, Town, town

type Points = Sequence[tuple[int, int]]

_SIDE, _WIDE, _COURT = 8, 13, 20
"""Distance from the middle of a side street and of an avenue to the blocks beside it, and from there to the houses."""


def line(ground: Town, cells: Sequence[Cell]) -> str:
    """Return a line through corners; cells beside the map are where they would be."""
    return "M" + " L".join("{} {}".format(*ground.point(cell)) for cell in cells)


@lru_cache(maxsize=16)
def drawing(seed: draws.Part) -> Mapping[str, str]:
    """Return the lines of a town's ground by name.

    `blocks` are the outlines of all blocks, the river's banks between two bridges among them. `houses` stand inside
    every other block that is not on the river. Cached, because every page with a map of the town has the same lines.
    """
    ground = town(seed)
    areas = [*_areas(ground)]
    return {
        "blocks": "".join(_outline(points) for points, _ in areas),
        "houses": "".join(_outline(_inset(points, [_COURT] * 4)) for points, is_built in areas if is_built),
        "avenues": _avenues(ground),
        "bridges": _bridges(ground),
        "park": _park(ground),
        "river": _curve(ground.banks),
    }


def _park(ground: Town) -> str:
    """Return the outline of the park, which covers two blocks."""
    left_top, _, right_top, left_low, _, right_low = ground.lawn
    corners = [ground.point(cell) for cell in (left_top, right_top, right_low, left_low)]
    sides = [_width(ground, 0, left_top[1]), _width(ground, 1, right_top[0]), _width(ground, 0, left_low[1])]
    return _outline(_inset(corners, [*sides, _width(ground, 1, left_top[0])]))


def _avenues(ground: Town) -> str:
    """Return the wide streets; the outermost pieces extend beyond the map."""
    lines = []
    for street in ground.streets:
        axis = 0 if street.pieces[0][0][1] == street.pieces[-1][-1][1] else 1
        for index, piece in enumerate(street.pieces if street.wide else ()):
            before = [_neighbour(piece[0], axis, -1)] if index == 0 else []
            after = [_neighbour(piece[-1], axis, 1)] if index == len(street.pieces) - 1 else []
            lines.append(line(ground, [*before, *piece, *after]))
    return "".join(lines)


def _bridges(ground: Town) -> str:
    """Return the roads across the river, from bank to bank."""
    axis, _ = _river(ground)
    return "".join(line(ground, (cell, _neighbour(cell, axis, 1))) for cell in _bridge_cells(ground))


def _curve(points: Points) -> str:
    """Return a curve through the midpoints between points, with the points as control points."""
    first, *rest = points
    drawn = "M{} {}".format(*first)
    for (x, y), (u, v) in pairwise(rest):
        drawn += f"Q{x} {y} {(x + u) // 2} {(y + v) // 2}"
    return drawn + "L{} {}".format(*points[-1])


def _areas(ground: Town) -> Iterator[tuple[Points, bool]]:
    """Yield the corners of each area between streets, and whether houses stand in it.

    A street that ends at the river ends at the street along the bank, so that a bank is one area from bridge to bridge.
    """
    axis, gap = _river(ground)
    lawn = {ground.lawn[0], ground.lawn[1]}
    columns, rows = (max(cell[index] for cell in ground.corners) for index in (0, 1))
    # One block more on each side, because the town extends beyond the map.
    for c in range(-1, columns + 1):
        for r in range(-1, rows + 1):
            if (c, r)[axis] != gap and (c, r) not in lawn:
                yield _area(ground, (c, r), (c + 1, r + 1)), (c + r) % 2 == 0
    ends = [-1, *(cell[1 - axis] for cell in _bridge_cells(ground)), (rows if axis == 0 else columns) + 1]
    for low, high in pairwise(ends):
        corners = ((gap, low), (gap + 1, high)) if axis == 0 else ((low, gap), (high, gap + 1))
        yield _area(ground, *corners), False


def _area(ground: Town, first: Cell, last: Cell) -> Points:
    """Return the outline inside the streets around the blocks from one corner to another."""
    (left, top), (right, low) = first, last
    around = [(c, top) for c in range(left, right + 1)] + [(right, r) for r in range(top + 1, low + 1)]
    around += [(c, low) for c in range(right - 1, left - 1, -1)] + [(left, r) for r in range(low - 1, top, -1)]
    points = []
    for c, r in around:
        x, y = ground.point((c, r))
        across, down = _width(ground, 1, c), _width(ground, 0, r)
        points.append((x + across * ((c == left) - (c == right)), y + down * ((r == top) - (r == low))))
    return points


def _inset(points: Points, sides: Sequence[int]) -> Points:
    """Return four corners moved inwards, from the upper side on clockwise."""
    (left, top), (right, up), (east, down), (west, low) = points
    above, after, below, before = sides
    return ((left + before, top + above), (right - after, up + above), (east - after, down - below),
        (west + before, low - below))  # fmt: skip


def _outline(points: Points) -> str:
    """Return a closed line, in steps from point to point, because that is shortest."""
    steps = (f"{u - x} {v - y}" for (x, y), (u, v) in pairwise(points))
    return "M{} {}l".format(*points[0]) + " ".join(steps).replace(" -", "-") + "z"


def _width(ground: Town, axis: int, index: int) -> int:
    """Return half the width of the street with this row (axis 0) or column (axis 1), and of its pavement."""
    rows = 1 + max(r for _, r in ground.corners)
    number = index + axis * rows
    is_street = 0 <= index < (rows if axis == 0 else len(ground.streets) - rows)
    return _WIDE if is_street and ground.streets[number].wide else _SIDE


def _river(ground: Town) -> tuple[int, int]:
    """Return the axis across the river, and the last column (or row) before it."""
    axis = 0 if ground.banks[0][1] < 0 else 1
    # The second point of the river is in the middle between two corners at the edge of the map.
    edge = (cell for cell in ground.corners if cell[1 - axis] == 0)
    return axis, max(cell[axis] for cell in edge if ground.point(cell)[axis] < ground.banks[1][axis])


def _bridge_cells(ground: Town) -> list[Cell]:
    """Return the corners before the bridges."""
    axis, gap = _river(ground)
    before = [cell for cell in sorted(ground.corners) if cell[axis] == gap]
    return [cell for cell in before if _neighbour(cell, axis, 1) in ground.roads[cell]]


def _neighbour(cell: Cell, axis: int, step: int) -> Cell:
    return (cell[0] + step, cell[1]) if axis == 0 else (cell[0], cell[1] + step)
