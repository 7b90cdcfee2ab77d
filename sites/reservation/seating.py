"""Free tables: the format of a restaurant's row of `Floor`.

`free` has a word for each day from `first` on. Each digit is the largest party with a table at one of the
restaurant's times: in `0460`, the first and the last of four times are taken. A dash is a day on which the restaurant
is closed.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from stressweb.sites.kit.wording import dates

DAYS = 42
"""Number of days on which tables can be booked, including today."""
CLOSED = "-"
_NEAR = 60
"""Minutes that people come earlier or later for a table."""
_MOST_TIMES = 3
"""Number of times that a search offers in a restaurant."""
_LAST_MEAL = 90
"""Minutes from the last booking of a meal to closing."""


def sizes(place: Mapping[str, Any], floor: Mapping[str, Any], day: str) -> dict[str, int]:
    """Return the largest party with a table for each time of a day; empty if the restaurant is closed."""
    words = floor["free"].split()
    days_ahead = (date.fromisoformat(day) - date.fromisoformat(floor["first"])).days
    if not 0 <= days_ahead < len(words) or words[days_ahead] == CLOSED:
        return {}
    return dict(zip(place["times"].split(), map(int, words[days_ahead]), strict=True))


def closing(last: str) -> str:
    """Return the closing time of a restaurant whose last booking is at a time such as 21:30."""
    minutes = dates.minutes(last) + _LAST_MEAL
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def seats(word: str, party: int) -> bool:
    """Return whether a day, given as its word in `Floor.free`, has a table for a party."""
    return word != CLOSED and any(int(size) >= party for size in word)


def free(place: Mapping[str, Any], floor: Mapping[str, Any], day: str, party: int) -> list[str]:
    """Return the times of a day with a table for a party."""
    return [time for time, size in sizes(place, floor, day).items() if size >= party]


def near(time: str, times: Sequence[str]) -> list[str]:
    """Return the times of a day that are nearest to a time, at most an hour away, in order."""

    def distance(free_time: str) -> int:
        return abs(dates.minutes(free_time) - dates.minutes(time))

    nearest = sorted((free_time for free_time in times if distance(free_time) <= _NEAR), key=distance)
    return sorted(nearest[:_MOST_TIMES])


def days(floor: Mapping[str, Any]) -> list[str]:
    """Return the days on which a restaurant is open."""
    first = date.fromisoformat(floor["first"]).toordinal()
    return [
        date.fromordinal(first + day).isoformat() for day, word in enumerate(floor["free"].split()) if word != CLOSED
    ]  # fmt: skip
