"""The town of a world: streets, a river with bridges, a park, and street corners, where places can be."""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from math import dist

from stressweb.core import draws
from stressweb.core.yaml_models import load
from stressweb.sites.kit.folder import KIT

WIDTH, HEIGHT = 1000, 760
"""Size of the map, in map units."""
METRES = 8
"""Metres per map unit."""
_COLUMNS, _ROWS = 9, 7
_GAP, _LEFT, _TOP = 110, 60, 50
_JITTER = 13
"""Most units by which a corner is moved, so that corners stay more than 80 units apart."""
_PARTS = ((0, 3, 0, 4), (3, 6, 0, 4), (6, 9, 0, 4), (0, 3, 4, 7), (3, 6, 4, 7), (6, 9, 4, 7))
"""Column range and row range of each district: start and end, the end not included."""

type Cell = tuple[int, int]
"""Column and row."""


@dataclass(frozen=True)
class Corner:
    """A crossing of two streets, where a place can be."""

    x: int
    y: int
    address: str
    district: str


@dataclass(frozen=True)
class Street:
    """A street as a line, in pieces if the river or the park interrupts it."""

    name: str
    pieces: tuple[tuple[Cell, ...], ...]
    wide: bool


@dataclass(frozen=True)
class Town:
    """A town, drawn from the seed, as maps show it."""

    corners: Mapping[Cell, Corner]
    streets: Sequence[Street]
    roads: Mapping[Cell, frozenset[Cell]]
    """The next corners by road from each corner."""
    districts: Mapping[str, tuple[int, int]]
    """The centre of each district, by name."""
    river: str
    banks: Sequence[tuple[int, int]]
    """Points along the river, from one edge of the map to the other."""
    park: str
    lawn: tuple[Cell, ...]
    """The corners around the park."""
    ways: Mapping[Cell, Mapping[Cell, tuple[float, Cell]]]
    """From each corner to each other: the distance by road in units, and the last corner before the destination."""

    def point(self, cell: Cell) -> tuple[int, int]:
        """Return the position of a corner; for a cell beside the map, the position that it would have."""
        c, r = min(max(cell[0], 0), _COLUMNS - 1), min(max(cell[1], 0), _ROWS - 1)
        corner = self.corners[c, r]
        return corner.x + (cell[0] - c) * _GAP, corner.y + (cell[1] - r) * _GAP

    def way(self, start: Cell, end: Cell) -> list[Cell]:
        """Return the corners on the shortest way by road, including both ends."""
        way = [end]
        while way[-1] != start:
            way.append(self.ways[start][way[-1]][1])
        return way[::-1]

    def metres(self, start: Cell, end: Cell) -> int:
        """Return the length of the shortest way by road in metres, rounded to hundreds."""
        return round(self.ways[start][end][0] * METRES / 100) * 100


@lru_cache(maxsize=16)
def town(seed: draws.Part) -> Town:
    """Return the town of a world seed, the same on every site."""
    return _Plan(seed).town()


