"""The calendar's views: a month in weeks, and days side by side."""

from typing import Any, Literal

from stressweb.sites.calendar import spans
from stressweb.sites.kit import AnyPart, Condition, Lists, Template, Visit, Widget, follow


class View(Lists, Widget):
    """Rows of the page with `day`, `start` and `end`, on the days of its `span`."""

    row: str
    """Name of the page's rows to show."""
    span: str = "span"
    """Path of the `Span` whose days are shown."""
    show: tuple[AnyPart, ...]
    style: Template = ""
    """Template of the CSS class of an entry."""
    path: Template
    """Template of a day's path; `at` is the day."""


class Month(View):
    """A month as rows of whole weeks."""

    widget: Literal["month"]
    numbers: Condition = ""
    """Condition for numbering the weeks."""

    def view(self, visit: Visit) -> Any:
        """Return the span, its events, and whether weeks are numbered."""
        numbered = bool(self.numbers) and visit.holds(self.numbers, visit.names)
        return {"span": follow(self.span, visit.names), "rows": visit.listed(self, visit.names), "numbers": numbered}


class Days(View):
    """Days side by side, on a grid of hours or as lists, depending on the world's look."""

    widget: Literal["days"]

    def view(self, visit: Visit) -> Any:
        """Return the span, the hours of its grid, and the places of each day's events on it."""
        span, rows = follow(self.span, visit.names), visit.listed(self, visit.names)
        first, last = spans.hours(rows)
        placed = {day: spans.placed([row for row in rows if row.day == day], first) for day in map(str, span.days)}
        return {"span": span, "first": first, "last": last, "placed": placed}
