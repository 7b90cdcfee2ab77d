"""An expiry date."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Answers, Line
from stressweb.sites.kit.wording import dates


class Expiry(Line):
    """An optional day, today or later; a past day is refused with the label `error_past`."""

    type: Literal["expiry"]
    required: bool = False

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the first day that is accepted."""
        return visit.today

    def problem(self, text: str) -> str:
        """Refuse a text that is not a day such as 2025-01-31."""
        return "" if dates.day(text) else "error_date"

    def worth(self, text: str, answers: Answers) -> str:
        """Return the day; raises RefusedError if it has passed."""
        if text and text < str(answers.names["now"])[:10]:
            raise RefusedError("error_past")
        return text
