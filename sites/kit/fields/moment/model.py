"""Days and times of day."""

from typing import Literal

from stressweb.sites.kit.spec.fields import Line
from stressweb.sites.kit.wording import dates


class Date(Line):
    """A day, written as 2025-01-31."""

    type: Literal["date"]

    def problem(self, text: str) -> str:
        """Refuse what is no day, and days that are written otherwise."""
        return "" if dates.day(text) else "error_date"


class Time(Line):
    """A time of day, written as 09:30."""

    type: Literal["time"]

    def problem(self, text: str) -> str:
        """Refuse what is no time of day, and times that are written otherwise."""
        return "" if dates.clock(text) else "error_time"
