"""Times of day that are free, as buttons."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.fields import Line
from stressweb.sites.kit.wording import dates


class Slots(Line):
    """Times of day, each a button that sends the form; those that are taken can be read and not pressed.

    What the page offers is checked again by the action: somebody may have been faster, and a form can send anything.
    """

    sends: ClassVar[bool] = True
    type: Literal["slots"]
    times: str
    """Path of the times of the day: rows with `time`, and `free` if it can be had."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the times."""
        return follow(self.times, names)

    def problem(self, text: str) -> str:
        """Refuse what is no time of day."""
        return "" if dates.clock(text) else "error_time"
