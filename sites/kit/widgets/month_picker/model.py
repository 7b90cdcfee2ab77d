"""A calendar month from which people pick a day."""

from calendar import Calendar
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Literal
from urllib.parse import urlencode

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget
from stressweb.sites.kit.wording import dates


@dataclass(frozen=True)
class Sheet:
    """A month for display."""

    name: str
    weeks: list[list[date]]
    month: int
    open: Collection[str]
    """The days that can be picked."""
    before: str
    """Query of the previous month with days to pick; empty if there is none."""
    after: str


class MonthPicker(Widget):
    """A month whose available days are links. The query selects the month."""

    widget: Literal["month_picker"]
    days: str
    """Path of the available days, such as 2025-01-31, in order."""
    path: Template
    """Template of the path of a day's link; `at` is the day."""
    earlier: Label = "month_before"
    later: Label = "month_after"

    def view(self, visit: Visit) -> Sheet:
        """Return the month in the query, or the month of the first available day."""
        days: list[str] = [*follow(self.days, visit.names)]
        months = sorted({day[:7] for day in days} or {visit.today[:7]})
        wanted = visit.args.get("month", "")
        month_shown = wanted if wanted in months else months[0]
        year, month = map(int, month_shown.split("-"))
        position = months.index(month_shown)

        def leads(number: int) -> str:
            rest = {name: text for name, text in visit.args.items() if name != "month"}
            return "?" + urlencode({**rest, "month": months[number]}) if 0 <= number < len(months) else ""

        weeks = Calendar().monthdatescalendar(year, month)
        name = f"{dates.MONTHS[month - 1]} {year}"
        return Sheet(name, weeks, month, frozenset(days), leads(position - 1), leads(position + 1))

    @property
    def weekdays(self) -> tuple[str, ...]:
        """The names of the weekdays."""
        return dates.WEEKDAYS
