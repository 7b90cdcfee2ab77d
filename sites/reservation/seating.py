"""Which tables are free: how a restaurant's row of `Floor` is read and written.

`free` holds a word for each day from `first` on, with the largest party for which there is a table at each of the
restaurant's times: `0460` is four times, of which the first and the last are taken. A dash is a day on which the
restaurant is closed.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from stressweb.sites.kit.wording import dates

DAYS = 42
"""For how many days tables can be booked, today included."""
CLOSED = "-"
_LAST_MEAL = 90
"""Minutes that the last guests of a meal have."""


def sizes(place: Mapping[str, Any], floor: Mapping[str, Any], day: str) -> dict[str, int]:
    """Return for each time of a day the largest party for which there is a table; nothing where it is closed."""
    words = floor["free"].split()
    ahead = (date.fromisoformat(day) - date.fromisoformat(floor["first"])).days
    if not 0 <= ahead < len(words) or words[ahead] == CLOSED:
        return {}
    return dict(zip(place["times"].split(), map(int, words[ahead]), strict=True))


def closing(last: str) -> str:
    """Return when a restaurant closes that takes its last guests at a time such as 21:30."""
    minutes = dates.minutes(last) + _LAST_MEAL
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def seats(word: str, party: int) -> bool:
    """Return whether the word of a day has a table for a party."""
    return word != CLOSED and any(int(size) >= party for size in word)


def free(place: Mapping[str, Any], floor: Mapping[str, Any], day: str, party: int) -> list[str]:
    """Return the times of a day at which there is a table for a party."""
    return [time for time, size in sizes(place, floor, day).items() if size >= party]


def days(floor: Mapping[str, Any]) -> list[str]:
    """Return the days on which a restaurant is open."""
    first = date.fromisoformat(floor["first"]).toordinal()
    return [
        date.fromordinal(first + day).isoformat() for day, word in enumerate(floor["free"].split()) if word != CLOSED
    ]  # fmt: skip
