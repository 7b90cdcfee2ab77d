"""Cost and duration of a ride, the same for pages, for the world's data and for goals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stressweb.sites.kit.data.town import Cell, Town

TIPS = {"tip_0": 0, "tip_5": 5, "tip_10": 10, "tip_15": 15, "tip_20": 20}
"""Each tip in percent of the fare."""
_METRES_A_MINUTE = 430
_STOP = 2
"""Minutes for getting in and out."""
_STEP = 5
"""Cents to which each part of a fare is rounded."""

type Row = Mapping[str, Any]


@dataclass(frozen=True)
class Trip:
    """A route by road: its length and duration."""

    metres: int
    minutes: int

    @property
    def kilometres(self) -> str:
        """The length in kilometres, with one decimal."""
        return f"{self.metres / 1000:.1f}"


def cell(place: Row) -> Cell:
    """Return the corner of the town where a place is."""
    column, _, line = place["cell"].partition(",")
    return int(column), int(line)


def trip(town: Town, start: Row, end: Row) -> Trip:
    """Return the route from one place to another."""
    metres = town.metres(cell(start), cell(end))
    return Trip(metres, _STOP + round(metres / _METRES_A_MINUTE))


def parts(tier: Row, route: Trip) -> tuple[int, int, int]:
    """Return the parts of a fare in cents: base, distance, time."""
    amounts = tier["base"], tier["per_km"] * route.metres / 1000, tier["per_minute"] * route.minutes
    base, distance, time = (round(amount / _STEP) * _STEP for amount in amounts)
    return base, distance, time


def fare(tier: Row, route: Trip) -> int:
    """Return the fare of a ride in cents."""
    return sum(parts(tier, route))


def tip(price: int, key: str) -> int:
    """Return a tip in cents."""
    return round(price * TIPS.get(key, 0) / 100)
