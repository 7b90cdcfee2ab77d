"""Spans of days in the calendar's views, and the layout of events on a day."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal, Self

from stressweb.core.entity import Entity
from stressweb.sites.kit.wording.dates import MONTHS, minutes, say

AGENDA = 14
"""Number of days in an agenda."""
QUARTER = 15
"""Minutes per row of the grid of hours."""

Kind = Literal["month", "week", "day", "agenda"]


@dataclass(frozen=True)
class Span:
    """The days of a view around a given day."""

    kind: Kind
    day: date
    """The day for switching to another view."""
    first: date
    last: date
    """The last day, which is part of the span."""
    style: str
    """Template of a day in words, for `dates.say`."""

    @classmethod
    def of(cls, kind: Kind, day: date, today: date, style: str) -> Self:
        """Return the span of a kind that contains a day."""
        if kind == "month":
            first = day.replace(day=1)
            # No month has more than 31 days, so 31 days after its first day is always in the next month.
            last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
            # From a month, the week view shows the current week if it is in the month, otherwise the month's first.
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
        """The month of the day, such as 2025-01."""
        return self.day.isoformat()[:7]

    @property
    def before(self) -> str:
        """The previous span, as in paths."""
        # The day before the first is in the previous month, whatever its length.
        return self._in_path(self.first - timedelta(days=1 if self.kind == "month" else self._length))

    @property
    def after(self) -> str:
        """The next span, as in paths."""
        return self._in_path(self.last + timedelta(days=1))

    @property
    def _length(self) -> int:
        return (self.last - self.first).days + 1

    def _in_path(self, day: date) -> str:
        return day.isoformat()[:7] if self.kind == "month" else day.isoformat()

    @property
    def days(self) -> list[date]:
        """The days in order."""
        return [self.first + timedelta(days=n) for n in range(self._length)]

    @property
    def weeks(self) -> list[list[date]]:
        """The whole weeks, from Monday, that contain the days."""
        monday = self.first - timedelta(days=self.first.weekday())
        count = ((self.last - monday).days // 7) + 1
        return [[monday + timedelta(days=7 * week + n) for n in range(7)] for week in range(count)]

    def holds(self, text: str) -> bool:
        """Return whether the view shows a day such as 2025-01-31."""
        # A month is shown in whole weeks, with days of adjacent months.
        weeks = self.weeks if self.kind == "month" else [self.days]
        # ISO dates can be compared as text.
        return weeks[0][0].isoformat() <= text <= weeks[-1][-1].isoformat()


def repeated(step: str, first: date, last: date) -> Iterator[date]:
    """Return the days, from the first to the last, of an event that repeats every `step`.

    Months without the day are skipped.
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
    """The place of an entry on the grid of a day's hours."""

    row: Entity
    top: int
    """First row of the grid, from 1; a row is a quarter of an hour."""
    bottom: int
    """The row after the last one."""
    lane: int
    """Number of its lane, from 1; overlapping entries are in different lanes side by side."""
    lanes: int

    @property
    def rows(self) -> int:
        """Height in rows of the grid."""
        return self.bottom - self.top


def hours(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the first hour and the end of the last hour of a grid for these entries."""
    times = [(minutes(row["start"]), minutes(row["end"])) for row in rows]
    # At least from 8:00 to 19:00, so that a day without events also has a grid.
    first = min([8 * 60, *(start for start, _ in times)])
    last = max([19 * 60, *(end for _, end in times)])
    # The minus signs round up: an entry that ends at 19:15 needs the hour until 20:00.
    return first // 60, -(-last // 60)


def placed(rows: Sequence[Entity], first: int) -> list[Placed]:
    """Return the places of a day's entries on a grid from hour `first` on; overlapping entries share the width."""
    entries: list[Placed] = []
    group: list[tuple[Entity, int]] = []
    group_end = 0
    for row in sorted(rows, key=lambda row: (row.start, row.end, row.id)):
        # In a group, each entry overlaps with an earlier one; only a group shares the width.
        if group and minutes(row.start) >= group_end:
            entries += _place_group(group, first)
            group = []
        used_lanes = {lane for other, lane in group if minutes(other.end) > minutes(row.start)}
        group.append((row, next(lane for lane in range(1, len(group) + 2) if lane not in used_lanes)))
        # Begin each group with the end of its first entry.
        group_end = max(group_end if len(group) > 1 else 0, minutes(row.end))
    return entries + _place_group(group, first)


def _place_group(group: Sequence[tuple[Entity, int]], first: int) -> list[Placed]:
    lanes = max((lane for _, lane in group), default=1)

    def slot(text: str) -> int:
        return (minutes(text) - first * 60) // QUARTER + 1

    # A short entry within a quarter of an hour still gets a row, because it could not be seen with height 0.
    return [Placed(row, slot(row.start), max(slot(row.end), slot(row.start) + 1), lane, lanes) for row, lane in group]


def overlaps(rows: Iterable[Entity]) -> list[tuple[Entity, Entity]]:
    """Return every pair of entries that overlap, in the order of their beginnings."""
    pairs = []
    ordered = sorted(rows, key=lambda row: (row.day, row.start, row.end, row.id))
    for number, first in enumerate(ordered):
        for other in ordered[number + 1 :]:
            # All following entries begin even later. Stop, or the search would compare all pairs.
            if (other.day, other.start) >= (first.day, first.end):
                break
            pairs.append((first, other))
    return pairs
