"""Free times of day, as buttons."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.fields import Line
from stressweb.sites.kit.wording import dates


class Slots(Line):
    """Times of day, each a button that sends the form; taken times are shown without a button.

    The action must check the time again: it may have been taken since, and a form can send any text.
    """

    sends: ClassVar[bool] = True
    type: Literal["slots"]
    times: str
    """Path of the times: rows with `time`, and with `free` if the time is available."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the times."""
        return follow(self.times, names)

    def problem(self, text: str) -> str:
        """Refuse a text that is not a time of day such as 09:30."""
        return "" if dates.clock(text) else "error_time"
