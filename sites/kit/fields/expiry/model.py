"""The last day of something that ends."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Answers, Line
from stressweb.sites.kit.wording import dates


class Expiry(Line):
    """A day that has not passed, or none; one that has is refused with the label `error_past`."""

    type: Literal["expiry"]
    required: bool = False

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the first day that is accepted."""
        return visit.today

    def problem(self, text: str) -> str:
        """Refuse what is no day, and days that are written otherwise."""
        return "" if dates.day(text) else "error_date"

    def worth(self, text: str, answers: Answers) -> str:
        """Return the day."""
        if text and text < str(answers.names["now"])[:10]:
            raise RefusedError("error_past")
        return text
