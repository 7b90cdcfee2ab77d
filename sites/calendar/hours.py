"""The hours at which people hold each kind of event, and the phrases of a category's events with their hours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Self

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit.wording import dates
from stressweb.sites.kit.wording.capitals import capitalized


@dataclass(frozen=True)
class Hours:
    """When events of a kind begin, how long they last, and on which weekdays they are."""

    begins: range
    """Times of the day at which they may begin, in minutes from midnight."""
    lengths: tuple[int, ...]
    """Lengths in minutes; a common one is listed twice."""
    weekdays: frozenset[int]
    notes: tuple[str, ...]
    """What people note for them."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Return the hours of a row of the corpus."""
        begins = range(dates.minutes(row["first"]), dates.minutes(row["last"]) + 1, row["every"])
        return cls(begins, tuple(row["lengths"]), frozenset(row["weekdays"]), tuple(row["notes"]))


@dataclass(frozen=True)
class Phrase:
    """How people name events of a kind."""

    title: str
    """The title of a single event, with `{name}` for a person unless it needs none; the name of what recurs."""
    hours: str
    """Name of its hours in the corpus."""
    places: tuple[str, ...]
    topics: tuple[str, ...] = ()
    """What each event of what recurs is about."""
    shapes: tuple[str, ...] = ()
    """Templates of the titles of what recurs."""
    months: frozenset[int] = frozenset(range(1, 13))
    """The months in which there are such events."""

    def suits(self, day: date) -> bool:
        """Return whether a day has the right weekday and is in the right month."""
        return day.weekday() in self.times.weekdays and day.month in self.months

    @property
    def has_person(self) -> bool:
        """Whether the title names a person."""
        return "{name}" in self.title

    def lesson(self, shape: str, topic: str, number: int, count: int) -> str:
        """Return the title of an event of what recurs, of which there are `count`."""
        return shape.format(name=self.title, x=topic, X=capitalized(topic), n=number, all=count)

    @property
    def times(self) -> Hours:
        """Its hours."""
        return table()[self.hours]


@cache
def table() -> Mapping[str, Hours]:
    """Return the hours of all kinds of events by name."""
    return {name: Hours.of(row) for name, row in load(Path(__file__).parent / "corpora" / "hours.yaml").items()}


def singles(category: Entity) -> Sequence[Phrase]:
    """Return the phrases of a category's single events."""
    return tuple(
        Phrase(title, group["hours"], _places(category, group), months=_months(group))
        for group in category.singles
        for title in group["titles"]
    )


def series(category: Entity) -> Sequence[Phrase]:
    """Return the phrases of what recurs in a category."""
    return tuple(
        Phrase(row["name"], row["hours"], _places(category, row), tuple(row["topics"]), tuple(row["shapes"]))
        for row in category.series
    )


def _months(group: Mapping[str, Any]) -> frozenset[int]:
    return frozenset(group.get("months", range(1, 13)))


def _places(category: Entity, row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(category.places[name] for name in row["at"])
