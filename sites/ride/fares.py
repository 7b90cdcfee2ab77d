"""What a ride costs and how long it takes: the same sums for pages, for the world's data, and for what goals name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sites.kit.data.town import Cell, Town

TIPS = {"tip_0": 0, "tip_5": 5, "tip_10": 10, "tip_15": 15, "tip_20": 20}
"""Hundredths of the fare that each tip is."""
_METRES_A_MINUTE = 430
_STOP = 2
"""Minutes that getting in and out takes."""
_STEP = 5
"""Hundredths to which a part of a fare is rounded."""

type Row = Mapping[str, Any]


@dataclass(frozen=True)
class Trip:
    """A way by road: how long it is, and how long one rides."""

    metres: int
    minutes: int

    @property
    def kilometres(self) -> str:
        """The length as people read it."""
        return f"{self.metres / 1000:.1f}"


def cell(place: Row) -> Cell:
    """Return the corner of the town where a place is."""
    column, _, line = place["cell"].partition(",")
    return int(column), int(line)


def trip(town: Town, start: Row, end: Row) -> Trip:
    """Return the way from one place to another."""
    metres = town.metres(cell(start), cell(end))
    return Trip(metres, _STOP + round(metres / _METRES_A_MINUTE))


def parts(tier: Row, way: Trip) -> tuple[int, int, int]:
    """Return what a fare is made of, in hundredths: base, distance, time."""
    sums = tier["base"], tier["per_km"] * way.metres / 1000, tier["per_minute"] * way.minutes
    base, distance, time = (round(one / _STEP) * _STEP for one in sums)
    return base, distance, time


def fare(tier: Row, way: Trip) -> int:
    """Return what a ride costs, in hundredths."""
    return sum(parts(tier, way))


def tip(price: int, key: str) -> int:
    """Return a tip in hundredths."""
    return round(price * TIPS.get(key, 0) / 100)
