"""A whole number."""

import re
from typing import Literal

from stressweb.sites.kit.spec.fields import Answers, Line


class Integer(Line):
    """A whole number from `low` to `high`; operations read a number, or None if the field is empty."""

    type: Literal["integer"]
    low: int | None = None
    high: int | None = None

    def problem(self, text: str) -> str:
        """Refuse a text that is not a whole number within the limits."""
        # Nine digits fit an integer of SQLite; a longer number would raise an OverflowError there.
        if not re.fullmatch(r"\d{1,9}", text):
            return "error_number"
        number = int(text)
        is_in_range = (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        return "" if is_in_range else "error_number"

    def worth(self, text: str, answers: Answers) -> int | None:
        """Return the number; None for an empty text."""
        return int(text) if text else None
