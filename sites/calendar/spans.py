"""Spans of days that the calendar's views show, and how events share a day's width."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal, Self

from stressweb.core.entity import Entity
from stressweb.sites.kit.wording.dates import MONTHS, minutes, say

AGENDA = 14
"""Days that an agenda shows."""
QUARTER = 15
"""Minutes of a row of the grid of hours."""

Kind = Literal["month", "week", "day", "agenda"]


@dataclass(frozen=True)
class Span:
    """The days that a view of a calendar shows, around the one that was asked for."""

    kind: Kind
    day: date
    """The day that other views of the same time begin with."""
    first: date
    last: date
    """The last day that is part of it."""
    style: str
    """How days are said."""

    @classmethod
    def of(cls, kind: Kind, day: date, today: date, style: str) -> Self:
        """Return the span of a kind that holds a day."""
        if kind == "month":
            first = day.replace(day=1)
            # No month has more than 31 days, so 31 days after its first is always in the next one.
            last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
            # Leaving a month for the week view shows this week if the month holds it, and otherwise the month's first.
            return cls(kind, today if first <= today <= last else first, first, last, style)
        first = day - timedelta(days=day.weekday()) if kind == "week" else day
        length = {"week": 7, "day": 1, "agenda": AGENDA}[kind]
        last = first + timedelta(days=length - 1)
        return cls(kind, today if first <= today <= last else first, first, last, style)

    @property
    def title(self) -> str:
        """The span in words."""
        if self.kind == "month":
            return f"{MONTHS[self.first.month - 1]} {self.first.year}"
        first, last = say(self.style, self.first), say(self.style, self.last)
        return first if self.kind == "day" else f"{first} – {last}"

    @property
    def month(self) -> str:
        """The month of the day, as 2025-01."""
        return self.day.isoformat()[:7]

    @property
    def before(self) -> str:
        """What names the span before this one in a path."""
        # The day before the first lies in the month before, however long that is.
        return self._beside(self.first - timedelta(days=1 if self.kind == "month" else self._length))

    @property
    def after(self) -> str:
        """What names the span after this one in a path."""
        return self._beside(self.last + timedelta(days=1))

    @property
    def _length(self) -> int:
        return (self.last - self.first).days + 1

    def _beside(self, day: date) -> str:
        return day.isoformat()[:7] if self.kind == "month" else day.isoformat()

    @property
    def days(self) -> list[date]:
        """The days in order."""
        return [self.first + timedelta(days=n) for n in range(self._length)]

    @property
    def weeks(self) -> list[list[date]]:
        """Whole weeks from Monday on, in which all of the days lie."""
        monday = self.first - timedelta(days=self.first.weekday())
        count = ((self.last - monday).days // 7) + 1
        return [[monday + timedelta(days=7 * week + n) for n in range(7)] for week in range(count)]

    def holds(self, text: str) -> bool:
        """Return whether a day, as 2025-01-31, lies in the weeks that are shown."""
        # A month is shown in whole weeks, so days of the months beside it are on the page, too.
        weeks = self.weeks if self.kind == "month" else [self.days]
        # Dates in ISO form sort as text in the order of time, so no row has to be parsed.
        return weeks[0][0].isoformat() <= text <= weeks[-1][-1].isoformat()


def repeated(step: str, first: date, last: date) -> Iterator[date]:
    """Return the days from the first to the last on which an event takes place that repeats every `step`.

    A month that does not have the day is left out.
    """
    if step == "month":
        months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        firsts = (date(month // 12, month % 12 + 1, 1) for month in months)
        days = (start + timedelta(days=first.day - 1) for start in firsts)
        return (day for day in days if day.day == first.day and day <= last)
    length = {"day": 1, "week": 7, "fortnight": 14}[step]
    return (first + timedelta(days=n) for n in range(0, (last - first).days + 1, length))


@dataclass(frozen=True)
class Placed:
    """Where an entry stands on the grid of a day's hours."""

    row: Entity
    top: int
    """First row of the grid, from 1; a row is a quarter of an hour."""
    bottom: int
    """The row after the last one."""
    lane: int
    """Which of the lanes that overlapping entries share the width by, from 1."""
    lanes: int

    @property
    def rows(self) -> int:
        """How many rows of the grid it is high."""
        return self.bottom - self.top


def hours(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the first hour and the hour after the last that a grid needs to show these entries."""
    times = [(minutes(row["start"]), minutes(row["end"])) for row in rows]
    # From eight to seven at least, so that a day without events has a grid, too.
    first = min([8 * 60, *(start for start, _ in times)])
    last = max([19 * 60, *(end for _, end in times)])
    # The minus signs round up: an entry that ends at 19:15 needs the hour until 20.
    return first // 60, -(-last // 60)


def placed(rows: Sequence[Entity], first: int) -> list[Placed]:
    """Return where the entries of a day stand on a grid from an hour on; those that overlap share the width."""
    entries: list[Placed] = []
    group: list[tuple[Entity, int]] = []
    until = 0
    for row in sorted(rows, key=lambda row: (row.start, row.end, row.id)):
        # A group is a run of entries in which each overlaps with one before it: only these share the width.
        if group and minutes(row.start) >= until:
            entries += _shared(group, first)
            group = []
        taken = {lane for other, lane in group if minutes(other.end) > minutes(row.start)}
        group.append((row, next(lane for lane in range(1, len(group) + 2) if lane not in taken)))
        # The first of a group counts from its own end, not from that of the group before.
        until = max(until if len(group) > 1 else 0, minutes(row.end))
    return entries + _shared(group, first)


def _shared(group: Sequence[tuple[Entity, int]], first: int) -> list[Placed]:
    lanes = max((lane for _, lane in group), default=1)

    def slot(text: str) -> int:
        return (minutes(text) - first * 60) // QUARTER + 1

    # An entry within a quarter of an hour still gets a row of the grid: with height 0 it could not be seen or pressed.
    return [Placed(row, slot(row.start), max(slot(row.end), slot(row.start) + 1), lane, lanes) for row, lane in group]


def overlaps(rows: Iterable[Entity]) -> list[tuple[Entity, Entity]]:
    """Return every two entries that share a part of a day, in the order in which they begin."""
    pairs = []
    ordered = sorted(rows, key=lambda row: (row.day, row.start, row.end, row.id))
    for number, first in enumerate(ordered):
        for other in ordered[number + 1 :]:
            # All that follow begin later still. Without this the search would compare every two events of a calendar.
            if (other.day, other.start) >= (first.day, first.end):
                break
            pairs.append((first, other))
    return pairs
