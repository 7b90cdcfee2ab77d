"""Days and times of day."""

from typing import Literal

from stressweb.sites.kit.spec.fields import Line
from stressweb.sites.kit.wording import dates


class Date(Line):
    """A day, written as 2025-01-31."""

    type: Literal["date"]

    def problem(self, text: str) -> str:
        """Refuse a text that is not a day such as 2025-01-31."""
        return "" if dates.day(text) else "error_date"


class Time(Line):
    """A time of day, written as 09:30."""

    type: Literal["time"]

    def problem(self, text: str) -> str:
        """Refuse a text that is not a time of day such as 09:30."""
        return "" if dates.clock(text) else "error_time"