class _Plan:
    def __init__(self, seed: draws.Part) -> None:
        self.keyed = draws.Keyed("town", seed)
        self.unit = self.keyed.unit
        self.words: Mapping[str, list[str]] = load(KIT / "corpora" / "town.yaml")

    def names(self, what: str, count: int) -> list[str]:
        return self.keyed.shuffled(self.words[what], what)[:count]

    def town(self) -> Town:
        points = {(c, r): self._point(c, r) for c in range(_COLUMNS) for r in range(_ROWS)}
        upright = self.unit("upright") < 0.5
        # The river flows between this column (or row) and the next one, never along the edge of the map.
        gap = 2 + int(self.unit("gap") * ((_COLUMNS if upright else _ROWS) - 4))
        across = {cell for cell in points if cell[0 if upright else 1] == gap}
        bridges = self._bridges(upright)
        lawn = self._lawn(upright, gap)
        closed_edges = {frozenset(_step(cell, upright)) for cell in across if cell[1 if upright else 0] not in bridges}
        closed_edges.add(frozenset((lawn[1], lawn[4])))
        rows = [[(c, r) for c in range(_COLUMNS)] for r in range(_ROWS)]
        columns = [[(c, r) for r in range(_ROWS)] for c in range(_COLUMNS)]
        streets = tuple(self._streets([*rows, *columns], closed_edges))
        districts, roads = self._districts(), _roads(streets)
        return Town(
            corners=dict(self._corners(points, streets, [*districts])),
            streets=streets,
            roads=roads,
            districts=districts,
            river=self.keyed.pick(self.words["rivers"], "river"),
            banks=tuple(self._banks(points, upright, gap)),
            park=self.keyed.pick(self.words["parks"], "park"),
            lawn=lawn,
            ways={start: _ways(points, roads, start) for start in points},
        )

    def _point(self, c: int, r: int) -> tuple[int, int]:
        x, y = (round((2 * self.unit("corner", c, r, axis) - 1) * _JITTER) for axis in "xy")
        return _LEFT + c * _GAP + x, _TOP + r * _GAP + y

    def _bridges(self, upright: bool) -> set[int]:
        """Return the rows (or columns) with a bridge: one in each third of the map."""
        long = _ROWS if upright else _COLUMNS
        thirds = [(third * long // 3, (third + 1) * long // 3) for third in range(3)]
        return {low + int(self.unit("bridge", low) * (high - low)) for low, high in thirds}

    def _lawn(self, upright: bool, gap: int) -> tuple[Cell, ...]:
        """Return the corners of two adjacent blocks through which no river flows, the upper corners first."""
        free = [
            (c, r)
            for c in range(1, _COLUMNS - 3)
            for r in range(1, _ROWS - 2)
            if (gap not in (c, c + 1) if upright else r != gap)
        ]
        c, r = self.keyed.pick(free, "lawn")
        return (c, r), (c + 1, r), (c + 2, r), (c, r + 1), (c + 1, r + 1), (c + 2, r + 1)

    def _streets(self, lines: list[list[Cell]], closed_edges: set[frozenset[Cell]]) -> Iterator[Street]:
        stems = self.names("stems", len(lines))
        # One wide street in each direction, neither of them at the edge.
        wide = {
            1 + int(self.unit("wide", 0) * (_ROWS - 2)),
            _ROWS + 1 + int(self.keyed.unit("wide", 1) * (_COLUMNS - 2)),
        }
        for index, (line, stem) in enumerate(zip(lines, stems, strict=True)):
            pieces: list[list[Cell]] = [[line[0]]]
            for cell, next_cell in pairwise(line):
                if frozenset((cell, next_cell)) in closed_edges:
                    pieces.append([next_cell])
                else:
                    pieces[-1].append(next_cell)
            kind = self.keyed.pick(self.words["wide" if index in wide else "kinds"], "kind", index)
            yield Street(f"{stem} {kind}", tuple(map(tuple, pieces)), index in wide)

    def _districts(self) -> dict[str, tuple[int, int]]:
        firsts, lasts = self.names("firsts", len(_PARTS)), self.names("lasts", len(_PARTS))
        names = [f"{first} {last.capitalize()}" if " " in first else first + last
            for first, last in zip(firsts, lasts, strict=True)]  # fmt: skip
        # Each name stands in the middle of a block, so that no street runs through it.
        middles = [
            (_LEFT + (left + right - 1) // 2 * _GAP + _GAP // 2, _TOP + (top + bottom - 1) // 2 * _GAP + _GAP // 2)
            for left, right, top, bottom in _PARTS
        ]
        return dict(zip(names, middles, strict=True))

    def _corners(
        self, points: Mapping[Cell, tuple[int, int]], streets: Sequence[Street], districts: Sequence[str]
    ) -> Iterator[tuple[Cell, Corner]]:
        streets_at = defaultdict(list)
        for street in streets:
            for index, cell in enumerate(chain.from_iterable(street.pieces)):
                streets_at[cell].append((street.name, index))
        for cell, (x, y) in points.items():
            name, index = streets_at[cell][int(self.unit("side", *cell) * len(streets_at[cell]))]
            number = 2 + index * 24 + int(self.unit("number", *cell) * 21)
            parts = zip(_PARTS, districts, strict=True)
            part = next(name for (a, b, c, d), name in parts if a <= cell[0] < b and c <= cell[1] < d)
            yield cell, Corner(x, y, f"{number} {name}", part)

    def _banks(self, points: Mapping[Cell, tuple[int, int]], upright: bool, gap: int) -> Iterator[tuple[int, int]]:
        """Yield points halfway between two columns (or rows) of corners."""
        long = _ROWS if upright else _COLUMNS
        cells = [(gap, index) if upright else (index, gap) for index in range(long)]
        halves = []
        for cell in cells:
            (x, y), (u, v) = (points[corner] for corner in _step(cell, upright))
            halves.append(((x + u) // 2, (y + v) // 2))
        (x, y), (u, v) = halves[0], halves[-1]
        yield (x, -20) if upright else (-20, y)
        yield from halves
        yield (u, HEIGHT + 20) if upright else (WIDTH + 20, v)


def _step(cell: Cell, upright: bool) -> tuple[Cell, Cell]:
    """Return a corner and the corner across the river."""
    return cell, (cell[0] + 1, cell[1]) if upright else (cell[0], cell[1] + 1)


def _ways(
    points: Mapping[Cell, tuple[int, int]], roads: Mapping[Cell, frozenset[Cell]], start: Cell
) -> dict[Cell, tuple[float, Cell]]:
    """Return the distance of every corner from `start` by road, and the last corner on the way."""
    ways: dict[Cell, tuple[float, Cell]] = {}
    queue: list[tuple[float, Cell, Cell]] = [(0, start, start)]
    while queue:
        length, cell, previous = heapq.heappop(queue)
        if cell not in ways:
            ways[cell] = length, previous
            for neighbour in roads[cell]:
                heapq.heappush(queue, (length + dist(points[cell], points[neighbour]), neighbour, cell))
    return ways


def _roads(streets: Sequence[Street]) -> Mapping[Cell, frozenset[Cell]]:
    roads: defaultdict[Cell, set[Cell]] = defaultdict(set)
    for street in streets:
        for piece in street.pieces:
            for cell, neighbour in pairwise(piece):
                roads[cell].add(neighbour)
                roads[neighbour].add(cell)
    return {cell: frozenset(neighbours) for cell, neighbours in roads.items()}
