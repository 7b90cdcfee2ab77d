"""What is on or off for a row, with the number of people who have it on: likes, follows, what is kept for later."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Condition, Label, Template
from stressweb.sites.kit.spec.widgets import Part


class Tally(Part):
    """A button that turns something over, and its number.

    The page shows the change at once and tells the site without being loaded anew. If the site refuses, or cannot be
    reached, everything goes back to what it was, and the page says why. Without scripts the button sends its form.
    """

    part: Literal["tally"]
    action: Action
    """What turns it over."""
    send: dict[str, Template] = {}
    """Hidden fields of the form."""
    on: Condition
    """When it is on."""
    turn_on: Label
    """Label key of the button while it is off."""
    turn_off: Label
    count: Template = ""
    """Template of the number, one's own included; without one, nothing is counted."""
    counted: Label = ""
    """Label key of what is counted."""
    failed: Label = "not_sent"
    """Label key of what is said if the site cannot be reached."""
    prop: str = ""
    """The itemprop that it is, as 1 or 0."""
    count_prop: str = ""
    """The itemprop that the number is."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the form, and whether it is on."""
        return {"form": visit.form(self.action, self.send, names), "on": visit.holds(self.on, names)}
